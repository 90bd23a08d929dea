import WebServices

extension CloudServer {
    /// The endpoint of each operation: one type each.
    static func endpoint(for operation: Operation) -> RoutedEndpoint {
        switch operation {
        case .recordsModify(let request): .writes(RecordsModifyEndpoint(request))
        case .recordsLookup(let request): .reads(RecordsLookupEndpoint(request))
        case .usersCaller, .usersCurrent: .stateless(UsersCallerEndpoint())
        case .recordsQuery, .recordsChanges, .changesDatabase, .changesZone: .stateless(UnknownEndpoint())
        case .zonesList, .zonesLookup, .zonesModify, .zonesChanges: .stateless(UnknownEndpoint())
        }
    }
}

/// Answers for an operation that this server does not have.
struct UnknownEndpoint: StatelessEndpoint {
    func run(_ context: RequestContext) throws(ServerError) -> Answer {
        throw ServerError(.notFound, "could not find handler for endpoint")
    }
}
