extension CKContainer {
    /// Runs code whose calls take the given configuration and group.
    @discardableResult
    public func configuredWith<R>(
        configuration: CKOperation.Configuration? = nil, group: CKOperationGroup? = nil,
        body: (_ configuredContainer: CKContainer) throws -> R
    ) rethrows -> R {
        try body(configured(configuration, group))
    }

    /// Runs code whose calls take the given configuration and group.
    @discardableResult
    public func configuredWith<R>(
        configuration: CKOperation.Configuration? = nil, group: CKOperationGroup? = nil,
        body: @Sendable (_ configuredContainer: CKContainer) async throws -> R
    ) async rethrows -> R {
        try await body(configured(configuration, group))
    }

    private func configured(_ configuration: CKOperation.Configuration?, _ group: CKOperationGroup?) -> CKContainer {
        CKContainer(core: core, defaults: defaults.overridden(by: configuration, group))
    }
}
