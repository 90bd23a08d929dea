import Foundation
import PersistentStore

/// SwiftData always keeps a history, as Apple's does, so what it costs is measured a layer below: rows of ten numbers written
/// into a store with and without it.
enum HistoryCost {
    static func measure(_ folder: URL, _ count: Int, rounds: Int, isTracked: Bool) throws -> Rounds {
        let entity = Entity("Item", properties: (0..<10).map { .attribute(Attribute("i\($0)", .integer64)) })
        var options = PersistentStoreOptions()
        options.tracksHistory = isTracked
        var measured = Rounds()
        for round in 0..<rounds {
            let url = folder.appendingPathComponent("history-\(isTracked)-\(round).store")
            let store = try PersistentStore(
                at: .file(url), model: StoreModel(entities: [entity]), options: options)
            defer { store.close() }
            guard let item = store.layout.entity(named: "Item") else { return measured }
            try measured.measure {
                _ = try store.write { writer in
                    for row in 0..<count {
                        let id = try writer.newRowID(item)
                        try writer.insert(id) { values in
                            for column in 0..<10 { values.set(column, Int64(row + column)) }
                        }
                    }
                }
            }
        }
        return measured
    }
}
