import Foundation
import PersistentStore
import SQL
import Testing

@Suite("A file is brought to another version of its model, whole or not at all")
struct MigrationTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    func open(_ entities: Entity..., options: PersistentStoreOptions = PersistentStoreOptions()) throws
        -> PersistentStore
    {
        try PersistentStore(at: folder.file(), model: StoreModel(entities: entities), options: options)
    }

    static func note(_ properties: Property...) -> Entity { Entity("Note", properties: properties) }

    static let title = Property.attribute(Attribute("title", .string))

    /// Makes a file with three notes.
    func makeNotes(_ entity: Entity = note(title)) throws -> [RowID] {
        let store = try open(entity)
        defer { store.close() }
        return try (1...3).map { try store.insert("Note", ["title": .string("n\($0)")]) }
    }

    @Test("A new attribute has its default in the rows that came before, or nothing when it is optional")
    func added() throws {
        let notes = try makeNotes()
        let store = try open(
            Self.note(
                Self.title, .attribute(Attribute("rating", .integer64, defaultValue: .integer(3))),
                .attribute(Attribute("text", .string, isOptional: true)),
                .attribute(Attribute("photo", .binary, defaultValue: .data(Data([7])), storesExternally: true))))
        for (number, note) in notes.enumerated() {
            #expect(try store.value(note, "title") == .string("n\(number + 1)"))
            #expect(try store.value(note, "rating") == .integer(3))
            #expect(try store.value(note, "text") == .null)
            #expect(try store.value(note, "photo") == .data(Data([7])))
        }
        #expect(try store.insert("Note", [:]).key == 4)
    }

    @Test("A new mandatory attribute without a default is refused when there are rows, and the file stays as it was")
    func mandatory() throws {
        let notes = try makeNotes()
        let error = #expect(throws: PersistentStoreError.self) {
            try open(Self.note(Self.title, .attribute(Attribute("rating", .integer64))))
        }
        guard case .migration(_, let reasons)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reasons == ["Note.rating is not optional and has no default value, and 3 rows have none"])
        let store = try open(Self.note(Self.title))
        #expect(try store.all("Note") == notes)
    }

    @Test("Attributes go, are renamed and change between optional and not")
    func changed() throws {
        let before = Self.note(
            Self.title, .attribute(Attribute("old", .string, isOptional: true)),
            .attribute(Attribute("rating", .integer16, isOptional: true)), .attribute(Attribute("x", .boolean)))
        let notes = try makeNotes(before)
        let store = try open(
            Self.note(
                .attribute(Attribute("name", .string, isOptional: true, renamingIdentifier: "title")),
                .attribute(Attribute("rating", .integer64, defaultValue: .integer(1))),
                .attribute(Attribute("x", .integer64, isOptional: true))))
        #expect(try store.value(notes[1], "name") == .string("n2"))
        #expect(try store.value(notes[1], "rating") == .integer(1))
        let columns = try store.read { reader in
            try reader.rows(StoreQuery(entity: "Note")).next()
        }
        #expect(columns)
        store.close()
        // Opened once more with the same model, and with one that has the renaming still.
        let again = try open(
            Self.note(
                .attribute(Attribute("name", .string, isOptional: true, renamingIdentifier: "title")),
                .attribute(Attribute("rating", .integer64, defaultValue: .integer(1))),
                .attribute(Attribute("x", .integer64, isOptional: true)),
                .attribute(Attribute("title", .string, isOptional: true))))
        #expect(try again.value(notes[2], "name") == .string("n3"))
        #expect(try again.value(notes[2], "title") == .null)
    }

    @Test("A change of type that could lose values is refused by name")
    func types() throws {
        _ = try makeNotes()
        let error = #expect(throws: PersistentStoreError.self) {
            try open(Self.note(.attribute(Attribute("title", .integer64))))
        }
        #expect(error?.description.contains("Note.title was of type String and is now Integer 64") == true)
    }

    @Test("Entities come, go and are renamed; keys and subentities stay")
    func entities() throws {
        let notes = try makeNotes()
        let sub = Entity(
            "Memo", superentity: "Text", properties: [.attribute(Attribute("due", .date, isOptional: true))])
        var renamed = Entity("Text", properties: [Self.title], renamingIdentifier: "Note")
        var store = try open(renamed, sub, Entity("Tag", properties: [.attribute(Attribute("name", .string))]))
        #expect(try store.all("Text").map(\.key) == notes.map(\.key))
        let memo = try store.insert(
            "Memo", ["title": .string("m"), "due": .date(Date(timeIntervalSinceReferenceDate: 9))])
        _ = try store.insert("Tag", ["name": .string("t")])
        #expect(memo.key == 4)
        store.close()
        renamed.renamingIdentifier = nil
        store = try open(renamed)
        #expect(try store.all("Text").map(\.key) == notes.map(\.key))
        #expect(try store.insert("Text", [:]).key == 5)
    }

    @Test("Relationships come, turn from one to many and many to many, and keep whom they lead to")
    func relationships() throws {
        func note(_ relationship: Relationship) -> Entity { Self.note(Self.title, .relationship(relationship)) }
        func tag(_ relationship: Relationship) -> Entity {
            Entity("Tag", properties: [.attribute(Attribute("name", .string)), .relationship(relationship)])
        }
        let notes = try makeNotes()
        var store = try open(
            note(Relationship("tag", to: "Tag", inverse: "notes")),
            tag(Relationship("notes", to: "Note", inverse: "tag", isToMany: true)))
        let tags = try (0..<2).map { _ in try store.insert("Tag", [:]) }
        try store.write { writer in
            for note in notes { _ = try writer.set(note, ["tag": .reference(tags[0])]) }
        }
        store.close()
        store = try open(
            note(Relationship("tags", to: "Tag", inverse: "notes", isToMany: true, renamingIdentifier: "tag")),
            tag(Relationship("notes", to: "Note", inverse: "tags", isToMany: true, isOrdered: true)))
        #expect(try store.related(notes[1], "tags") == [tags[0]])
        #expect(try store.related(tags[0], "notes") == notes)
        let index = store.index("Tag", "notes")
        try store.write { writer in
            try writer.link(index, of: tags[1], to: notes[0])
            try writer.setOrder(index, of: tags[0], notes.reversed())
        }
        store.close()
        // One more attribute leaves the join table alone.
        var more = note(Relationship("tags", to: "Tag", inverse: "notes", isToMany: true, renamingIdentifier: "tag"))
        more.properties.append(.attribute(Attribute("text", .string, isOptional: true)))
        store = try open(more, tag(Relationship("notes", to: "Note", inverse: "tags", isToMany: true, isOrdered: true)))
        #expect(try store.related(tags[0], "notes") == notes.reversed())
        store.close()
        store = try open(
            note(Relationship("tag", to: "Tag", inverse: "notes", renamingIdentifier: "tags")),
            tag(Relationship("notes", to: "Note", inverse: "tag", isToMany: true)))
        #expect(try store.value(notes[0], "tag") == .reference(tags[0]))
        #expect(try store.related(tags[0], "notes") == notes)
    }

    @Test("An inverse that is new finds what the other side led to")
    func inverse() throws {
        var store = try open(
            Self.note(Self.title),
            Entity("Tag", properties: [.relationship(Relationship("notes", to: "Note", isToMany: true))]))
        let note = try store.insert("Note", [:])
        let tag = try store.insert("Tag", [:])
        try store.write { try $0.link(0, of: tag, to: note) }
        store.close()
        store = try open(
            Self.note(Self.title, .relationship(Relationship("tag", to: "Tag", inverse: "notes"))),
            Entity(
                "Tag", properties: [.relationship(Relationship("notes", to: "Note", inverse: "tag", isToMany: true))]))
        #expect(try store.value(note, "tag") == .reference(tag))
        #expect(try store.related(tag, "notes") == [note])
    }

    @Test("Large values move into files and back as the attribute says")
    func external() throws {
        func note(_ isExternal: Bool) -> Entity {
            Self.note(.attribute(Attribute("photo", .binary, isOptional: true, storesExternally: isExternal)))
        }
        let large = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
        var store = try open(note(false))
        let before = try store.insert("Note", ["photo": .data(large)])
        store.close()
        store = try open(note(true))
        #expect(try store.value(before, "photo") == .data(large))
        let after = try store.insert("Note", ["photo": .data(large)])
        store.close()
        store = try open(note(false))
        #expect(try store.value(before, "photo") == .data(large))
        #expect(try store.value(after, "photo") == .data(large))
    }

    @Test("Doubles under a new unique constraint are refused unless a stage removes them")
    func unique() throws {
        let v1 = StoreModel(entities: [Self.note(Self.title)], versionIdentifiers: ["1"])
        var entity = Self.note(Self.title)
        entity.uniquenessConstraints = [["title"]]
        entity.versionHashModifier = "2"
        let v2 = StoreModel(entities: [entity], versionIdentifiers: ["2"])
        let store = try PersistentStore(at: folder.file(), model: v1)
        for title in ["a", "b", "a"] { _ = try store.insert("Note", ["title": .string(title)]) }
        store.close()
        let error = #expect(throws: PersistentStoreError.self) { try PersistentStore(at: folder.file(), model: v2) }
        #expect(error?.description.contains("same values of the unique constraint") == true)
        var options = PersistentStoreOptions()
        options.migrationStages = [
            MigrationStage(
                from: v1, to: v2,
                willMigrate: { store in
                    try store.write { writer in
                        var seen: Set<String> = []
                        for row in try writer.identifiers(StoreQuery(entity: "Note")) {
                            guard case .string(let title)? = try writer.storedRow(row)?.values[0] else { continue }
                            if !seen.insert(title).inserted { _ = try writer.delete(row, expecting: nil) }
                        }
                    }
                },
                didMigrate: { store in
                    try store.write { _ = try $0.insert(store.entity("Note"), ["title": .string("done")]) }
                })
        ]
        let migrated = try PersistentStore(at: folder.file(), model: v2, options: options)
        let titles = try migrated.all("Note").map { try migrated.value($0, "title") }
        #expect(titles == [.string("a"), .string("b"), .string("done")])
        migrated.close()
        // Not again.
        let again = try PersistentStore(at: folder.file(), model: v2, options: options)
        #expect(try again.all("Note").count == 3)
    }

    @Test("A stage that fails leaves the file as it was before the first")
    func failingStage() throws {
        struct Stop: Error {}
        let versions = (1...3).map { number in
            StoreModel(
                entities: [Self.note(Self.title, .attribute(Attribute("v\(number)", .string, isOptional: true)))],
                versionIdentifiers: ["\(number)"])
        }
        let store = try PersistentStore(at: folder.file(), model: versions[0])
        _ = try store.insert("Note", ["title": .string("a")])
        store.close()
        var options = PersistentStoreOptions()
        options.migrationStages = [
            MigrationStage(
                from: versions[0], to: versions[1],
                willMigrate: { store in try store.write { _ = try $0.insert(store.entity("Note"), [:]) } }),
            MigrationStage(from: versions[1], to: versions[2], didMigrate: { _ in throw Stop() }),
        ]
        #expect(throws: Stop.self) { try PersistentStore(at: folder.file(), model: versions[2], options: options) }
        let same = try PersistentStore(at: folder.file(), model: versions[0])
        #expect(try same.all("Note").count == 1)
        same.close()
        var forbidding = PersistentStoreOptions()
        forbidding.migratesLightly = false
        let error = #expect(throws: PersistentStoreError.self) {
            try PersistentStore(at: folder.file(), model: versions[2], options: forbidding)
        }
        guard case .incompatibleModel(_, let differences)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(
            differences == [
                .propertyRemoved(entity: "Note", property: "v1"), .propertyAdded(entity: "Note", property: "v3"),
            ])
    }

    @Test("The history names the changed properties by their new places")
    func history() throws {
        var store = try open(
            Self.note(
                .attribute(Attribute("a", .string, isOptional: true)),
                .attribute(Attribute("b", .string, isOptional: true)), Self.title))
        let note = try store.insert("Note", [:])
        for names in [["a"], ["b", "title"], ["title"]] {
            try store.write { writer in
                _ = try writer.set(note, Dictionary(uniqueKeysWithValues: names.map { ($0, .string("x")) }))
            }
        }
        store.close()
        store = try open(Self.note(Self.title, .attribute(Attribute("b", .string, isOptional: true))))
        let sets = try store.history().dropFirst().map { $0.changes[0].updatedProperties }
        #expect(sets == [[], [0, 1], [0]])
    }

    @Test(
        "A store that is open while another process brings its file to another version refuses to write by the old one")
    func behind() throws {
        let store = try open(Self.note(Self.title))
        _ = try store.insert("Note", [:])
        let newer = try open(Self.note(Self.title, .attribute(Attribute("text", .string, isOptional: true))))
        _ = try newer.insert("Note", ["text": .string("x")])
        let error = #expect(throws: PersistentStoreError.self) { try store.insert("Note", [:]) }
        #expect(
            error
                == .incompatibleModel(
                    path: store.path, differences: [.propertyAdded(entity: "Note", property: "text")]))
        #expect(try newer.all("Note").count == 2)
    }

    @Test("A store opened for reading reads what it can and changes nothing")
    func readOnly() throws {
        let notes = try makeNotes()
        var options = PersistentStoreOptions()
        options.isReadOnly = true
        let store = try open(Self.note(Self.title), options: options)
        #expect(try store.all("Note") == notes)
        #expect(throws: PersistentStoreError.self) { try store.insert("Note", [:]) }
        let error = #expect(throws: PersistentStoreError.self) {
            try open(Self.note(Self.title, .attribute(Attribute("x", .string, isOptional: true))), options: options)
        }
        guard case .incompatibleModel? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        let missing = #expect(throws: PersistentStoreError.self) {
            try PersistentStore(at: folder.file("none"), model: StoreModel(entities: []), options: options)
        }
        #expect(missing?.description.contains("no such file") == true)
    }

    @Test("The same file serves two versions of a model in turn when both say how they differ", arguments: 1...30)
    func random(seed: Int) throws {
        var random = Seeded(seed: UInt64(seed))
        var options = PersistentStoreOptions()
        options.synchronous = .off
        var model = StoreModel(entities: [Self.note(Self.title)])
        var expected: [RowID: [String: StoreValue]] = [:]
        for _ in 0..<6 {
            let store = try PersistentStore(at: folder.file(), model: model, options: options)
            for (row, values) in expected {
                for (name, value) in values { #expect(try store.value(row, name) == value, "\(name) of \(row)") }
            }
            for _ in 0..<3 {
                var values: [String: StoreValue] = [:]
                for case .attribute(let attribute) in store.entity("Note").entity.properties {
                    values[attribute.name] = .string(String(Int.random(in: 0..<1000, using: &random)))
                }
                expected[try store.insert("Note", values)] = values
            }
            store.close()
            var note = model.entities[0]
            switch Int.random(in: 0..<4, using: &random) {
            case 0 where note.properties.count > 1:
                let gone = note.properties.remove(at: Int.random(in: 0..<note.properties.count, using: &random))
                for row in expected.keys { expected[row]?[gone.name] = nil }
            case 1:
                guard case .attribute(var attribute) = note.properties[0] else { continue }
                let old = attribute.name
                attribute.renamingIdentifier = old
                attribute.name = "r\(Int.random(in: 0..<1_000_000, using: &random))"
                note.properties[0] = .attribute(attribute)
                for row in expected.keys {
                    let value = expected[row]?.removeValue(forKey: old)
                    expected[row]?[attribute.name] = value
                }
            case 2: note.properties.shuffle(using: &random)
            default:
                let name = "p\(Int.random(in: 0..<1_000_000, using: &random))"
                let value = StoreValue.string(name)
                note.properties.append(.attribute(Attribute(name, .string, defaultValue: value)))
                for row in expected.keys { expected[row]?[name] = value }
            }
            model.entities[0] = note
        }
    }
}

/// Random numbers that are the same for the same seed.
struct Seeded: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}
