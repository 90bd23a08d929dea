import Foundation

extension CKContainer {
    /// The pushes of this container's subscriptions. Not part of Apple's framework, where the system hands them to the
    /// app's delegate.
    ///
    ///     for await notification in container.notifications {
    ///         if let change = notification as? CKDatabaseNotification { … }
    ///     }
    ///
    /// Each access begins to listen and gives a sequence of its own, which ends with its task. All share one connection to
    /// the server, which is made anew after every failure. A push may be late, come twice or stand for several changes,
    /// and this device is not told of its own; so fetch once after beginning to listen, and then whenever one comes.
    public var notifications: AsyncStream<CKNotification> {
        PushListener.listen(self)
    }
}
