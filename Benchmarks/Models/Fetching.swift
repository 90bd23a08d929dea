import Foundation
import SwiftData

/// Fetches all objects of a class. A round is all that an app does: a new context, the fetch, reading every property of every
/// object, and letting go of all.
enum Fetching {
    static func measure<Model: PersistentModel>(
        _ url: URL, rounds: Int, _ read: (Model) -> Int
    ) throws -> Rounds {
        let container = try Saving.container(url)
        var measured = Rounds()
        // The first brings the file into memory, for both sides.
        for round in 0...rounds {
            var sum = 0
            func fetch() throws {
                let context = ModelContext(container)
                for model in try context.fetch(FetchDescriptor<Model>()) { sum &+= read(model) }
            }
            if round == 0 { try fetch() } else { try measured.measure(fetch) }
            measured.sum = sum
        }
        return measured
    }
}
