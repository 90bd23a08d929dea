import Foundation

/// Hears the pushes of a container. CKSyncEngine and the app's own sequence stand on it; all that listen to one container
/// share one poll.
package enum PushListener {
    /// The pushes from now on. The first can come once the server knows this device's address, a moment later.
    package static func listen(_ container: CKContainer) -> AsyncStream<CKNotification> {
        // Whoever does not look for so long has to fetch everything anyway.
        let (stream, continuation) = AsyncStream.makeStream(
            of: CKNotification.self, bufferingPolicy: .bufferingNewest(256))
        let observation = observe(container.core) { event in
            if case .notification(let notification) = event { continuation.yield(notification) }
        }
        continuation.onTermination = { _ in observation.cancel() }
        return stream
    }

    /// Calls `listener` for each push and whatever else concerns them, on any thread, before the server is asked for the
    /// next one.
    ///
    /// - Returns: What keeps the listener; letting it go ends it.
    package static func observe(
        _ core: ContainerCore, _ listener: @escaping PushChannel.Listener
    ) -> Observation {
        let channels = (try? core.connection().pushChannels) ?? unconfigured
        return channels.observe(core, listener)
    }

    /// Channels of containers whose cloud was not known when they began to listen. They look for it again and again.
    private static let unconfigured = PushChannels(Activities())
}
