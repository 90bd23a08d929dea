/// Why a store could not do what it was asked, and what can be done about it.
package enum PersistentStoreError: Error, Sendable, Equatable {
    /// The file cannot be created or opened.
    case cannotOpen(path: String, reason: String)
    /// The file is an SQLite database but not a store, or no database at all.
    case notAStore(path: String, reason: String)
    case corrupt(path: String, reason: String)
    /// Another process held the file for longer than the store waits.
    case locked(path: String, seconds: Double)
    case full(path: String)
    case readOnly(path: String)
    /// The model contradicts itself: every contradiction.
    case invalidModel([String])
    /// The file was made for another model, and nothing was allowed to change it.
    case incompatibleModel(path: String, differences: [ModelDifference])
    /// The file was made for another model, and no rule says how to change it to the new one: every reason.
    case migration(path: String, reasons: [String])
    /// A row with these values of a unique constraint exists.
    case uniqueConstraint(entity: String, properties: [String], existing: RowID?)
    /// A delete that the relationship forbids.
    case deletionDenied(entity: String, relationship: String, row: RowID)
    /// What a token names was trimmed from the history; begin anew from the rows themselves.
    case historyExpired(oldest: Int64?)
    /// The file of an external value is gone.
    case externalDataMissing(path: String)
    /// A query's part that cannot be answered from the file.
    case unsupportedQuery(String)
    case closed
    /// What SQLite said, where none of the others fits.
    case database(String)
}

extension PersistentStoreError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .cannotOpen(let path, let reason):
            "The store at \(path) cannot be opened: \(reason). Check that its folder exists and may be written."
        case .notAStore(let path, let reason):
            "The file at \(path) is not a store: \(reason). Choose another path; this file was not changed."
        case .corrupt(let path, let reason):
            "The store at \(path) is damaged: \(reason). Restore it from a copy, or move it away and begin anew."
        case .locked(let path, let seconds):
            "Another process has held the store at \(path) for \(seconds) seconds. End it, or try again."
        case .full(let path): "There is no room on the disk for the store at \(path). Nothing of this save was kept."
        case .readOnly(let path): "The store at \(path) was opened for reading only."
        case .invalidModel(let problems): "The model contradicts itself: " + problems.joined(separator: "; ")
        case .incompatibleModel(let path, let differences):
            "The store at \(path) was made for another version of the model ("
                + differences.map(\.description).joined(separator: "; ")
                + "). Open it with that version, or allow its migration."
        case .migration(let path, let reasons):
            "The store at \(path) cannot be brought to this version of the model: "
                + reasons.joined(separator: "; ") + ". Add a custom migration stage. The file was not changed."
        case .uniqueConstraint(let entity, let properties, _):
            "A row of \(entity) with this \(properties.joined(separator: ", ")) exists already."
        case .deletionDenied(let entity, let relationship, _):
            "A row of \(entity) cannot be deleted while its \(relationship) leads to others (delete rule deny)."
        case .historyExpired:
            "The history after this token was deleted. Read the rows themselves and go on with a new token."
        case .externalDataMissing(let path): "The file \(path) with a value of the store is missing."
        case .unsupportedQuery(let part): "The store cannot answer this part of a query: \(part)"
        case .closed: "The store was closed."
        case .database(let message): "SQLite: \(message)"
        }
    }
}

/// One difference between the model that a file was made for and another.
package enum ModelDifference: Sendable, Hashable, CustomStringConvertible {
    case entityAdded(String)
    case entityRemoved(String)
    case entityChanged(String, String)
    case propertyAdded(entity: String, property: String)
    case propertyRemoved(entity: String, property: String)
    case propertyChanged(entity: String, property: String, String)

    package var description: String {
        switch self {
        case .entityAdded(let name): "entity \(name) is new"
        case .entityRemoved(let name): "entity \(name) is gone"
        case .entityChanged(let name, let what): "entity \(name): \(what)"
        case .propertyAdded(let entity, let property): "\(entity).\(property) is new"
        case .propertyRemoved(let entity, let property): "\(entity).\(property) is gone"
        case .propertyChanged(let entity, let property, let what): "\(entity).\(property): \(what)"
        }
    }
}
