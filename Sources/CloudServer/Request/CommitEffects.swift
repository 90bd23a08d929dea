import Synchronization
import WebServices

/// What a writing endpoint leaves to be done once its transaction is committed, and never when it is rolled back.
package final class CommitEffects: Sendable {
    private struct State {
        var newSchema: Schema?
        var changedZones: [ChangedZone] = []
        var subscriptions: [SubscriptionChange] = []
        var madePushTokens: [(address: PushAddress, inDoubt: Bool)] = []
        var droppedPushTokens: [String] = []
    }

    private let state = Mutex(State())
    /// How long the writer has had the request, in nanoseconds, over all of its runs.
    let writerTime = Atomic<UInt64>(0)

    package init() {}

    /// Types or fields came into being.
    package func schemaChanged(_ schema: Schema) {
        state.withLock { $0.newSchema = schema }
    }

    /// Something in a zone of a private database changed, or the zone came or went.
    func zoneChanged(_ zone: ChangedZone) {
        state.withLock { $0.changedZones.append(zone) }
    }

    /// The caller's subscriptions changed.
    func subscriptionChanged(_ change: SubscriptionChange) {
        state.withLock { $0.subscriptions.append(change) }
    }

    /// An address for pushes was made, or changed hands.
    ///
    /// - Parameter inDoubt: Whether its device may have missed something.
    func pushTokenMade(_ address: PushAddress, inDoubt: Bool) {
        state.withLock { $0.madePushTokens.append((address, inDoubt)) }
    }

    func pushTokenDropped(_ token: String) {
        state.withLock { $0.droppedPushTokens.append(token) }
    }

    /// A store may run an endpoint again, when its database chose the first run to give way to others.
    package func reset() {
        state.withLock { $0 = State() }
    }

    func carryOut(_ context: RequestContext, _ push: PushHub) {
        let state = state.withLock { $0 }
        if let schema = state.newSchema { context.schemas.publish(schema) }
        let realm = PushRealm(container: context.container, environment: context.environment)
        for token in state.droppedPushTokens { push.forget(PushAddressKey(realm: realm, token: token)) }
        for made in state.madePushTokens { push.remember(made.address, realm, inDoubt: made.inDoubt) }
        let owner = PushOwner(realm: realm, userRecordName: context.userRecordName)
        for change in state.subscriptions { push.subscriptionChanged(change, of: owner) }
        if !state.changedZones.isEmpty {
            push.zonesChanged(state.changedZones, of: owner, by: context.isNative ? context.deviceID : nil)
        }
    }
}
