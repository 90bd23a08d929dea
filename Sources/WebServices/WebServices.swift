// WebServices: CloudKit Web Services as Swift values, and their JSON.
//
// The client builds a `Call`; a transport carries it, either encoded over HTTP or as it is to a server in the same
// process; the server returns a `Reply`. Each endpoint is one file under Endpoints/ with its request, its response
// and their JSON. This module knows neither how a record is stored nor what an app calls it.

import Foundation

/// One request to the cloud, as typed values: what an HTTP transport encodes and an in-process transport hands over.
package struct Call: Sendable {
    package var container: String
    package var environment: CloudEnvironment
    package var database: DatabaseScope
    package var credentials: Credentials
    package var client: ClientKind
    package var operation: Operation
    /// The query parameter `getCurrentSyncToken=true`: query, lookup and modify then also return the zone's token.
    package var wantsSyncToken: Bool
    /// What the request was addressed to, as in `https://cloud.example`: where addresses in the answer begin when none is
    /// configured. nil in the server's own process.
    package var root: String?

    package init(
        container: String, environment: CloudEnvironment = .development, database: DatabaseScope,
        credentials: Credentials = Credentials(), client: ClientKind = .webServices, operation: Operation,
        wantsSyncToken: Bool = false, root: String? = nil
    ) {
        self.container = container
        self.environment = environment
        self.database = database
        self.credentials = credentials
        self.client = client
        self.operation = operation
        self.wantsSyncToken = wantsSyncToken
        self.root = root
    }
}

/// Every endpoint with its request. The raw path lives in `Operation.path`.
package enum Operation: Sendable {
    case recordsModify(RecordsModify.Request)
    case recordsLookup(RecordsLookup.Request)
    case recordsQuery(RecordsQuery.Request)
    case recordsChanges(RecordsChanges.Request)
    case changesDatabase(ChangesDatabase.Request)
    case changesZone(ChangesZone.Request)
    case zonesList
    case zonesLookup(ZonesLookup.Request)
    case zonesModify(ZonesModify.Request)
    case zonesChanges(ZonesChanges.Request)
    case usersCaller
    case usersCurrent
    /// nil asks for everybody whom the caller's address book holds.
    case usersDiscover(UsersDiscover.Request?)
    case usersLookupEmail(UsersDiscover.Request)
    case usersLookupID(UsersDiscover.Request)
    case usersLookupContacts
    case usersPermission(UsersPermission.Request)
    case subscriptionsList
    case subscriptionsLookup(SubscriptionsLookup.Request)
    case subscriptionsModify(SubscriptionsModify.Request)
    case assetsUpload(AssetsUpload.Request)
    case assetsRereference(AssetsRereference.Request)
    case tokensCreate(TokensCreate.Request)
    case tokensRegister(TokensRegister.Request)
    /// Over HTTP a GET on `webcourierURL`; in the same process the handler responds when there is something to say. The
    /// courier token is all the proof that is needed.
    case courierPoll(CourierPoll.Request)
}

/// The answer to the operation of the same name.
package enum Answer: Sendable {
    case recordsModify(RecordsModify.Response)
    case recordsLookup(RecordsLookup.Response)
    case recordsQuery(RecordsQuery.Response)
    case recordsChanges(RecordsChanges.Response)
    case changesDatabase(ChangesDatabase.Response)
    case changesZone(ChangesZone.Response)
    case zones(ZonesResponse)
    case zonesChanges(ZonesChanges.Response)
    case user(UserResponse)
    case users(UsersDiscover.Response)
    case usersPermission(UsersPermission.Status)
    case subscriptions(SubscriptionsResponse)
    case assetsUpload(AssetsUpload.Response)
    case assetsRereference(AssetsRereference.Response)
    case tokensCreate(TokensCreate.Response)
    case tokensRegister
    /// nil when time passed without news: poll again.
    case courierPoll(PushNotification?)
}

/// What comes back for a `Call`: an answer, or one error for the request as a whole.
package struct Reply: Sendable {
    package var result: Result<Answer, ServerError>
    /// The rotated token of header `X-Apple-CloudKit-Web-Auth-Token`; present once authentication has succeeded, even
    /// beside an error.
    package var webAuthToken: String?

    package init(_ result: Result<Answer, ServerError>, webAuthToken: String? = nil) {
        self.result = result
        self.webAuthToken = webAuthToken
    }
}

/// Something that answers calls: a server in this process, or a stand-in for one. `respond` is called exactly once, on
/// any thread, possibly before the handler returns.
package typealias CallHandler = @Sendable (Call, _ respond: @escaping @Sendable (Reply) -> Void) -> Void

package enum DatabaseScope: String, Sendable, Hashable, CaseIterable {
    case `public`, `private`, shared
}

package enum CloudEnvironment: String, Sendable, Hashable, CaseIterable, Codable {
    case development, production
}

/// What a caller proves itself with.
package struct Credentials: Sendable, Hashable {
    /// Query parameter `ckAPIToken`: 64 hexadecimal characters.
    package var apiToken: String?
    /// Query parameter `ckWebAuthToken`.
    package var webAuthToken: String?
    /// A server's signature, in place of both.
    package var signature: RequestSignature?

    package init(apiToken: String? = nil, webAuthToken: String? = nil, signature: RequestSignature? = nil) {
        self.apiToken = apiToken
        self.webAuthToken = webAuthToken
        self.signature = signature
    }
}

/// How another server signed a request with its key. [Apple:SettingUpWebServices]
package struct RequestSignature: Sendable, Hashable {
    /// Header `X-Apple-CloudKit-Request-KeyID`.
    package var keyID: String
    /// Header `X-Apple-CloudKit-Request-ISO8601Date`.
    package var date: String
    /// Header `X-Apple-CloudKit-Request-SignatureV1`: base64 of the signature in ASN.1 DER.
    package var signature: String
    /// The texts that it may be a signature of: clients differ in what they sign.
    package var messages: [[UInt8]]

    package init(keyID: String, date: String, signature: String, messages: [[UInt8]]) {
        self.keyID = keyID
        self.date = date
        self.signature = signature
        self.messages = messages
    }
}

/// Who speaks. The native framework has other limits than the web protocol (400 operations and 2 MB against 200), and
/// reads extra keys that foreign clients with strict models would refuse; it says so in the header `X-Stratus-Client`.
package enum ClientKind: Sendable, Hashable {
    case webServices
    /// Our `import CloudKit`. The identifier names the device and appears as `deviceID` of what it saves.
    case native(deviceID: String)
}
