import Synchronization
import WebServices

/// How many files each person is sending just now. What is under way counts to no quota yet and may take its time, so one
/// person has a few at once and no more.
final class UploadPlaces: Sendable {
    struct Sender: Hashable, Sendable {
        var tenant: Tenant
        /// Empty for all who have not signed in.
        var user: String
    }

    /// Gives itself back when it is let go.
    final class Place: Sendable {
        private let places: UploadPlaces
        private let sender: Sender

        fileprivate init(_ places: UploadPlaces, _ sender: Sender) {
            self.places = places
            self.sender = sender
        }

        deinit { places.giveBack(sender) }
    }

    private let limit: Int
    private let taken = Mutex<[Sender: Int]>([:])

    init(limit: Int) {
        self.limit = limit
    }

    /// - Throws: `TRY_AGAIN_LATER` where the sender has no more.
    func place(for sender: Sender) throws(ServerError) -> Place {
        let isThere = taken.withLock { taken in
            guard taken[sender, default: 0] < limit else { return false }
            taken[sender, default: 0] += 1
            return true
        }
        guard isThere else {
            throw ServerError(
                .tryAgainLater, "At most \(limit) files of one account are taken at once.", retryAfter: 1)
        }
        return Place(self, sender)
    }

    private func giveBack(_ sender: Sender) {
        taken.withLock { taken in
            let rest = taken[sender, default: 1] - 1
            taken[sender] = rest > 0 ? rest : nil
        }
    }
}
