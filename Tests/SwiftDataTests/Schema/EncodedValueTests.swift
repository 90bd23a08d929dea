import Behaviours
import Foundation
import SQL
import SwiftData
import Testing

/// Columns hold what another program wrote; `Leaflet`s are fetched over it.
@Suite("Values that Apple's frameworks encoded are read")
struct EncodedValueTests {
    static let pages = [
        Page(number: 1, text: "Äpfel 🍎", date: Date(timeIntervalSinceReferenceDate: 700_000_000)),
        Page(number: -7, text: "", date: nil),
    ]

    @Test(
        "Arrays of strings are read from every encoding", .behaviour("swiftdata.encodings"),
        arguments: Encoding.allCases)
    func strings(encoding: Encoding) throws {
        let tags = ["oak", "north slope", "Äpfel 🍎", String(repeating: "long ", count: 100)]
        let read = try LeafletFile.read("ZTAGS", encoding.data(tags, object: tags)) { $0.tags }
        #expect(read == tags)
    }

    @Test(
        "Codable values are read from every encoding", .behaviour("swiftdata.encodings"), arguments: Encoding.allCases)
    func structures(encoding: Encoding) throws {
        let objects: [[String: Any]] = Self.pages.map { page in
            var fields: [String: Any] = ["number": page.number, "text": page.text]
            if let date = page.date { fields["date"] = date }
            return fields
        }
        let read = try LeafletFile.read("ZPAGES", encoding.data(Self.pages, object: objects)) { $0.pages }
        #expect(read == Self.pages)
    }

    @Test("Numbers, dates, data, identifiers and URLs are read from keyed archives", .behaviour("swiftdata.encodings"))
    func objects() throws {
        let kit = Kit(
            flag: true, small: -3, large: .max, ratio: 0.1, when: Date(timeIntervalSinceReferenceDate: 1),
            bytes: Data([1, 2]),
            id: UUID(), link: URL(string: "https://example.com/a?b=c")!,
            counts: ["a": 2], maybe: nil)
        let object: [String: Any] = [
            "flag": true, "small": -3, "large": Int64.max, "ratio": 0.1, "when": kit.when, "bytes": kit.bytes,
            "id": kit.id as NSUUID, "link": kit.link as NSURL,
            "counts": ["a": 2],
            "maybe": NSNull(),
        ]
        let read = try LeafletFile.read("ZKITS", Encoding.keyedArchive.data([kit], object: [object])) { $0.kits }
        #expect(read == [kit])
    }

    /// As Apple's systems write it: mutable classes, strings as objects, and references that are shared.
    @Test("An archive of mutable, shared objects is read", .behaviour("swiftdata.encodings"))
    func sharedObjects() throws {
        let read = try LeafletFile.read("ZTAGS", Archives.shared) { $0.tags }
        #expect(read == ["ash", "ash", "elm"])
    }

    @Test("Decimal numbers are read from keyed archives", .behaviour("swiftdata.encodings"))
    func decimals() throws {
        let read = try LeafletFile.read("ZPRICES", Archives.decimals) { $0.prices }
        #expect(read == [Decimal(string: "-12.345"), Decimal(3 * 65536 * 65536 + 2 * 65536 + 1)])
    }

    @Test(
        "Damaged bytes read as no value and are kept until the property is set",
        .behaviour("swiftdata.encodings-damaged"))
    func damage() throws {
        let tags = ["oak", "elm", "Äpfel"]
        let whole = [UInt8](try Encoding.keyedArchive.data(tags, object: tags))
        let leaflets = try LeafletFile()
        var random = SystemRandomNumberGenerator()
        for round in 0..<2_000 {
            var bytes = whole
            if round % 3 == 0 {
                bytes.removeLast(Int.random(in: 1..<bytes.count, using: &random))
            } else {
                for _ in 0...round % 4 { bytes[Int.random(in: 8..<bytes.count, using: &random)] = .random(in: 0...255) }
            }
            try leaflets.set("ZTAGS", Data(bytes))
            let (leaflet, context) = try leaflets.fetch()
            _ = leaflet.tags
            guard round % 100 == 0 else { continue }
            leaflet.title = "renamed \(round)"
            try context.save()
            #expect(try leaflets.bytes("ZTAGS") == Data(bytes))
        }
    }

    @Test("An archive that contains itself reads as no value", .behaviour("swiftdata.encodings-damaged"))
    func cycle() throws {
        let read = try LeafletFile.read("ZTAGS", Archives.cycle) { $0.tags }
        #expect(read == [])
    }
}

enum Encoding: CaseIterable {
    case json, binaryPropertyList, xmlPropertyList, keyedArchive

    func data<Value: Encodable>(_ value: Value, object: Any) throws -> Data {
        switch self {
        case .json: return try JSONEncoder().encode(value)
        case .binaryPropertyList, .xmlPropertyList:
            let encoder = PropertyListEncoder()
            encoder.outputFormat = self == .binaryPropertyList ? .binary : .xml
            return try encoder.encode(value)
        case .keyedArchive:
            return try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: false)
        }
    }
}

