import Foundation
import Synchronization

/// The channels of one connection, one for each container in which something listens.
package final class PushChannels: Sendable {
    private let channels = Mutex<[String: PushChannel]>([:])

    init() {}

    /// What the channels are doing.
    package var phases: [PushChannel.Phase] { channels.withLock { $0.values.map(\.phase) } }

    /// Account or network are others than before.
    package func interrupt() {
        for channel in channels.withLock({ Array($0.values) }) { channel.interrupt() }
    }

    func observe(_ core: ContainerCore, _ listener: @escaping PushChannel.Listener) -> PushObservation {
        let id = UUID()
        channels.withLock { channels in
            if let channel = channels[core.identifier] { return channel.add(id, listener) }
            let channel = PushChannel(core)
            channel.add(id, listener)
            channels[core.identifier] = channel
            channel.start()
        }
        return PushObservation { [weak self] in self?.remove(id, core.identifier) }
    }

    private func remove(_ id: UUID, _ container: String) {
        let left = channels.withLock { channels -> PushChannel? in
            guard let channel = channels[container], channel.remove(id) else { return nil }
            channels[container] = nil
            return channel
        }
        left?.stop()
    }
}

/// Somebody who hears pushes, until it is cancelled or let go.
package final class PushObservation: Sendable {
    private let end: Mutex<(@Sendable () -> Void)?>

    init(_ end: @escaping @Sendable () -> Void) {
        self.end = Mutex(end)
    }

    package func cancel() {
        let end = self.end.withLock { end in
            defer { end = nil }
            return end
        }
        end?()
    }

    deinit { cancel() }
}
