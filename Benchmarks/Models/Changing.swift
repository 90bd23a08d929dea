import Foundation
import SwiftData

/// Changes or deletes all users of a store. A round is all that an app does: a new context, the fetch, the changes, the save with
/// its history, and letting go of all.
enum Changing {
    /// - Parameter folder: gets a store a round; the last one is left there as `0.store`, as it was before.
    static func measure(
        _ folder: URL, _ count: Int, rounds: Int, _ change: (ModelContext, User) -> Void
    ) throws -> Rounds {
        _ = try Saving.measure(folder, count, rounds: 1, Saving.users)
        let original = folder.appendingPathComponent("0.store")
        var measured = Rounds()
        for _ in 0..<rounds {
            let url = folder.appendingPathComponent("changed.store")
            try FileManager.default.copyItem(at: original, to: url)
            do {
                let container = try Saving.container(url)
                try measured.measure {
                    let context = ModelContext(container)
                    context.autosaveEnabled = false
                    for user in try context.fetch(FetchDescriptor<User>()) { change(context, user) }
                    try context.save()
                }
            }
            for suffix in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: url.path + suffix)
            }
        }
        return measured
    }

    static func age(_ context: ModelContext, _ user: User) { user.age += 1 }

    static func delete(_ context: ModelContext, _ user: User) { context.delete(user) }
}
