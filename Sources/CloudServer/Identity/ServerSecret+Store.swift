import CloudStore

extension ServerSecret {
    private static let settingName = "server.secret"

    /// The secret of this store, made at its first use.
    init(_ control: ControlStore, random: RandomSource) throws {
        if let key = try control.setting(Self.settingName), key.count >= 32 {
            self.init(key: key)
        } else {
            let key = random.bytes(32)
            try control.setSetting(Self.settingName, key)
            self.init(key: key)
        }
    }
}
