import CloudKit
import Foundation

// A device of the foreign clients' tests: an app that syncs a dictionary of notes by CKSyncEngine, written in language
// mode 5 as apps are that were begun before mode 6. Each call is a launch of the app.
//
//     SyncedDevice FILE send [NAME=TITLE | -NAME]…     changes notes and sends what is pending
//     SyncedDevice FILE fetch                          fetches, and prints all notes as JSON
//
// FILE keeps what an app keeps; the cloud and the account come from the environment.

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count >= 2 else {
    print("usage: SyncedDevice FILE send [NAME=TITLE | -NAME]… | fetch")
    exit(2)
}
let manager = SyncManager(file: URL(fileURLWithPath: arguments[0]))
do {
    switch arguments[1] {
    case "send":
        for change in arguments.dropFirst(2) {
            if change.hasPrefix("-") {
                manager.delete(String(change.dropFirst()))
            } else if let equals = change.firstIndex(of: "=") {
                manager.write(String(change[..<equals]), String(change[change.index(after: equals)...]))
            }
        }
        try await manager.send()
    case "fetch":
        try await manager.syncEngine.fetchChanges()
    default:
        print("unknown: \(arguments[1])")
        exit(2)
    }
    manager.save()
    print(manager.description)
} catch {
    manager.save()
    print("failed: \(error)")
    exit(1)
}