/// Made by another program than Foundation.
private enum Archives {
    static let shared = data(
        """
            YnBsaXN0MDDUAQIDBAUGICNZJGFyY2hpdmVyWCRvYmplY3RzVCR0b3BYJHZlcnNpb25fEA9OU0tleWVkQXJjaGl2ZXKmBwgQFxgc
            VSRudWxs0gkKCwxWJGNsYXNzWk5TLm9iamVjdHOAAqMNDg+AA4ADgATSERITFFgkY2xhc3Nlc1okY2xhc3NuYW1loxQVFl5OU011
            dGFibGVBcnJheVdOU0FycmF5WE5TT2JqZWN0U2FzaNIJGRobWU5TLnN0cmluZ4AFU2VsbdIREh0eox4fFl8QD05TTXV0YWJsZVN0
            cmluZ1hOU1N0cmluZ9EhIlRyb290gAESAAGGoAgRGyQpMkRLUVZdaGpucHJ0eYKNkaCosbW6xMbKz9Pl7vH2+AAAAAAAAAEBAAAA
            AAAAACQAAAAAAAAAAAAAAAAAAAD9
        """)

    /// An array that contains itself.
    static let cycle = data(
        """
            YnBsaXN0MDDUAQIDBAUGFBdZJGFyY2hpdmVyWCRvYmplY3RzVCR0b3BYJHZlcnNpb25fEA9OU0tleWVkQXJjaGl2ZXKjBwgOVSRu
            dWxs0gkKCwxWJGNsYXNzWk5TLm9iamVjdHOAAqENgAHSDxARElgkY2xhc3Nlc1okY2xhc3NuYW1lohITV05TQXJyYXlYTlNPYmpl
            Y3TRFRZUcm9vdIABEgABhqAIERskKTJESE5TWmVnaWtweYSHj5iboKIAAAAAAAABAQAAAAAAAAAYAAAAAAAAAAAAAAAAAAAApw==
        """)

    /// An array of two decimal numbers.
    static let decimals = data(
        """
        YnBsaXN0MDDUAQIDBAUGLC9ZJGFyY2hpdmVyWCRvYmplY3RzVCR0b3BYJHZlcnNpb25fEA9OU0tleWVkQXJjaGl2ZXKmBwgPFSEm
        VSRudWxs0gkKCwxWJGNsYXNzWk5TLm9iamVjdHOAAqINDoADgAXSEBESE1gkY2xhc3Nlc1okY2xhc3NuYW1lohMUV05TQXJyYXlY
        TlNPYmplY3TXCRYXGBkaGxwdHh8gHx1aTlMuY29tcGFjdFtOUy5leHBvbmVudFlOUy5sZW5ndGhbTlMubWFudGlzc2FeTlMubWFu
        dGlzc2EuYm9bTlMubmVnYXRpdmWABAkT//////////0QAU8QEDkwAAAAAAAAAAAAAAAAAADSEBEiI6QjJCUUXxAPTlNEZWNpbWFs
        TnVtYmVyWE5TTnVtYmVyV05TVmFsdWXXCRYXGBkaGycdKCkqHyuABBAAEANPEBABAAIAAwAAAAAAAAAAAAAACNEtLlRyb290gAES
        AAGGoAAIABEAGwAkACkAMgBEAEsAUQBWAF0AaABqAG0AbwBxAHYAfwCKAI0AlQCeAK0AuADEAM4A2gDpAPUA9wD4AQEBAwEWARsB
        IAEyATsBQwFSAVQBVgFYAWsBbAFvAXQBdgAAAAAAAAIBAAAAAAAAADAAAAAAAAAAAAAAAAAAAAF7
        """)

    private static func data(_ text: String) -> Data {
        Data(base64Encoded: text, options: .ignoreUnknownCharacters) ?? Data()
    }
}

struct Page: Codable, Equatable {
    var number: Int
    var text: String
    var date: Date?
}

struct Kit: Codable, Equatable {
    var flag: Bool
    var small: Int8
    var large: Int64
    var ratio: Double
    var when: Date
    var bytes: Data
    var id: UUID
    var link: URL
    var counts: [String: Int]
    var maybe: String?
}

@Model
final class Leaflet {
    var title = ""
    var tags: [String] = []
    var pages: [Page] = []
    var kits: [Kit] = []
    var prices: [Decimal] = []

    init() {}
}

/// A leaflet in a file that goes when it does, whose columns other programs write.
final class LeafletFile {
    private let folder: URL
    private let container: ModelContainer
    private let connection: SQLiteConnection

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let url = folder.appending(path: "Leaflets.store")
        container = try ModelContainer(for: Leaflet.self, configurations: ModelConfiguration(url: url))
        let context = ModelContext(container)
        context.insert(Leaflet())
        try context.save()
        connection = try SQLiteConnection(path: url.path)
    }

    deinit {
        connection.close()
        try? FileManager.default.removeItem(at: folder)
    }

    func set(_ column: String, _ data: Data) throws {
        let statement = try connection.prepareStatement("UPDATE ZLEAFLET SET \(column) = ?1")
        statement.bind(1, [UInt8](data))
        _ = try statement.step()
    }

    func bytes(_ column: String) throws -> Data {
        let statement = try connection.prepareStatement("SELECT \(column) FROM ZLEAFLET")
        try #require(try statement.step())
        return Data(statement.blob(0))
    }

    func fetch() throws -> (Leaflet, ModelContext) {
        let context = ModelContext(container)
        return (try #require(context.fetch(FetchDescriptor<Leaflet>()).first), context)
    }

    /// The leaflet as a fresh context reads it once the column holds these bytes.
    static func read<Value>(_ column: String, _ data: Data, _ value: (Leaflet) -> Value) throws -> Value {
        let file = try LeafletFile()
        try file.set(column, data)
        let (leaflet, context) = try file.fetch()
        return withExtendedLifetime(context) { value(leaflet) }
    }
}
