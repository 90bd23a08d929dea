import Foundation
import WebServices

/// Turns a query into what the wire can ask.
struct QueryTranslation {
    let query: CKQuery

    init(_ query: CKQuery) { self.query = query }

    func query(currentUser: () async throws(CKError) -> String) async throws(CKError) -> RecordsQuery.Query {
        guard query.predicate.isEqual(NSPredicate(value: true)), query.sortDescriptors?.isEmpty ?? true else {
            throw CKError(.invalidArguments, reason: "Predicates are not translated yet")
        }
        return RecordsQuery.Query(recordType: query.recordType)
    }
}
