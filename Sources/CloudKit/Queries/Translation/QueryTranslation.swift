import Foundation
import PredicateFormat
import WebServices

/// Turns a query into what the wire can ask, and refuses what CloudKit cannot answer, with the reason. [Apple:CKQuery]
///
/// The language of predicates is much larger than CloudKit's: filters that must all hold, each of one field and one value.
/// Whether a field is indexed, and whether the value is of its type, only the server knows.
struct QueryTranslation {
    /// What became of a predicate.
    enum Outcome: Sendable {
        case query(RecordsQuery.Query)
        /// It can hold for no record: there is nothing to ask.
        case nothing
    }

    let query: CKQuery

    init(_ query: CKQuery) {
        self.query = query
    }

    /// - Parameter currentUser: Tells the signed-in user's record name, where the predicate speaks of
    ///   `CKCurrentUserDefaultName`.
    /// - Throws: `.invalidArguments`.
    func outcome(
        currentUser: @Sendable () async throws(CKError) -> String
    ) async throws(CKError) -> Outcome {
        guard let syntax = query.predicate.syntax else {
            throw .unsupportedPredicate("A predicate of a block cannot be sent to the server; use NSPredicate(format:)")
        }
        var translation = PredicateTranslation()
        try translation.add(syntax)
        guard !translation.isNeverTrue else { return .nothing }
        var filters = translation.filters
        if filters.contains(where: { $0.value.namesCurrentUser }) {
            let name = try await currentUser()
            for index in filters.indices { filters[index].value = filters[index].value.naming(currentUser: name) }
        }
        return .query(
            RecordsQuery.Query(recordType: query.recordType, filterBy: filters, sortBy: try Self.sorts(query)))
    }

    private static func sorts(_ query: CKQuery) throws(CKError) -> [RecordsQuery.Sort] {
        var sorts: [RecordsQuery.Sort] = []
        for descriptor in query.sortDescriptors ?? [] {
            guard let key = descriptor.key else {
                throw .unsupportedPredicate(
                    "A sort descriptor needs the name of a field: NSSortDescriptor(key:ascending:)")
            }
            let place = (descriptor as? CKLocationSortDescriptor)?.relativeLocation
            sorts.append(
                RecordsQuery.Sort(
                    try RecordsQuery.FieldName(key: key), ascending: descriptor.ascending,
                    relativeLocation: place.map { Location($0) }))
        }
        return sorts
    }
}

extension CKError {
    /// CloudKit says so at execution, never when the query is made.
    static func unsupportedPredicate(_ reason: String) -> CKError {
        CKError(.invalidArguments, reason: reason)
    }
}

extension RecordsQuery.FieldName {
    /// A field of the record, or one of those that every record has, by the name that predicates and sort descriptors use
    /// or by its constant in `CKRecord.SystemFieldKey`.
    init(key: String) throws(CKError) {
        if let system = Self.systemFields[key] ?? RecordsQuery.SystemField(rawValue: key) {
            self = .system(system)
            return
        }
        guard !key.contains(".") else {
            throw .unsupportedPredicate("'\(key)': a query cannot follow a reference to another record's fields")
        }
        self = .user(key)
    }

    // `recordName` is not among them: to Apple's framework it is a field like any other, mostly an unknown one.
    private static let systemFields: [String: RecordsQuery.SystemField] = [
        "recordID": .recordName, "creationDate": .createdTimestamp, "modificationDate": .modifiedTimestamp,
        "creatorUserRecordID": .createdUserRecordName, "lastModifiedUserRecordID": .modifiedUserRecordName,
        "parent": .parent, "share": .share,
    ]

    /// Whether the field holds a reference, of which there is no more and no less.
    var isSystemReference: Bool {
        guard case .system(let field) = self else { return false }
        return field != .createdTimestamp && field != .modifiedTimestamp
    }

    var text: String {
        switch self {
        case .user(let name): name
        case .system(let field): field.systemFieldName
        }
    }
}

extension RecordsQuery.Operand {
    fileprivate var namesCurrentUser: Bool {
        switch self {
        case .typed(let value): value.namesCurrentUser
        default: false
        }
    }

    fileprivate func naming(currentUser name: String) -> RecordsQuery.Operand {
        guard case .typed(let value) = self else { return self }
        return .typed(value.naming(currentUser: name))
    }
}

extension FieldValue {
    fileprivate var namesCurrentUser: Bool {
        switch self {
        case .reference(let reference): reference.recordName == CKCurrentUserDefaultName
        case .list(let values, _): values.contains { $0.namesCurrentUser }
        default: false
        }
    }

    fileprivate func naming(currentUser name: String) -> FieldValue {
        switch self {
        case .reference(var reference) where reference.recordName == CKCurrentUserDefaultName:
            reference.recordName = name
            return .reference(reference)
        case .list(let values, let type):
            return .list(values.map { $0.naming(currentUser: name) }, of: type)
        default:
            return self
        }
    }
}
