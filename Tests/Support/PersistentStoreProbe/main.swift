// A process that writes rows to a store's file, and prints the text of each once the store says that it is kept.
//
//     PersistentStoreProbe FILE COUNT full|normal|off [OPERATIONS SEED]
//
// It writes so many rows by four threads and ends; a COUNT of 0 goes on until it is killed. With OPERATIONS the power goes after so many writes and
// syncs of SQLite: the process ends, and what was not synced is lost.

import CCrashVFS
import Foundation
import PersistentStore
import SQL

func say(_ text: String) {
    // One write to the pipe, without a buffer that would die with the process.
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
}

let arguments = CommandLine.arguments
guard arguments.count >= 4, let wanted = Int(arguments[2]),
    let synchronous = SQLiteOptions.Synchronous(rawValue: arguments[3].uppercased())
else {
    say("usage: PersistentStoreProbe FILE COUNT full|normal|off [OPERATIONS SEED]")
    exit(64)
}
var options = PersistentStoreOptions()
options.synchronous = synchronous
if arguments.count >= 6, let operations = Int64(arguments[4]), let seed = UInt64(arguments[5]) {
    guard crash_vfs_register() == 0 else { exit(70) }
    options.fileSystem = "crash"
    crash_vfs_lose_power_after(operations, seed)
}
let model = StoreModel(entities: [
    Entity(
        "Note",
        properties: [
            .attribute(Attribute("text", .string)), .attribute(Attribute("number", .integer64)),
            .relationship(Relationship("tags", to: "Tag", inverse: "notes", isToMany: true)),
        ], uniquenessConstraints: [["text"]]),
    Entity(
        "Tag",
        properties: [
            .attribute(Attribute("count", .integer64)),
            .relationship(Relationship("notes", to: "Note", inverse: "tags", isToMany: true)),
        ]),
])
let store = try PersistentStore(
    at: .file(URL(fileURLWithPath: arguments[1])), model: model, options: options)
guard let note = store.layout.entity(named: "Note"), let tag = store.layout.entity(named: "Tag") else { exit(70) }
let run = UUID().uuidString

/// Adds a note with its tag and counts it there, all or nothing.
@Sendable func save(_ number: Int) {
    do {
        try store.write(author: run) { writer in
            let counter: RowID
            if let first = try writer.identifiers(StoreQuery(entity: "Tag")).first {
                counter = first
            } else {
                counter = try writer.newRowID(tag)
                try writer.insert(counter) { $0.set(0, 0 as Int64) }
            }
            let id = try writer.newRowID(note)
            try writer.insert(id) { values in
                values.set(0, "\(run)-\(number)")
                values.set(1, Int64(number))
            }
            try writer.link(2, of: id, to: counter)
            let count = try writer.storedRow(counter)?.values[0]
            guard case .integer(let count)? = count else { exit(71) }
            _ = try writer.update(counter, expecting: nil, changed: [0]) { $0.set(0, count + 1) }
        }
    } catch {
        say("error: \(error)")
        exit(70)
    }
    say("\(run)-\(number)")
}

let group = DispatchGroup()
for thread in 0..<4 {
    group.enter()
    Thread.detachNewThread {
        var number = thread
        while wanted == 0 || number < wanted {
            save(number)
            number += 4
        }
        group.leave()
    }
}
group.wait()
