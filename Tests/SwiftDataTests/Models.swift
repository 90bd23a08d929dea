import SwiftData

// The models that the suites of this target share.

@Model
final class Note {
    var title: String
    var body: String?
    var rating = 3
    var weight: Double = 0.5
    var createdAt: Date = Date(timeIntervalSinceReferenceDate: 1)
    var tags: [String] = []
    var kind: Kind = .plain
    var mood: Mood?
    var place: Place?
    var counts: [String: Int] = [:]
    var notebook: Notebook?
    @Relationship(inverse: \Label.notes) var labels: [Label] = []
    @Transient var cache: [Int] = []
    private(set) var secret = "s"

    init(title: String, notebook: Notebook? = nil) {
        self.title = title
        self.notebook = notebook
    }
}

enum Kind: String, Codable, CaseIterable { case plain, rich }

enum Mood: Codable, Equatable {
    case calm
    case busy(Int)
}

struct Place: Codable, Equatable {
    struct Point: Codable, Equatable {
        var x: Double
        var y: Double
    }

    var city: String
    var zip: Int?
    var point = Point(x: 0, y: 0)
    var names: [String] = []
}

@Model
final class Notebook {
    var name = ""
    @Relationship(deleteRule: .cascade, inverse: \Note.notebook) var notes: [Note]

    init(name: String) {
        self.name = name
        self.notes = []
    }
}

@Model
final class Label {
    @Attribute(.unique) var name: String
    var color = "red"
    var notes: [Note] = []

    init(name: String, color: String = "red") {
        self.name = name
        self.color = color
    }
}

/// Every type with a column of its own, plain and optional.
@Model
final class Everything {
    var string: String
    var bool: Bool
    var int: Int
    var int8: Int8
    var int16: Int16
    var int32: Int32
    var int64: Int64
    var uint: UInt
    var uint8: UInt8
    var uint16: UInt16
    var uint32: UInt32
    var uint64: UInt64
    var double: Double
    var float: Float
    var date: Date
    var data: Data
    var uuid: UUID
    var url: URL
    var decimal: Decimal
    var optionalString: String?
    var optionalInt: Int?
    var optionalDate: Date?
    var optionalURL: URL?
    var optionalKind: Kind?
    @Attribute(.externalStorage) var large: Data?

    init() {
        string = "é✓"
        bool = true
        int = .min
        int8 = .min
        int16 = .max
        int32 = .min
        int64 = .max
        uint = .max
        uint8 = .max
        uint16 = .max
        uint32 = .max
        uint64 = .max
        double = -0.1
        float = 1.5
        date = Date(timeIntervalSinceReferenceDate: 700_000_000.123)
        data = Data([0, 1, 255])
        uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
        url = URL(string: "https://example.com/a?b=c")!
        decimal = Decimal(string: "12345678901234567890.123")!
        optionalKind = .rich
        large = Data(repeating: 7, count: 200_000)
    }
}

@Model
class Vehicle {
    var wheels: Int
    var owner: Person?

    init(wheels: Int) { self.wheels = wheels }
}

@Model
final class Truck: Vehicle {
    var load: Double = 1
    var plate: String

    init(plate: String) {
        self.plate = plate
        super.init(wheels: 6)
    }
}

/// Has nothing of its own.
@Model
final class Tricycle: Vehicle {
    init() { super.init(wheels: 3) }
}

@Model
final class Person {
    var name: String
    @Relationship(deleteRule: .nullify, inverse: \Vehicle.owner) var vehicles: [Vehicle]?

    init(name: String) { self.name = name }
}

/// Observers and defaults.
@Model
final class Watched {
    var value: Int = 0 {
        willSet { events.append("will \(newValue)") }
        didSet { events.append("did \(oldValue) to \(value)") }
    }
    @Transient var events: [String] = []

    init() {}
}

extension ModelContainer {
    static func inMemory(_ types: any PersistentModel.Type...) throws -> ModelContainer {
        try ModelContainer(for: Schema(types), configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }
}
