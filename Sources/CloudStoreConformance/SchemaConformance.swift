import CloudStore

extension ConformanceCase {
    static let schema: [ConformanceCase] = [
        ConformanceCase("Types and fields come back, and every change raises the version") { subject in
            let container = try subject.container()
            try expectEqual(try container.read { try $0.schemaVersion() }, 0)
            let (note, text, done) = try container.writeAndWait { writer in
                let note = try writer.insertType(name: "Note")
                let text = try writer.insertField(type: note.id, name: "text", kind: 1, flags: 0)
                let done = try writer.insertField(type: note.id, name: "done", kind: 2, flags: 3)
                return (note, text, done)
            }
            let album = try container.writeAndWait { try $0.insertType(name: "Album") }
            let version = try container.read { reader in
                try expectEqual(try reader.types(), [album, note])
                try expectEqual(try reader.fields(), [done, text])
                return try reader.schemaVersion()
            }
            try expect(version > 0, "a raised version")
            var indexed = text
            indexed.flags = 5
            try container.writeAndWait { [indexed] in try $0.updateField(indexed) }
            try container.read { reader in
                try expectEqual(try reader.fields(), [done, indexed])
                try expect(try reader.schemaVersion() > version, "a raised version")
            }
        },
        ConformanceCase("A second type or field of one name is refused and raises nothing") { subject in
            let container = try subject.container()
            let note = try container.writeAndWait { writer in
                let note = try writer.insertType(name: "Note")
                _ = try writer.insertField(type: note.id, name: "text", kind: 1, flags: 0)
                return note
            }
            let version = try container.read { try $0.schemaVersion() }
            try expectStoreError(.constraint) { _ = try container.writeAndWait { try $0.insertType(name: "Note") } }
            try expectStoreError(.constraint) {
                _ = try container.writeAndWait { try $0.insertField(type: note.id, name: "text", kind: 2, flags: 0) }
            }
            try expectEqual(try container.read { try $0.schemaVersion() }, version)
        },
    ]
}
