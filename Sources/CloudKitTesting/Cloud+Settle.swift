import CloudKit
import CloudServer
import Foundation

extension Cloud {
    /// Waits until the world is quiet: no sync engine of a device fetches, sends or is about to, every push has been handed
    /// to whoever listens, and no request waits for its answer.
    ///
    ///     let phone = cloud.device(account: "alice"), laptop = cloud.device(account: "alice")
    ///     …                                // each with an app and its CKSyncEngine
    ///     phoneApp.rename(note, to: "Groceries")
    ///     try await cloud.settle()
    ///     #expect(laptopApp.title(of: note) == "Groceries")
    ///
    /// An engine that waits for a network, an account or room in a full account counts as quiet: it can do nothing. One
    /// that waits a moment after another failure does not, since it will try again by itself; neither does one that syncs
    /// only when it is told (`automaticallySync = false`) while it does.
    ///
    /// What tasks of the app's own make of a push from `CKContainer.notifications`, or of anything else, is not seen: wait
    /// for those as for any task.
    ///
    /// - Parameter limit: How long to wait for it. A world that cannot become quiet, because a server refuses every
    ///   request or an app answers each event with another change, is no reason for a test to hang.
    /// - Throws: `Cloud.NeverQuiet` when the time is up, `CancellationError` when the task is cancelled.
    public func settle(within limit: Duration = .seconds(60)) async throws {
        let deadline = ContinuousClock.now + limit
        while true {
            try Task.checkCancellation()
            let count = host.stirring.count
            server.push.settle()
            let activities = host.activities
            guard !activities.isEmpty || host.stirring.count != count else { return }
            guard ContinuousClock.now < deadline else { throw NeverQuiet(activities: activities) }
            await host.stirring.next(after: count, by: deadline)
        }
    }

    /// The world did not become quiet in time.
    public struct NeverQuiet: Error, Sendable, CustomStringConvertible {
        /// What still went on, in words.
        public let activities: [String]

        public var description: String {
            activities.isEmpty
                ? "The cloud did not become quiet in time: something begins again and again"
                : "The cloud did not become quiet in time: \(activities.joined(separator: "; "))"
        }
    }
}
