// The one place that knows which path, which request and which answer belong together.

extension Operation {
    /// `entity/action` of the path; of `courierPoll`, whose address is the `webcourierURL`, just a name.
    package var path: String {
        switch self {
        case .recordsModify: "records/modify"
        case .recordsLookup: "records/lookup"
        case .recordsQuery: "records/query"
        case .recordsChanges: "records/changes"
        case .changesDatabase: "changes/database"
        case .changesZone: "changes/zone"
        case .zonesList: "zones/list"
        case .zonesLookup: "zones/lookup"
        case .zonesModify: "zones/modify"
        case .zonesChanges: "zones/changes"
        case .usersCaller: "users/caller"
        case .usersCurrent: "users/current"
        case .usersDiscover: "users/discover"
        case .usersLookupEmail: "users/lookup/email"
        case .usersLookupID: "users/lookup/id"
        case .usersLookupContacts: "users/lookup/contacts"
        case .usersPermission: "users/permission"
        case .subscriptionsList: "subscriptions/list"
        case .subscriptionsLookup: "subscriptions/lookup"
        case .subscriptionsModify: "subscriptions/modify"
        case .assetsUpload: "assets/upload"
        case .assetsRereference: "assets/rereference"
        case .tokensCreate: "tokens/create"
        case .tokensRegister: "tokens/register"
        case .courierPoll: "courier/poll"
        }
    }

    /// The paths that this version serves; those whose calls need no body answer GET as well as POST.
    package static let paths: [(path: String, hasBody: Bool)] = [
        ("records/modify", true), ("records/lookup", true), ("records/query", true), ("records/changes", true),
        ("changes/database", true), ("changes/zone", true), ("zones/list", false), ("zones/lookup", true),
        ("zones/modify", true), ("zones/changes", true), ("users/caller", false), ("users/current", false),
        ("users/discover", false), ("users/lookup/email", true), ("users/lookup/id", true),
        ("users/lookup/contacts", false), ("users/permission", true),
        ("subscriptions/list", false), ("subscriptions/lookup", true), ("subscriptions/modify", true),
        ("assets/upload", true), ("assets/rereference", true), ("tokens/create", true), ("tokens/register", true),
    ]

    /// Whether the operation belongs to module `device`, whose paths have no database:
    /// `/device/1/{container}/{environment}/{entity}/{action}`. The server takes them under `/database/` too.
    package var isOfDevice: Bool {
        switch self {
        case .tokensCreate, .tokensRegister: true
        default: false
        }
    }

    /// The paths of module `device`.
    package static let devicePaths: Set<String> = ["tokens/create", "tokens/register"]

    /// The body of the request; nil where the call is a GET.
    package func encodeBody() -> [UInt8]? {
        var writer = JSONWriter()
        switch self {
        case .recordsModify(let request): request.encode(to: &writer)
        case .recordsLookup(let request): request.encode(to: &writer)
        case .recordsQuery(let request): request.encode(to: &writer)
        case .recordsChanges(let request): request.encode(to: &writer)
        case .changesDatabase(let request): request.encode(to: &writer)
        case .changesZone(let request): request.encode(to: &writer)
        case .zonesLookup(let request): request.encode(to: &writer)
        case .zonesModify(let request): request.encode(to: &writer)
        case .zonesChanges(let request): request.encode(to: &writer, tokenName: "metaSyncToken")
        case .subscriptionsLookup(let request): request.encode(to: &writer)
        case .subscriptionsModify(let request): request.encode(to: &writer)
        case .assetsUpload(let request): request.encode(to: &writer)
        case .assetsRereference(let request): request.encode(to: &writer)
        case .tokensCreate(let request): request.encode(to: &writer)
        case .tokensRegister(let request): request.encode(to: &writer)
        case .usersDiscover(let request?): request.encode(to: &writer, list: "lookupInfos")
        case .usersLookupEmail(let request), .usersLookupID(let request): request.encode(to: &writer, list: "users")
        case .usersPermission(let request): request.encode(to: &writer)
        case .zonesList, .usersCaller, .usersCurrent, .usersDiscover(nil), .usersLookupContacts, .subscriptionsList,
            .courierPoll:
            return nil
        }
        return writer.finish()
    }

