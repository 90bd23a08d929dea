import CloudServer

extension Cloud {
    /// Erases what an account has in its private database of a container, as its user does in the system's settings.
    ///
    /// Its zones go with the reason `.purged`: apps that hear of it throw away what they have of them.
    ///
    /// - Parameters:
    ///   - account: as devices sign in with it. One that nobody used yet has nothing to erase.
    ///   - container: its identifier.
    public func eraseData(of account: String, in container: String) throws {
        try whereUsed { try server.erase(account: account, in: container) }
    }

    /// Resets an account's encrypted data in a container, as its user does who has lost every device that knew its key.
    ///
    /// Zones that hold encrypted values go with the reason `.encryptedDataReset`: apps that hear of it make them again and
    /// upload what they have. Other zones stay.
    ///
    /// - Parameters:
    ///   - account: as devices sign in with it.
    ///   - container: its identifier.
    public func resetEncryptedData(of account: String, in container: String) throws {
        try whereUsed { try server.resetEncryptedData(ofAccount: account, in: container) }
    }

    /// Accounts and containers come into being when they are first used.
    private func whereUsed(_ erase: () throws -> [Administration.Erased]) throws {
        do { _ = try erase() } catch AdministrationError.noAccount, AdministrationError.noContainer {}
    }
}
