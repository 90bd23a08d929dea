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
    ///
    /// A device that has listened before, under the same name, hears what it missed.
    public var notifications: AsyncStream<CKNotification> {
        PushListener.listen(self)
    }

    /// What keeps pushes from coming at the moment: no network, no account, a server that is not there. nil while they
    /// come, and where nothing listens. Not part of Apple's framework.
    ///
    /// Nothing has to be done about it: waiting for pushes goes on by itself when the cause is gone.
    public var notificationFailure: CKError? {
        do throws(CKError) {
            return try core.connection().pushChannels.failure(of: core.identifier)
        } catch {
            return error
        }
    }
}
