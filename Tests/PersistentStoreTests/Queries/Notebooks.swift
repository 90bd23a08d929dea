import Foundation

@testable import PersistentStore

/// Notes in notebooks with tags, in a store and in memory, made from a seed.
final class Notebooks {
    static let model = StoreModel(
        entities: [
            Entity(
                "Note",
                properties: [
                    .attribute(Attribute("title", .string)),
                    .attribute(Attribute("body", .string, isOptional: true)),
                    .attribute(Attribute("rating", .integer64)),
                    .attribute(Attribute("stars", .integer64, isOptional: true)),
                    .attribute(Attribute("weight", .double)),
                    .attribute(Attribute("createdAt", .date)),
                    .attribute(Attribute("dueAt", .date, isOptional: true)),
                    .attribute(Attribute("pinned", .boolean)),
                    .attribute(Attribute("flagged", .boolean, isOptional: true)),
                    .attribute(Attribute("price", .decimal, isOptional: true)),
                    .attribute(Attribute("ident", .uuid)),
                    .attribute(Attribute("size", .integer64)),
                    .attribute(Attribute("scores", .transformable)),
                    .attribute(
                        Attribute(
                            "place",
                            .composite([Attribute("city", .string), Attribute("zip", .integer64, isOptional: true)]),
                            isOptional: true)),
                    .relationship(Relationship("notebook", to: "Notebook", inverse: "notes")),
                    .relationship(Relationship("tags", to: "Tag", inverse: "notes", isToMany: true)),
                    .relationship(Relationship("parent", to: "Note", inverse: "links")),
                    .relationship(Relationship("links", to: "Note", inverse: "parent", isToMany: true)),
                ],
                indexes: [
                    Index("byTitle", properties: ["title"]), Index("byRating", properties: ["rating"]),
                    Index("byCreation", properties: ["createdAt"]), Index("byIdent", properties: ["ident"]),
                ]),
            Entity(
                "Memo", superentity: "Note", properties: [.attribute(Attribute("reason", .string, isOptional: true))]),
            Entity(
                "Notebook",
                properties: [
                    .attribute(Attribute("name", .string)),
                    .attribute(Attribute("shelf", .integer64, isOptional: true)),
                    .relationship(Relationship("notes", to: "Note", inverse: "notebook", isToMany: true)),
                    .relationship(Relationship("owner", to: "Person", inverse: "notebooks")),
                ]),
            Entity(
                "Person",
                properties: [
                    .attribute(Attribute("name", .string)),
                    .relationship(Relationship("notebooks", to: "Notebook", inverse: "owner", isToMany: true)),
                ]),
            Entity(
                "Tag",
                properties: [
                    .attribute(Attribute("name", .string)),
                    .attribute(Attribute("isHot", .boolean)),
                    .attribute(Attribute("heat", .integer64, isOptional: true)),
                    .relationship(Relationship("notes", to: "Note", inverse: "tags", isToMany: true)),
                ]),
        ], versionIdentifiers: ["1"])

    static let texts = [
        "", "a", "A", "abc", "ABC", "Abc abc", "abd", "K", "ok; fine", "note 2", "note 10", "caf\u{E9}", "cafe\u{301}",
        "Cafe", "\u{212A}", "e\u{301}\u{E9}", "\u{1ED9}", "o\u{302}\u{323}", "o\u{323}\u{302}", "\u{D55C}\u{AE00}",
        "\u{1112}\u{1161}\u{11AB}\u{AE00}", "line\r\nline", "line\n", "\u{1F468}\u{200D}\u{1F469}", "\u{1F468}",
        "zebra",
        "\u{FB01}ne", "stra\u{DF}e", "100%", "a_b", "it's",
    ]

    let store: PersistentStore
    var notes: [Object] = []
    var notebooks: [Object] = []
    var people: [Object] = []
    var tags: [Object] = []

    init(seed: UInt64, notes count: Int = 40) throws {
        store = try PersistentStore(at: .memory, model: Self.model, options: PersistentStoreOptions())
        var random = SeededRandom(seed: seed)
        people = (0..<3).map { _ in Object("Person", ["name": .string(Self.texts.randomElement(using: &random)!)]) }
        notebooks = (0..<5).map { _ in
            let notebook = Object(
                "Notebook",
                [
                    "name": .string(Self.texts.randomElement(using: &random)!),
                    "shelf": Bool.random(using: &random) ? .null : .integer(.random(in: 0...4, using: &random)),
                ])
            if random.next() % 3 > 0 {
                notebook.relate("owner", to: people.randomElement(using: &random)!, "notebooks")
            }
            return notebook
        }
        tags = (0..<8).map { _ in
            Object(
                "Tag",
                [
                    "name": .string(Self.texts.randomElement(using: &random)!),
                    "isHot": .boolean(.random(using: &random)),
                    "heat": Bool.random(using: &random) ? .null : .integer(.random(in: -2...4, using: &random)),
                ])
        }
        for _ in 0..<count {
            let note = Self.note(&random)
            if random.next() % 3 > 0 { note.relate("notebook", to: notebooks.randomElement(using: &random)!, "notes") }
            if random.next() % 2 > 0, let parent = notes.randomElement(using: &random) {
                note.relate("parent", to: parent, "links")
            }
            for tag in tags where random.next() % 5 == 0 {
                note.many["tags", default: []].append(tag)
                tag.many["notes", default: []].append(note)
            }
            notes.append(note)
        }
        try save()
    }

