import CloudServer
import Foundation
import WebServices

@testable import CloudKit

/// Runs a script: devices with sync engines, a server, a bad network, and somebody who keeps the ledger. One thing happens
/// after another, without Swift concurrency, so that the same script takes the same steps.
final class EngineWorld {
    let script: EngineScript
    private let network: EngineNetwork
    private(set) var devices: [EngineDevice] = []
    private var nextValue: Int64 = 0

    var trace: [String] { network.trace }

    init(_ script: EngineScript, wrap: @escaping (@escaping CallHandler) -> CallHandler = { $0 }) throws {
        self.script = script
        network = try EngineNetwork(seed: script.seed, devices: script.devices.count, wrap: wrap)
        for (index, description) in script.devices.enumerated() {
            devices.append(EngineDevice(index: index, description, network: network))
        }
    }

    /// - Throws: `Violation` for what must not happen.
    func run() throws {
        // Each has a subscription before the first backup, as any device has that was ever online.
        try heal()
        for action in script.actions {
            network.trace.append("\(action)")
            try perform(action)
            network.deliverLate()
            for device in devices { network.collect(device) }
            if let violation = network.violation { throw violation }
        }
        try heal()
    }

    private func perform(_ action: EngineAction) throws {
        switch action {
        case .write(let index, let zone, let number): write(devices[index], zone, "lasting-\(number)")
        case .writeTogether(let zone, let number):
            for device in devices { write(device, zone, "lasting-\(number)") }
        case .writeElsewhere(let user, let zone, let number):
            nextValue += 1
            network.writeElsewhere(
                CKRecord.ID(recordName: "lasting-\(number)", zoneID: zone.zoneID), nextValue, of: user)
        case .writeMortal(let index, let zone, let owner, let number):
            writeMortal(devices[index], zone, owner, number)
        case .erase(let index, let zone, let number): erase(devices[index], zone, number)
        case .deleteZone(let index, let zone):
            if !devices[index].isChangingAccount { devices[index].deleteZone(zone.zoneID) }
        case .signOut(let index): devices[index].signIn(nil)
        case .signIn(let index, let user): devices[index].signIn(user.rawValue)
        case .fetch(let index): devices[index].begin(.fetch)
        case .send(let index): devices[index].begin(.send)
        case .wake(let index): devices[index].wake()
        case .step(let index, let count): for _ in 0..<count { devices[index].step() }
        case .crash(let index): devices[index].crash()
        case .wait(let seconds): network.pass(Double(seconds))
        case .listen(let index): network.listen(devices[index])
        case .deliverPush(let index): deliverPush(devices[index])
        case .repeatPush(let index):
            if !devices[index].courier.arrived.isEmpty { devices[index].serverMayHaveChanges() }
        case .losePush(let index): devices[index].courier.arrived = []
        case .fault(let index, let fault): network.arm(fault, for: index)
        case .partition(let index): network.partition(index)
        case .reconnect(let index): network.reconnect(index)
        default: try performOnServer(action)
        }
    }

    private func performOnServer(_ action: EngineAction) throws {
        switch action {
        case .restartServer: network.restart()
        case .limitItems(let count): network.restart { $0.items = count }
        case .fillAccount: network.restart { $0.quota = 1 }
        case .emptyAccount: network.restart { $0.quota = nil }
        case .expireTombstones:
            try network.server.expireTombstones()
            network.ledger.forgetsReasons()
        case .removeZone(let user, let zone, let removal): try network.removeZone(user, zone, removal)
        case .eraseData(let user): try network.erase(user, .purged)
        case .resetEncryptedData(let user): try network.erase(user, .encryptedDataReset)
        case .backUp:
            try network.server.backUp()
            network.ledger.backUp()
        case .restore:
            guard network.ledger.hasBackup else { return }
            try network.server.restore()
            network.ledger.restore()
        default: try heal()
        }
    }

    // MARK: People

