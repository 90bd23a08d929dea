import Foundation
import Synchronization

/// The channels of one connection, one for each container in which something listens.
package final class PushChannels: Sendable {
    private let channels = Mutex<[String: PushChannel]>([:])
    private let activities: Activities

    init(_ activities: Activities) {
        self.activities = activities
    }

    /// What the channels are doing, by container.
    package var phases: [String: PushChannel.Phase] { channels.withLock { $0.mapValues(\.phase) } }

    /// What keeps a container's pushes from coming; nil while they come, and where nothing listens.
    package func failure(of container: String) -> CKError? { channels.withLock { $0[container] }?.failure }

    /// Account or network are others than before.
    package func interrupt() {
        for channel in channels.withLock({ Array($0.values) }) { channel.interrupt() }
    }

    func observe(_ core: ContainerCore, _ listener: @escaping PushChannel.Listener) -> Observation {
        let id = UUID()
        channels.withLock { channels in
            if let channel = channels[core.identifier] { return channel.add(id, listener) }
            let channel = PushChannel(core, activities)
            channel.add(id, listener)
            channels[core.identifier] = channel
            channel.start()
        }
        return Observation { [weak self] in self?.remove(id, core.identifier) }
    }

    private func remove(_ id: UUID, _ container: String) {
        let left = channels.withLock { channels -> PushChannel? in
            guard let channel = channels[container], channel.remove(id) else { return nil }
            channels[container] = nil
            return channel
        }
        left?.stop()
        activities.changed()
    }
}
