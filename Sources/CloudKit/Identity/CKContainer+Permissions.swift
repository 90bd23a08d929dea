import Foundation
import WebServices

extension CKContainer {
    /// What an app may ask its user for.
    public struct ApplicationPermissions: OptionSet, Sendable {
        public let rawValue: UInt

        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Others who use the app may find the user.
        public static let userDiscoverability = ApplicationPermissions(rawValue: 1 << 0)
    }

    public enum ApplicationPermissionStatus: Int, Sendable {
        /// The user has not been asked.
        case initialState = 0
        case couldNotComplete = 1
        case denied = 2
        case granted = 3
    }

    public typealias ApplicationPermissionBlock = @Sendable (ApplicationPermissionStatus, (any Error)?) -> Void

    public func applicationPermissionStatus(
        for applicationPermission: ApplicationPermissions
    ) async throws -> ApplicationPermissionStatus {
        try await permission(applicationPermission, requests: false)
    }

    public func status(
        forApplicationPermission applicationPermission: ApplicationPermissions,
        completionHandler: @escaping ApplicationPermissionBlock
    ) {
        call(completionHandler) { try await self.applicationPermissionStatus(for: applicationPermission) }
    }

    /// Lets others find the user, unless the user has refused that on their account page.
    ///
    /// No system asks the user here: an app does that itself before it calls this.
    public func requestApplicationPermission(
        _ applicationPermission: ApplicationPermissions
    ) async throws -> ApplicationPermissionStatus {
        try await permission(applicationPermission, requests: true)
    }

    public func requestApplicationPermission(
        _ applicationPermission: ApplicationPermissions, completionHandler: @escaping ApplicationPermissionBlock
    ) {
        call(completionHandler) { try await self.requestApplicationPermission(applicationPermission) }
    }

    private func call(
        _ handler: @escaping ApplicationPermissionBlock,
        _ body: @escaping @Sendable () async throws -> ApplicationPermissionStatus
    ) {
        Callback.run({ try await body() }) { (result: Result<ApplicationPermissionStatus, any Error>) in
            switch result {
            case .success(let status): handler(status, nil)
            case .failure(let error): handler(.couldNotComplete, error)
            }
        }
    }

    private func permission(
        _ permission: ApplicationPermissions, requests: Bool
    ) async throws -> ApplicationPermissionStatus {
        guard permission == .userDiscoverability else {
            throw CKError(.invalidArguments, reason: "The only permission is userDiscoverability")
        }
        let session = try session(.public)
        _ = try await session.userRecordName()
        let request = UsersPermission.Request(requests: requests)
        guard case .usersPermission(let status) = try await session.answer(to: .usersPermission(request)) else {
            throw CKError.unexpectedAnswer
        }
        switch status {
        case .initial: return .initialState
        case .granted: return .granted
        case .denied: return .denied
        }
    }
}