    private func write(_ device: EngineDevice, _ zone: EngineAction.Zone, _ name: String) {
        guard !device.isDeleting(zone.zoneID), !device.isChangingAccount else { return }
        let recordID = CKRecord.ID(recordName: name, zoneID: zone.zoneID)
        nextValue += 1
        network.ledger.writes(device.index, recordID, nextValue, of: device.owner)
        device.write(recordID, nextValue)
    }

    private func writeMortal(_ device: EngineDevice, _ zone: EngineAction.Zone, _ owner: Int, _ number: Int) {
        let recordID = CKRecord.ID(recordName: "mortal-\(owner)-\(number)", zoneID: zone.zoneID)
        guard owner == device.index || device.now.known[recordID] != nil, !device.now.erased.contains(recordID),
            // The name of a deleted note is not used again.
            !EngineAction.User.allCases.contains(where: { network.ledger.isErased(recordID, of: $0.rawValue) })
        else { return }
        write(device, zone, recordID.recordName)
    }

    private func erase(_ device: EngineDevice, _ zone: EngineAction.Zone, _ number: Int) {
        let recordID = CKRecord.ID(recordName: "mortal-\(device.index)-\(number)", zoneID: zone.zoneID)
        guard device.now.known[recordID] != nil, !device.isDeleting(zone.zoneID), !device.isChangingAccount else {
            return
        }
        network.ledger.erases(device.index, recordID)
        device.erase(recordID)
    }

    private func deliverPush(_ device: EngineDevice) {
        guard !device.courier.arrived.isEmpty else { return }
        device.courier.lastNotificationID = device.courier.arrived.removeFirst().notificationID
        device.serverMayHaveChanges()
        network.listen(device)
    }

    // MARK: Rest

    /// No more faults. Nobody is told to do anything: pushes come, time passes, and the engines' own schedules must bring
    /// everybody to what the server has.
    private func heal() throws {
        network.heal()
        network.deliverLate(all: true)
        network.restart { $0.quota = nil }
        for device in devices where device.user == nil { device.signIn(script.devices[device.index].user.rawValue) }
        for device in devices { device.drain() }
        var rounds = 0
        while true {
            for device in devices {
                network.listen(device)
                while !device.courier.arrived.isEmpty { deliverPush(device) }
            }
            if let violation = network.violation { throw violation }
            guard let delay = devices.compactMap({ $0.schedule.delay(now: network.time) }).min() else { break }
            // Floating point must not leave somebody a moment short of time for ever.
            network.pass(delay + 0.001)
            for device in devices {
                device.wake()
                device.drain()
            }
            rounds += 1
            guard rounds < 200 else { throw Violation("the devices do not come to rest: \(summary)") }
        }
        try checkRest()
        network.trace.append("rest: \(summary)")
    }

    private func checkRest() throws {
        for device in devices {
            guard !device.hasPending else { throw Violation("\(device.name) keeps something to send: \(summary)") }
            guard let user = device.user else { continue }
            try network.ledger.check(device.index, of: user, device.now.values)
            // Of its own doings no device is pushed.
            let untold = device.now.told.subtracting(network.zones(of: user)).map(\.zoneName).sorted()
            guard untold.isEmpty else {
                throw Violation("\(device.name) was told of \(untold), and not that they are gone")
            }
        }
        // The server has what it acknowledged, and a new device gets it.
        for user in Set(devices.compactMap(\.user)).sorted() {
            let fresh = EngineDevice(
                index: devices.count,
                .init(user: EngineAction.User(rawValue: user) ?? .ada, isAtomic: false, pageSize: 3), network: network)
            fresh.begin(.fetch)
            fresh.drain()
            try network.ledger.check(devices.count, of: user, fresh.now.values)
        }
        try network.checkCounts()
    }

    private var summary: String {
        devices.map { device in
            let values = device.now.values.map { "\($0.key.zoneID.zoneName)/\($0.key.recordName)=\($0.value)" }
            let pending = device.hasPending ? " pending" : ""
            return "\(device.name) \(device.user ?? "nobody")\(pending): " + values.sorted().joined(separator: " ")
        }.joined(separator: "; ")
    }
}

extension EngineAction.Zone {
    var zoneID: CKRecordZone.ID { CKRecordZone.ID(zoneName: rawValue) }
}
