import CloudStore
import Foundation
import Testing

@Suite("A store opens, writes and reads")
struct CloudStoreTests {
    @Test("What was written is there after the folder is opened again", arguments: [StoreExecution.threads, .inline])
    func reopens(execution: StoreExecution) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("store-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let key = ZoneKey(scope: .private, owner: "_u1", name: "Notes")
        do {
            let store = try CloudStore(directory: folder, options: StoreOptions(execution: execution))
            let container = try #require(try store.container("iCloud.com.example/app", "development", create: true))
            try container.writeAndWait { writer in
                let zone = try writer.insertZone(key: key, created: 1)
                let type = try writer.insertType(name: "Note")
                let field = try writer.insertField(type: type.id, name: "title", kind: 1, flags: 1)
                let id = try writer.insertRecord(
                    RecordRow(zone: zone.id, name: "n1", type: type.id, sequence: 1, body: [1, 2, 3]))
                try writer.insertIndexEntries(zone: zone.id, record: id, [IndexKey(field: field.id, value: [7])])
                try writer.updateZone(id: zone.id, sequence: 1, addRecords: 1, addBytes: 3)
            }
            store.close()
        }
        let store = try CloudStore(directory: folder, options: StoreOptions(execution: execution))
        defer { store.close() }
        #expect(try store.containers().map(\.identifier) == ["iCloud.com.example/app"])
        let container = try #require(try store.container("iCloud.com.example/app", "development", create: false))
        let (zone, names, usage) = try container.read { reader in
            let zone = try #require(try reader.zone(key))
            var names: [String] = []
            try reader.scanIndex(zone: zone.id, field: 1, from: [7], to: [7]) { _, record in
                names.append(record.name)
                return true
            }
            return (zone, names, try reader.ownerUsage(scope: .private, owner: "_u1"))
        }
        #expect(zone.sequence == 1)
        #expect(zone.recordCount == 1)
        #expect(names == ["n1"])
        #expect(usage == 3)
    }
}
