import Foundation
import WebServices

/// Whether the user's account can be used.
public enum CKAccountStatus: Int, Sendable {
    case couldNotDetermine = 0
    case available = 1
    case restricted = 2
    case noAccount = 3
    case temporarilyUnavailable = 4
}

extension CKContainer {
    /// Whether somebody is signed in.
    ///
    /// As on Apple's systems this is what the device knows: it needs no network once a token is at hand. A token that the
    /// server refuses, or a password that was good before, makes it `.noAccount`.
    @discardableResult
    public func accountStatus() async throws -> CKAccountStatus {
        let connection = try core.connection()
        switch connection.account.status {
        case .noAccount: return .noAccount
        case .restricted: return .restricted
        case .couldNotDetermine: return .couldNotDetermine
        case .temporarilyUnavailable: return .temporarilyUnavailable
        case .available: break
        }
        if connection.account.userRecordName != nil { return .available }
        do {
            _ = try await session(.private).userRecordName()
            return .available
        } catch {
            switch error.code {
            case .notAuthenticated: return .noAccount
            case .networkUnavailable, .networkFailure, .serviceUnavailable, .requestRateLimited, .serverResponseLost:
                // Offline at launch: an account with a token from before counts as signed in.
                if connection.account.hasToken { return .available }
                throw error
            default: throw error
            }
        }
    }

    public func accountStatus(completionHandler: @escaping @Sendable (CKAccountStatus, (any Error)?) -> Void) {
        Callback.run({ try await self.accountStatus() }) { result in
            switch result {
            case .success(let status): completionHandler(status, nil)
            case .failure(let error): completionHandler(.couldNotDetermine, error)
            }
        }
    }

    /// The identifier of the current user's record in the public database.
    ///
    /// - Throws: `.notAuthenticated` without an account.
    @discardableResult
    public func userRecordID() async throws -> CKRecord.ID {
        CKRecord.ID(recordName: try await session(.private).userRecordName())
    }

    public func fetchUserRecordID(completionHandler: @escaping @Sendable (CKRecord.ID?, (any Error)?) -> Void) {
        Callback.run({ try await self.userRecordID() }, completionHandler)
    }

    func session(_ scope: CKDatabase.Scope) throws(CKError) -> DatabaseSession {
        try database(with: scope).session()
    }
}
