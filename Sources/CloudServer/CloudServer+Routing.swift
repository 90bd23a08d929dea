import WebServices

extension CloudServer {
    /// The endpoint of each operation: one type each.
    static func endpoint(for operation: Operation) -> RoutedEndpoint {
        switch operation {
        case .recordsModify(let request): .writes(RecordsModifyEndpoint(request))
        case .recordsLookup(let request): .reads(RecordsLookupEndpoint(request))
        case .usersCaller, .usersCurrent: .reads(UsersCallerEndpoint())
        case .usersDiscover(let request): .stateless(UsersDiscoverEndpoint(lookupInfos: request?.lookupInfos))
        case .usersLookupEmail(let request), .usersLookupID(let request):
            .stateless(UsersDiscoverEndpoint(lookupInfos: request.lookupInfos))
        case .usersLookupContacts: .stateless(UsersDiscoverEndpoint(lookupInfos: nil))
        case .usersPermission(let request): .reads(UsersPermissionEndpoint(request: request))
        case .recordsQuery(let request): .reads(RecordsQueryEndpoint(request))
        case .recordsChanges(let request): .reads(RecordsChangesEndpoint(request))
        case .changesZone(let request): .reads(ChangesZoneEndpoint(request))
        case .changesDatabase(let request):
            .reads(ChangesDatabaseEndpoint(request) { .changesDatabase($0) })
        case .zonesChanges(let request):
            .reads(ChangesDatabaseEndpoint(request) { .zonesChanges($0) })
        case .zonesList: .reads(ZonesListEndpoint())
        case .zonesLookup(let request): .reads(ZonesLookupEndpoint(request))
        case .zonesModify(let request): .writes(ZonesModifyEndpoint(request))
        case .subscriptionsList: .reads(SubscriptionsListEndpoint())
        case .subscriptionsLookup(let request): .reads(SubscriptionsLookupEndpoint(request))
        case .subscriptionsModify(let request): .writes(SubscriptionsModifyEndpoint(request))
        case .assetsUpload(let request): .reads(AssetsUploadEndpoint(request))
        case .assetsRereference(let request): .reads(AssetsRereferenceEndpoint(request))
        case .tokensCreate(let request): .writes(TokensCreateEndpoint(request))
        case .tokensRegister(let request): .writes(TokensRegisterEndpoint(request))
        // Its answer comes later: it never gets here (CloudServer+Push.swift).
        case .courierPoll: .stateless(MisplacedPollEndpoint())
        }
    }
}
