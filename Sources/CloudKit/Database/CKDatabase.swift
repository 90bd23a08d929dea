import Foundation
import WebServices

/// One of a container's three databases.
open class CKDatabase: NSObject, @unchecked Sendable {
    // Unchecked: `open` forbids a checked conformance; every member is a constant of a Sendable type.

    public enum Scope: Int, Sendable {
        case `public` = 1
        case `private` = 2
        case shared = 3

        package init(wire scope: DatabaseScope) {
            switch scope {
            case .public: self = .public
            case .private: self = .private
            case .shared: self = .shared
            }
        }

        package var wire: DatabaseScope {
            switch self {
            case .public: .public
            case .private: .private
            case .shared: .shared
            }
        }
    }

    public let databaseScope: Scope
    package let core: ContainerCore
    let defaults: OperationDefaults

    init(core: ContainerCore, scope: Scope, defaults: OperationDefaults) {
        self.core = core
        databaseScope = scope
        self.defaults = defaults
        super.init()
    }

    /// Starts an operation in this database, on a queue of the container's own.
    public func add(_ operation: CKDatabaseOperation) {
        operation.adopt(self)
        core.operationQueue.addOperation(operation)
    }

    /// Convenience calls run at user-initiated quality of service, unless configured otherwise.
    package func session() throws(CKError) -> DatabaseSession {
        let resolved = defaults.resolved(for: nil, group: nil, qualityOfService: .userInitiated)
        return DatabaseSession(core: core, scope: databaseScope, options: resolved)
    }
}

extension CKDatabase {
    /// Runs code whose calls take the given configuration and group.
    @discardableResult
    public func configuredWith<R>(
        configuration: CKOperation.Configuration? = nil, group: CKOperationGroup? = nil,
        body: (_ configuredDatabase: CKDatabase) throws -> R
    ) rethrows -> R {
        try body(configured(configuration, group))
    }

    /// Runs code whose calls take the given configuration and group.
    @discardableResult
    public func configuredWith<R>(
        configuration: CKOperation.Configuration? = nil, group: CKOperationGroup? = nil,
        body: @Sendable (_ configuredDatabase: CKDatabase) async throws -> R
    ) async rethrows -> R {
        try await body(configured(configuration, group))
    }

    private func configured(_ configuration: CKOperation.Configuration?, _ group: CKOperationGroup?) -> CKDatabase {
        CKDatabase(core: core, scope: databaseScope, defaults: defaults.overridden(by: configuration, group))
    }
}
