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
        ConformanceCase("A type's grants, a field and a type with its fields are changed and removed") { subject in
            let container = try subject.container()
            let (note, text, done, album) = try container.writeAndWait { writer in
                let note = try writer.insertType(name: "Note", grants: "a=1")
                let text = try writer.insertField(type: note.id, name: "text", kind: 1, flags: 0)
                let done = try writer.insertField(type: note.id, name: "done", kind: 2, flags: 3)
                return (note, text, done, try writer.insertType(name: "Album"))
            }
            try expectEqual(note.grants, "a=1")
            var version = try container.read { try $0.schemaVersion() }
            func raised() throws {
                let now = try container.read { try $0.schemaVersion() }
                try expect(now > version, "a raised version")
                version = now
            }
            var granted = album
            granted.grants = ""
            try container.writeAndWait { [granted] in try $0.updateType(granted) }
            try expectEqual(try container.read { try $0.types() }, [granted, note])
            try raised()
            try container.writeAndWait { try $0.deleteField(text.id) }
            try expectEqual(try container.read { try $0.fields() }, [done])
            try raised()
            try container.writeAndWait { try $0.deleteType(note.id) }
            try expectEqual(try container.read { try $0.types() }, [granted])
            try expectEqual(try container.read { try $0.fields() }, [])
            try raised()
            let again = try container.writeAndWait {
                try $0.insertField(type: album.id, name: "text", kind: 3, flags: 0)
            }
            try expect(again.id != text.id && again.id != done.id, "an id that no field had")
        },
        ConformanceCase("Roles come and go, with those who have them") { subject in
            let container = try subject.container()
            let version = try container.read { try $0.schemaVersion() }
            try container.writeAndWait { writer in
                for role in ["Editor", "Author"] { try writer.insertRole(role) }
                for (owner, role) in [("_b", "Editor"), ("_a", "Editor"), ("_a", "Author"), ("_a", "Author")] {
                    try writer.insertRoleMember(RoleMemberRow(owner: owner, role: role))
                }
            }
            try expectStoreError(.constraint) { try container.writeAndWait { try $0.insertRole("Editor") } }
            try container.read { reader in
                try expect(try reader.schemaVersion() > version, "a raised version")
                try expectEqual(try reader.roles(), ["Author", "Editor"])
                try expectEqual(try reader.roles(of: "_a"), ["Author", "Editor"])
                try expectEqual(try reader.roles(of: "_b"), ["Editor"])
                try expectEqual(try reader.roles(of: "_c"), [])
                try expectEqual(
                    try reader.roleMembers(),
                    [("_a", "Author"), ("_a", "Editor"), ("_b", "Editor")].map(RoleMemberRow.init))
            }
            try container.writeAndWait { try $0.deleteRoleMember(RoleMemberRow(owner: "_a", role: "Author")) }
            try expectEqual(try container.read { try $0.roles(of: "_a") }, ["Editor"])
            try container.writeAndWait { try $0.deleteRole("Editor") }
            try expectEqual(try container.read { try $0.roles() }, ["Author"])
            try expectEqual(try container.read { try $0.roleMembers() }, [])
            let other = try subject.container(".other")
            try expectEqual(try other.read { try $0.roles() }, [], file: #fileID, line: #line)
        },
        ConformanceCase("A zone is walked by name, and a field's index entries go in steps") { subject in
            let garden = try Garden(try subject.container())
            try garden.plant((1...9).map { ("p\($0)", UInt8($0)) })
            var names: [String] = []
            var last = ""
            for _ in 0..<5 {
                try garden.container.read { reader in
                    try reader.records(zone: garden.zone.id, afterName: last, limit: 4) { row in
                        names.append(row.name)
                        last = row.name
                        return true
                    }
                }
            }
            try expectEqual(names, (1...9).map { "p\($0)" })
            try expectEqual(
                try garden.container.read { try $0.zoneIDs(after: 0, limit: 5) }.contains(garden.zone.id), true)
            func entries() throws -> Int {
                var count = 0
                try garden.container.read { reader in
                    try reader.scanIndex(zone: garden.zone.id, field: garden.height.id) { _, _ in
                        count += 1
                        return true
                    }
                }
                return count
            }
            func purge() throws -> Bool {
                try garden.container.writeAndWait {
                    try $0.purgeIndexEntries(zone: garden.zone.id, field: garden.height.id, limit: 6)
                }
            }
            try expectEqual(try purge(), true)
            try expectEqual(try entries(), 3)
            try expectEqual(try purge(), false)
            try expectEqual(try entries(), 0)
        },
    ]
}