    /// Reads the request of a path; nil for a path that is not served.
    ///
    /// - Throws: BAD_REQUEST for a malformed body.
    package init?(path: String, body: [UInt8]) throws(ServerError) {
        switch path {
        case "records/modify": self = .recordsModify(try .init(try Self.parse(body)))
        case "records/lookup": self = .recordsLookup(try .init(try Self.parse(body)))
        case "records/query": self = .recordsQuery(try .init(try Self.parse(body)))
        case "records/changes": self = .recordsChanges(try .init(try Self.parse(body)))
        case "changes/database": self = .changesDatabase(try .init(try Self.parse(body, orEmpty: true)))
        case "changes/zone": self = .changesZone(try .init(try Self.parse(body)))
        case "zones/lookup": self = .zonesLookup(try .init(try Self.parse(body)))
        case "zones/modify": self = .zonesModify(try .init(try Self.parse(body)))
        case "zones/changes":
            self = .zonesChanges(
                try .init(try Self.parse(body, orEmpty: true), tokenNames: ["metaSyncToken", "syncToken"]))
        case "zones/list": self = .zonesList
        case "users/caller": self = .usersCaller
        case "users/current": self = .usersCurrent
        case "users/discover":
            self = .usersDiscover(body.isEmpty ? nil : try .init(try Self.parse(body), list: "lookupInfos"))
        case "users/lookup/email": self = .usersLookupEmail(try .init(try Self.parse(body), list: "users"))
        case "users/lookup/id": self = .usersLookupID(try .init(try Self.parse(body), list: "users"))
        case "users/lookup/contacts": self = .usersLookupContacts
        case "users/permission": self = .usersPermission(try .init(try Self.parse(body)))
        case "subscriptions/list": self = .subscriptionsList
        case "subscriptions/lookup": self = .subscriptionsLookup(try .init(try Self.parse(body)))
        case "subscriptions/modify": self = .subscriptionsModify(try .init(try Self.parse(body)))
        case "assets/upload": self = .assetsUpload(try .init(try Self.parse(body)))
        case "assets/rereference": self = .assetsRereference(try .init(try Self.parse(body)))
        case "tokens/create": self = .tokensCreate(try .init(try Self.parse(body)))
        case "tokens/register": self = .tokensRegister(try .init(try Self.parse(body)))
        default: return nil
        }
    }

    private static func parse(_ body: [UInt8], orEmpty: Bool = false) throws(ServerError) -> JSONValue {
        do throws(JSONError) {
            let root = try JSONDocument(parsing: orEmpty && body.isEmpty ? Array("{}".utf8) : body).root
            guard root.object != nil else { throw JSONError.invalidStructure }
            return root
        } catch {
            throw .unexpectedInput
        }
    }
}

extension Answer {
    package func encode(to writer: inout JSONWriter) {
        switch self {
        case .recordsModify(let response), .recordsLookup(let response): response.encode(to: &writer)
        case .recordsQuery(let response): response.encode(to: &writer)
        case .recordsChanges(let response): response.encode(to: &writer)
        case .changesDatabase(let response): response.encode(to: &writer)
        case .changesZone(let response): response.encode(to: &writer)
        case .zones(let response): response.encode(to: &writer)
        case .zonesChanges(let response): response.encode(to: &writer, alsoMetaSyncToken: true)
        case .user(let response): response.encode(to: &writer)
        case .users(let response): response.encode(to: &writer)
        case .usersPermission(let status): status.encode(to: &writer)
        case .subscriptions(let response): response.encode(to: &writer)
        case .assetsUpload(let response): response.encode(to: &writer)
        case .assetsRereference(let response): response.encode(to: &writer)
        case .tokensCreate(let response): response.encode(to: &writer)
        case .courierPoll(let notification?): notification.encode(to: &writer)
        case .tokensRegister, .courierPoll(nil):
            writer.beginObject()
            writer.endObject()
        }
    }

