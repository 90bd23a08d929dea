import CloudKit
import Synchronization
import WebServices

/// A device that reaches a `Cloud`, with or without an account.
///
/// Code that names its container itself runs on a device with `run`:
///
///     let phone = cloud.device(account: "alice")
///     try await phone.run {
///         let publisher = FieldGuidePublisher()       // makes a CKContainer(identifier:) inside
///         _ = try await publisher.publish(notebook)
///     }
public final class Device: Sendable {
    /// As it appears in the `deviceID` of what it saves.
    public let name: String
    package let connection: CloudConnection
    private let faults: FaultInjection

    init(name: String, account: String?, cloud: Cloud, transport: any Transport) {
        self.name = name
        faults = FaultInjection(transport, host: cloud.host)
        connection = CloudConnection(
            transport: faults, account: AccountSession(Self.credentials(account)), apiToken: cloud.apiToken,
            deviceID: name)
        cloud.host.watch(connection, faults)
    }

    private static func credentials(_ account: String?) -> StratusCloud.Account {
        account.map { .password(account: $0, password: "") } ?? .none
    }

    /// A container as this device sees it.
    public func container(_ identifier: String) -> CKContainer {
        CKContainer(identifier: identifier, connection: connection)
    }

    /// Runs code whose `CKContainer(identifier:)` talks through this device.
    ///
    /// - Parameter defaultContainer: What `CKContainer.default()` is meanwhile.
    /// Tasks begun inside belong to the device too, except detached ones; a container made inside stays with it.
    @discardableResult
    public func run<Value>(
        defaultContainer: String? = nil, isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Value
    ) async rethrows -> Value {
        try await CloudConnection.$current.withValue(connection) {
            try await CloudConnection.$defaultContainer.withValue(defaultContainer) {
                try await body()
            }
        }
    }

    // MARK: Account

    /// Signs in, in the place of whoever was.
    public func signIn(_ account: String) {
        connection.account.replace(with: Self.credentials(account))
    }

    public func signOut() {
        connection.account.replace(with: .none)
    }

    /// What the system says of the account: settings of the device, or a parent, may keep an app from it.
    public var accountStatus: CKAccountStatus {
        get {
            switch connection.account.status {
            case .available: .available
            case .noAccount: .noAccount
            case .restricted: .restricted
            case .couldNotDetermine: .couldNotDetermine
            case .temporarilyUnavailable: .temporarilyUnavailable
            }
        }
        set {
            let status: AccountSession.Status =
                switch newValue {
                case .available: .available
                case .noAccount: .noAccount
                case .restricted: .restricted
                case .couldNotDetermine: .couldNotDetermine
                case .temporarilyUnavailable: .temporarilyUnavailable
                }
            connection.account.setStatus(status)
        }
    }

    // MARK: Network

    /// Whether every request fails with `CKError.networkUnavailable`. Pushes do not come either; what they would have told
    /// comes when the network is back.
    public var isOffline: Bool {
        get { faults.isOffline }
        set {
            faults.isOffline = newValue
            connection.conditionsChanged()
        }
    }

    /// Lets the next request fail. Called several times, the following ones.
    public func failNext(_ fault: Fault) {
        faults.queue(fault)
    }

    /// Asked before each request of this device; nil lets it pass. Requests come one at a time.
    public func setFaults(_ faults: (@Sendable (Request) -> Fault?)?) {
        self.faults.setDecision(faults)
    }

    /// How many requests this device has made, failed ones among them.
    public var requestCount: Int { faults.requestCount }
}
