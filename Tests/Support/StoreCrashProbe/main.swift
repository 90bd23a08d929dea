// A process that saves until it is killed, and prints the name of each record once the store says that it is kept.
//
//     StoreCrashProbe FOLDER full|normal|off [OPERATIONS SEED]
//
// With OPERATIONS the power goes after so many writes and syncs of SQLite: the process ends, and what was not synced is lost.

import CCrashVFS
import CloudStore
import Foundation
import SQL

func say(_ text: String) {
    // One write to the pipe, without a buffer that would die with the process.
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
}

let arguments = CommandLine.arguments
guard arguments.count >= 3, let synchronous = SQLiteOptions.Synchronous(rawValue: arguments[2].uppercased()) else {
    say("usage: StoreCrashProbe FOLDER full|normal|off [OPERATIONS SEED]")
    exit(64)
}
var options = StoreOptions()
options.synchronous = synchronous
if arguments.count >= 5, let operations = Int64(arguments[3]), let seed = UInt64(arguments[4]) {
    guard crash_vfs_register() == 0 else { exit(70) }
    options.fileSystem = "crash"
    crash_vfs_lose_power_after(operations, seed)
}
let store = try CloudStore(directory: URL(fileURLWithPath: arguments[1]), options: options)
guard let container = try store.container("iCloud.crash", "development", create: true) else { exit(70) }
let key = ZoneKey(scope: .private, owner: "_u", name: "Z")
let zone = try container.writeAndWait { writer in
    if let zone = try writer.zone(key) { return zone }
    return try writer.insertZone(key: key, created: 1)
}
let run = UUID().uuidString
// Several requests wait at once, so that commits are groups.
let room = DispatchSemaphore(value: 16)
var number = 0
while true {
    room.wait()
    number += 1
    let name = "\(run)-\(number)"
    container.write(
        { writer in
            guard let locked = try writer.lockZone(zone.id) else { return }
            let id = try writer.insertRecord(
                RecordRow(
                    zone: zone.id, name: name, type: 1, sequence: locked.sequence + 1, tag: 1,
                    body: Array(repeating: UInt8(truncatingIfNeeded: name.utf8.count), count: 600)))
            try writer.insertIndexEntries(zone: zone.id, record: id, [IndexKey(field: 1, value: Array(name.utf8))])
            try writer.updateZone(id: zone.id, sequence: locked.sequence + 1, addRecords: 1, addBytes: 600)
        },
        completion: { result in
            if case .success = result { say(name) }
            room.signal()
        })
}
