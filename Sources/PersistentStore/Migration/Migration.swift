import Foundation
import SQL

/// Brings a file to another version of its model.
struct Migration {
    let session: StoreSession
    let from: StoreContents
    let to: StoreModel
    let location: PersistentStore.Location
    let options: PersistentStoreOptions

    func run() throws -> StoreContents {
        throw PersistentStoreError.migration(
            path: session.path, reasons: from.differences.map(\.description))
    }
}
