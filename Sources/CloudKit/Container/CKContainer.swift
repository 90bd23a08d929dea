import Foundation
import Synchronization
import WebServices

/// A container: an app's part of the cloud, with its public, private and shared databases.
///
/// Which server it lives on is told by its surroundings or by code: see `StratusCloud`.
open class CKContainer: NSObject, @unchecked Sendable {
    // Unchecked: `open` forbids a checked conformance; every member is a constant of a Sendable type.

    package let core: ContainerCore
    package let defaults: OperationDefaults
    /// The current user's private database. Custom zones, change tokens and sharing live here.
    public let privateCloudDatabase: CKDatabase
    /// The database that all users of the app read.
    public let publicCloudDatabase: CKDatabase
    /// What other users share with this one.
    public let sharedCloudDatabase: CKDatabase

    package init(core: ContainerCore, defaults: OperationDefaults = OperationDefaults()) {
        self.core = core
        self.defaults = defaults
        privateCloudDatabase = CKDatabase(core: core, scope: .private, defaults: defaults)
        publicCloudDatabase = CKDatabase(core: core, scope: .public, defaults: defaults)
        sharedCloudDatabase = CKDatabase(core: core, scope: .shared, defaults: defaults)
        super.init()
    }

    /// A container by name.
    ///
    /// Never fails: a cloud that cannot be found or reached shows in the errors of the calls.
    public convenience init(identifier containerIdentifier: String) {
        self.init(core: ContainerCore(identifier: containerIdentifier, source: .surroundings()))
        // From now on it is noticed who signs in and out. [Apple:CKAccountChanged]
        _ = try? core.connection()
    }

    /// The app's first container: the first of `com.apple.developer.icloud-container-identifiers` in an `.entitlements`
    /// property list beside the program, in its resources or in the working directory, unless the environment variable
    /// `STRATUS_CONTAINER` names one.
    ///
    /// Stops the program where there is none, as Apple's framework does without the entitlement.
    public class func `default`() -> CKContainer {
        guard let identifier = CloudConnection.defaultContainer ?? Entitlements.firstContainer() else {
            preconditionFailure(
                """
                CKContainer.default() needs a container: set STRATUS_CONTAINER, or put an .entitlements property list \
                with \(Entitlements.containersKey) beside the program
                """)
        }
        // A device of a test is told from the task; the program's own default container is one object.
        guard CloudConnection.current == nil else { return CKContainer(identifier: identifier) }
        return defaultContainers.withLock { containers in
            if let known = containers[identifier] { return known }
            let container = CKContainer(identifier: identifier)
            containers[identifier] = container
            return container
        }
    }

    private static let defaultContainers = Mutex<[String: CKContainer]>([:])

    public var containerIdentifier: String? { core.identifier }

    /// The same object as the property of that database.
    public func database(with databaseScope: CKDatabase.Scope) -> CKDatabase {
        switch databaseScope {
        case .public: publicCloudDatabase
        case .private: privateCloudDatabase
        case .shared: sharedCloudDatabase
        }
    }

    /// Starts an operation in this container, on a queue of the container's own.
    public func add(_ operation: CKOperation) {
        operation.adopt(self)
        core.operationQueue.addOperation(operation)
    }
}

extension ContainerCore.Source {
    /// The test's device that the current task runs in, else environment and file.
    package static func surroundings() -> ContainerCore.Source {
        if let connection = CloudConnection.current { return .connection(connection) }
        return .surroundings
    }
}
