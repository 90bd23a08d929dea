import CloudStore

extension ServerSecret {
    private static let settingName = "server.secret"

    /// The secret of this store, made at its first use.
    init(_ control: ControlStore, random: RandomSource) throws {
        self.init(key: try control.setting(Self.settingName, orSet: random.bytes(32)))
    }
}
