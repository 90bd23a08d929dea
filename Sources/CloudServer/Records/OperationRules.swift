import CloudStore
import WebServices

/// What an operation does to the record that it finds: Apple's table of operation types. [Apple:ModifyRecords]
enum OperationDecision: Sendable, Equatable {
    /// A record comes into being, or a deleted one comes back as a new one.
    case create
    /// Fields that were not sent keep their values.
    case update
    /// Fields that were not sent become null.
    case replace
    case delete
    /// There is nothing to delete, which is just what was wanted.
    case nothing

    /// - Parameter stored: the record's row, maybe a tombstone.
    init(
        _ type: RecordsModify.OperationType, tag: String?, stored: RecordRow?, _ context: RequestContext
    ) throws(ServerError) {
        let live = stored.flatMap { $0.deleted ? nil : $0 }
        switch (type, live) {
        case (.create, nil), (.forceUpdate, nil), (.forceReplace, nil):
            self = .create
        case (.create, .some):
            // The documented code is EXISTS; what the real service sends is this.
            throw ServerError(.conflict, "record to insert already exists")
        case (.update, nil), (.replace, nil):
            throw ServerError(
                .notFound, "recordChangeTag specified, but record not found", extensionCode: .unknownItem)
        case (.forceDelete, nil):
            self = .nothing
        case (.delete, nil):
            // To the native framework, deleting what is gone is a success; the web protocol's silence on it is read as
            // its table is printed: the record is missing.
            guard context.isNative else { throw .recordNotFound }
            self = .nothing
        case (.update, let live?), (.replace, let live?), (.delete, let live?):
            guard tag == live.changeTag else { throw ServerError(.conflict, "client oplock error updating record") }
            self = type == .update ? .update : type == .replace ? .replace : .delete
        case (.forceUpdate, .some): self = .update
        case (.forceReplace, .some): self = .replace
        case (.forceDelete, .some): self = .delete
        }
    }
}

/// What record and type names may look like.
enum RecordNaming {
    /// Type of the one record that each user has in the public database.
    static let usersType = "Users"

    static func checkRecordName(_ name: String, _ context: RequestContext) throws(ServerError) {
        let isPlain = name.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
        guard isPlain, !name.isEmpty, name.utf8.count <= Limits.nameLength else {
            throw .badRequest("Invalid record name: up to \(Limits.nameLength) ASCII characters are allowed")
        }
        // Names that begin with an underscore are the system's: here, the caller's own user record.
        guard !name.hasPrefix("_") || (context.database == .public && name == context.caller.user?.recordName) else {
            throw .badRequest("Invalid record name '\(name)': it must not begin with '_'")
        }
    }

    static func checkTypeName(_ type: String, recordName: String, _ context: RequestContext) throws(ServerError) {
        let isUserRecord = context.database == .public && recordName == context.caller.user?.recordName
        guard isUserRecord == (type == usersType) else {
            throw .badRequest("A record of type '\(usersType)' is a user's own, and has the user's record name")
        }
        guard let first = type.utf8.first, first.isASCIILetter, type.utf8.count <= Limits.nameLength,
            type.utf8.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "_") })
        else {
            throw .badRequest(
                "Invalid record type '\(type.prefix(Limits.nameLength))': a letter first, then letters, digits and '_'")
        }
    }
}