    private static func note(_ random: inout SeededRandom) -> Object {
        let isMemo = random.next() % 4 == 0
        func chance(_ value: StoreValue) -> StoreValue { random.next() % 3 == 0 ? .null : value }
        let numbers: [Int64] = [0, 1, 2, 3, 5, 18, 25, 26, -1, -7, .max, .min, .max - 1, 4_000_000_000]
        let prices = ["0", "1", "1.5", "19.99", "0.1", "-3.25", "123456789012345678.25", "123456789012345678.5"]
        let note = Object(
            isMemo ? "Memo" : "Note",
            [
                "title": .string(texts.randomElement(using: &random)!),
                "body": chance(.string(texts.randomElement(using: &random)!)),
                "rating": .integer(numbers.randomElement(using: &random)!),
                "stars": chance(.integer(.random(in: 0...5, using: &random))),
                "weight": .double([0, 0.1, 0.5, 2, 1e300, -1e300, .infinity].randomElement(using: &random)!),
                "createdAt": .date(
                    Date(timeIntervalSinceReferenceDate: Double(Int.random(in: 0...9, using: &random)) + 0.1)),
                "dueAt": chance(.date(Date(timeIntervalSinceReferenceDate: .random(in: 0...9, using: &random)))),
                "pinned": .boolean(.random(using: &random)), "flagged": chance(.boolean(.random(using: &random))),
                "price": chance(.decimal(Decimal(string: prices.randomElement(using: &random)!)!)),
                "ident": .uuid(
                    UUID(
                        uuid: (
                            UInt8.random(in: 0...3, using: &random), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
                        ))),
                "size": .integer(.random(in: -128...127, using: &random)),
            ])
        let scores = (0..<Int.random(in: 0...4, using: &random)).map { _ in Int64.random(in: 0...12, using: &random) }
        note.arrays["scores"] = scores.map { .integer($0) }
        if Bool.random(using: &random) {
            note.values["place.city"] = .string(texts.randomElement(using: &random)!)
            note.values["place.zip"] = chance(.integer(.random(in: 0...3, using: &random)))
            note.values["place"] = .composite([])
        }
        if isMemo { note.values["reason"] = chance(.string(texts.randomElement(using: &random)!)) }
        return note
    }

    private func save() throws {
        _ = try store.write { writer in
            for object in people + notebooks + tags + notes {
                object.row = try writer.newRowID(store.entity(object.entity))
            }
            for object in people + notebooks + tags + notes { try insert(object, writer) }
            for note in notes {
                for tag in note.many["tags"] ?? [] {
                    try writer.link(store.index(note.entity, "tags"), of: note.row, to: tag.row)
                }
            }
        }
    }

    private func insert(_ object: Object, _ writer: StoreWriter) throws {
        let entity = store.entity(object.entity)
        try writer.insert(object.row) { values in
            for property in entity.properties {
                switch property.kind {
                case .attribute(let columns) where columns.count > 1:
                    values.set(property.index, value: .composite(columns.map { object.values[$0.path] ?? .null }))
                case .attribute:
                    if let array = object.arrays[property.name] {
                        let numbers = array.map { if case .integer(let number) = $0 { "\(number)" } else { "null" } }
                        values.set(property.index, Data("[\(numbers.joined(separator: ","))]".utf8))
                    } else {
                        values.set(property.index, value: object.values[property.name] ?? .null)
                    }
                case .toOne: values.setReference(property.index, object.one[property.name]?.row)
                default: break
                }
            }
        }
    }

    func identifiers(_ query: StoreQuery) throws -> [RowID] {
        try store.read { try $0.identifiers(query) }
    }

    /// An object in memory.
    final class Object: StoreObject {
        let entity: String
        var row = RowID(entity: 0, key: 0)
        var values: [String: StoreValue]
        var arrays: [String: [StoreValue]] = [:]
        var one: [String: Object] = [:]
        var many: [String: [Object]] = [:]

        init(_ entity: String, _ values: [String: StoreValue]) {
            self.entity = entity
            self.values = values
        }

        func relate(_ name: String, to other: Object, _ inverse: String) {
            one[name] = other
            other.many[inverse, default: []].append(self)
        }

        func isKind(of entity: String) -> Bool { self.entity == entity || entity == "Note" && self.entity == "Memo" }
        func isSame(as other: any StoreObject) -> Bool { (other as? Object) === self }
        func isAmong(_ rows: [RowID]) -> Bool { rows.contains(row) }
        func value(_ path: String) -> StoreValue { values[path] ?? .null }
        func elements(_ attribute: String) -> [StoreValue]? { arrays[attribute] }
        func object(_ relationship: String) -> (any StoreObject)? { one[relationship] }
        func objects(_ relationship: String) -> [any StoreObject] { many[relationship] ?? [] }
    }
}

/// SplitMix64: the same seed, the same numbers.
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
