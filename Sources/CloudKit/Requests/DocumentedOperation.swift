import WebServices

extension WebServices.Operation {
    /// Records of one request, and of one page. [Apple:PropertyMetrics]
    private static let documentedLimit = 200

    /// What it says in CloudKit Web Services alone, without what Stratus adds to them.
    ///
    /// - Throws: `.limitExceeded` where it has more records than a request of that protocol may have, so that whoever
    ///   asks halves it, as after the same answer of a server; `.serverRejectedRequest` for what the protocol lacks.
    func asDocumented() throws(CKError) -> WebServices.Operation {
        switch self {
        case .recordsModify(var request):
            try Self.check(request.operations.count)
            for index in request.operations.indices {
                request.operations[index].record.fields = request.operations[index].record.fields.withoutExactValues
            }
            return .recordsModify(request)
        case .recordsLookup(let request):
            try Self.check(request.records.count)
            return self
        case .recordsQuery(var request):
            request.resultsLimit = Self.limited(request.resultsLimit)
            return .recordsQuery(request)
        case .recordsChanges(var request):
            request.resultsLimit = Self.limited(request.resultsLimit)
            return .recordsChanges(request)
        case .changesDatabase(var request):
            request.resultsLimit = Self.limited(request.resultsLimit)
            request.zonePages = []
            return .changesDatabase(request)
        case .changesZone(var request):
            request.resultsLimit = Self.limited(request.resultsLimit)
            for index in request.zones.indices {
                request.zones[index].resultsLimit = Self.limited(request.zones[index].resultsLimit)
            }
            return .changesZone(request)
        case .subscriptionsModify(var request):
            request.operations = request.operations.map { operation in
                switch operation {
                case .create(let subscription): .create(subscription.asDocumented)
                case .update(let subscription): .update(subscription.asDocumented)
                case .delete: operation
                }
            }
            return .subscriptionsModify(request)
        case .usersPermission:
            throw CKError(.serverRejectedRequest, reason: "CloudKit Web Services know no permissions of an app")
        default:
            return self
        }
    }

    private static func limited(_ limit: Int?) -> Int? { limit.map { min($0, documentedLimit) } }

    private static func check(_ count: Int) throws(CKError) {
        guard count <= documentedLimit else {
            throw CKError(
                .limitExceeded,
                reason: "A request to CloudKit Web Services has at most \(documentedLimit) records, not \(count)")
        }
    }
}

extension Subscription {
    /// Without what only the native framework knows of how a push presents itself.
    fileprivate var asDocumented: Subscription {
        var subscription = self
        subscription.notificationInfo?.title = nil
        subscription.notificationInfo?.titleLocalizationKey = nil
        subscription.notificationInfo?.titleLocalizationArgs = nil
        subscription.notificationInfo?.subtitle = nil
        subscription.notificationInfo?.subtitleLocalizationKey = nil
        subscription.notificationInfo?.subtitleLocalizationArgs = nil
        subscription.notificationInfo?.collapseIDKey = nil
        subscription.notificationInfo?.shouldSendMutableContent = false
        return subscription
    }
}