    /// Reads the answer to `operation`.
    ///
    /// - Throws: the error that the answer consists of, or BAD_REQUEST if the body is no such answer.
    package init(to operation: Operation, body: [UInt8]) throws(ServerError) {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONDocument(parsing: body).root
        } catch {
            throw .unexpectedInput
        }
        if let error = ServerError(value) { throw error }
        switch operation {
        case .recordsModify: self = .recordsModify(try .init(value))
        case .recordsLookup: self = .recordsLookup(try .init(value))
        case .recordsQuery: self = .recordsQuery(try .init(value))
        case .recordsChanges: self = .recordsChanges(try .init(value))
        case .changesDatabase: self = .changesDatabase(try .init(value))
        case .changesZone: self = .changesZone(try .init(value))
        case .zonesList, .zonesLookup, .zonesModify: self = .zones(try .init(value))
        case .zonesChanges: self = .zonesChanges(try .init(value, tokenNames: ["metaSyncToken", "syncToken"]))
        case .usersCaller, .usersCurrent: self = .user(try .init(value))
        case .usersDiscover, .usersLookupEmail, .usersLookupID, .usersLookupContacts:
            self = .users(try .init(value))
        case .usersPermission: self = .usersPermission(try .init(value))
        case .subscriptionsList, .subscriptionsLookup, .subscriptionsModify: self = .subscriptions(try .init(value))
        case .assetsUpload: self = .assetsUpload(try .init(value))
        case .assetsRereference: self = .assetsRereference(try .init(value))
        case .tokensCreate: self = .tokensCreate(try .init(value))
        case .tokensRegister: self = .tokensRegister
        // Without news the answer is an empty object.
        case .courierPoll: self = .courierPoll(value.member("ck") == nil ? nil : try PushNotification(value))
        }
    }
}

extension Answer {
    /// About how many bytes of JSON it is: a buffer that doubles until 200 records fit has copied all of them once more.
    fileprivate var estimatedLength: Int {
        switch self {
        case .recordsModify(let response), .recordsLookup(let response): Self.length(of: response.records)
        case .recordsQuery(let response): Self.length(of: response.records)
        case .recordsChanges(let response): Self.length(of: response.records)
        case .changesZone(let response):
            response.zones.reduce(1024) { length, zone in
                if case .page(let page) = zone { length + Self.length(of: page.records) } else { length + 512 }
            }
        case .changesDatabase, .zones, .zonesChanges, .user, .users, .subscriptions, .assetsUpload, .assetsRereference:
            4096
        case .tokensCreate, .tokensRegister, .courierPoll, .usersPermission: 1024
        }
    }

    private static func length(of results: [RecordResult]) -> Int {
        results.reduce(512) { length, result in
            if case .record(let record) = result { length + record.estimatedLength } else { length + 512 }
        }
    }

    private static func length(of records: [Record]) -> Int {
        records.reduce(512) { $0 + $1.estimatedLength }
    }
}

extension Record {
    /// Its fields, and what comes with every record: names, stamps, zone.
    fileprivate var estimatedLength: Int { fields.jsonLength + 448 + 2 * recordName.utf8.count }
}

extension Reply {
    /// The HTTP status and body.
    package func encode() -> (status: Int, body: [UInt8]) {
        switch result {
        case .success(let answer):
            var writer = JSONWriter(capacity: answer.estimatedLength)
            answer.encode(to: &writer)
            return (200, writer.finish())
        case .failure(let error):
            var writer = JSONWriter()
            writer.error(error)
            return (error.code.status, writer.finish())
        }
    }
}
