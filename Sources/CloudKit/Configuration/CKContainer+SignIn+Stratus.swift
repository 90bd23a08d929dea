import Foundation
import WebServices

// Signing in, which Apple's systems do outside of apps. Not part of Apple's framework.

extension CKContainer {
    /// Where a person signs in with a browser. At its end the browser hands a web token to the address that belongs to the
    /// API token, as `ckWebAuthToken`; give it to `signIn(webAuthToken:)`. [Apple:SettingUpWebServices]
    ///
    /// - Returns: nil where somebody is signed in.
    /// - Throws: `CKError`, `.notAuthenticated` where the server does not know the API token.
    public func signInURL() async throws -> URL? {
        do throws(CKError) {
            _ = try await session(.public).answer(to: .usersCaller)
            return nil
        } catch {
            guard let url = error.signInURL else { throw error }
            return url
        }
    }

    /// Signs a person in, in every container of the same cloud and account; whoever was signed in is out. Posts
    /// `CKAccountChanged`.
    ///
    /// The token is replaced as it ages; `webAuthToken` is what to keep for the next launch.
    public func signIn(webAuthToken: String) throws {
        try core.connection().account.replace(with: .webAuthToken(webAuthToken))
    }

    /// Forgets who is signed in, on this device. Posts `CKAccountChanged`.
    public func signOut() throws {
        try core.connection().account.replace(with: .none)
    }

    /// The newest web token of whoever is signed in; nil without one.
    public var webAuthToken: String? {
        get throws { try core.connection().account.token }
    }
}

extension CKError {
    /// With `.notAuthenticated`: where a person signs in, if the server said.
    public var signInURL: URL? { (userInfo[Self.redirectURLKey] as? String).flatMap(URL.init(string:)) }
}
