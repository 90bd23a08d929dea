import CloudServer
import CloudStore
import Foundation
import WebServices

/// A server, some devices and a bad network, all driven by one seed on one thread.
///
/// Nothing here uses Swift concurrency: the server answers before `handle` returns, so a run is a plain sequence of
/// steps, and its trace is the same each time.
final class World {
    private(set) var random: SeededGenerator
    private(set) var oracle = Oracle()
    private(set) var devices: [Device] = []
    private(set) var trace: [String] = []
    private let server: RestartableServer
    private let wrap: (@escaping CallHandler) -> CallHandler
    private var credentials: [String: Credentials] = [:]
    private var nextValue: Int64 = 1
    static let container = "iCloud.simulation"
    private static let zones = ["Notes", "Work"]
    private static let names = (0..<14).map { "record-\($0)" }

    /// - Parameter wrap: stands between the devices and the server; a planted bug.
    init(seed: UInt64, wrap: @escaping (@escaping CallHandler) -> CallHandler = { $0 }) throws {
        random = SeededGenerator(seed: seed)
        self.wrap = wrap
        server = try RestartableServer(seed: seed)
        let users = ["ada", "grace"].prefix(Int.random(in: 1...2, using: &random))
        for user in users {
            credentials[user] = Credentials(
                apiToken: RestartableServer.apiToken, webAuthToken: try server.signIn(user))
            for number in 1...Int.random(in: 2...4, using: &random) {
                devices.append(Device(name: "\(user)-\(number)", user: user))
            }
        }
    }

    /// Runs `steps` random steps, then heals the network and lets everybody read to the end; twice, since a world that has
    /// come to rest must also be able to go on.
    func run(steps: Int) throws {
        for _ in 0..<2 {
            for _ in 0..<steps / 2 { try step() }
            try heal()
        }
    }

    private func step() throws {
        let device = Int.random(in: devices.indices, using: &random)
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<30: try save(device)
        case 30..<42: try saveBatch(device)
        case 42..<50: try delete(device)
        case 50..<78: try fetch(device, zone: Self.zones.randomElement(using: &random) ?? "Notes")
        case 78..<84: try lookup(device)
        case 84..<88: try repeatUnanswered(device)
        case 88..<93: try makeZone(device)
        case 93..<95: try deleteZone(device)
        case 95..<98: try restart()
        default: try expireTombstones()
        }
    }

    // MARK: - Steps

    private func save(_ device: Int) throws {
        let zone = pickZone()
        let name = pickName()
        let type: RecordsModify.OperationType =
            random.chance(15)
            ? .forceUpdate
            : devices[device].mirrors[zone]?.records[name] == nil ? .create : random.chance(30) ? .replace : .update
        try send(modify(zone, [operation(type, name, device, zone, batch: 0)], atomic: false, device), from: device)
    }

    private func saveBatch(_ device: Int) throws {
        let zone = pickZone()
        let batch = nextValue
        let names = Self.names.shuffled(using: &random).prefix(Int.random(in: 2...5, using: &random))
        let operations = names.map { name in
            operation(
                devices[device].mirrors[zone]?.records[name] == nil ? .create : .update, name, device, zone,
                batch: batch)
        }
        try send(modify(zone, operations, atomic: random.chance(75), device), from: device)
    }

    private func delete(_ device: Int) throws {
        let zone = pickZone()
        let name = pickName()
        let type: RecordsModify.OperationType = random.chance(30) ? .forceDelete : .delete
        try send(modify(zone, [operation(type, name, device, zone, batch: 0)], atomic: false, device), from: device)
    }

    private func fetch(_ device: Int, zone: String) throws {
        let request = ChangesZone.ZoneRequest(
            zoneID: ZoneID(zoneName: zone), syncToken: devices[device].mirrors[zone]?.token,
            resultsLimit: random.chance(40) ? 200 : Int.random(in: 1...5, using: &random))
        let reply = try send(call(.changesZone(.init(zones: [request])), device), from: device)
        guard case .success(.changesZone(let response))? = reply?.result, let page = response.zones.first else {
            return
        }
        let truth = oracle.zones[.init(user: devices[device].user, zone: zone)]
        try devices[device].learn(page: page, zone: zone, truth: truth)
    }

    private func lookup(_ device: Int) throws {
        let names = Self.names.shuffled(using: &random).prefix(4)
        try send(
            call(
                .recordsLookup(
                    .init(records: names.map { .init(recordName: $0) }, zoneID: ZoneID(zoneName: pickZone()))), device),
            from: device)
    }

    private func repeatUnanswered(_ device: Int) throws {
        guard let call = devices[device].unanswered else { return }
        devices[device].unanswered = nil
        try send(call, from: device)
    }

    private func makeZone(_ device: Int) throws {
        let operation = ZonesModify.Operation(.create, ZoneID(zoneName: pickZone()))
        try send(call(.zonesModify(.init(operations: [operation])), device), from: device)
    }

    private func deleteZone(_ device: Int) throws {
        let operation = ZonesModify.Operation(.delete, ZoneID(zoneName: pickZone()))
        try send(call(.zonesModify(.init(operations: [operation])), device), from: device)
    }

    private func restart() throws {
        trace.append("restart")
        try server.restart()
    }

    private func expireTombstones() throws {
        trace.append("expire")
        try server.expireTombstones()
        oracle.tombstonesExpired()
    }

    /// No more faults: every device reads every zone to its end, and each look-up tells the truth.
    private func heal() throws {
        trace.append("heal")
        for device in devices.indices {
            devices[device].unanswered = nil
            for zone in Self.zones {
                // A restart of the feed (zone gone, token expired) takes one more round; nothing takes a hundred.
                for round in 0..<100 {
                    let request = ChangesZone.ZoneRequest(
                        zoneID: ZoneID(zoneName: zone), syncToken: devices[device].mirrors[zone]?.token, resultsLimit: 3
                    )
                    let call = call(.changesZone(.init(zones: [request])), device)
                    let reply = try deliver(call, from: device)
                    guard case .success(.changesZone(let response)) = reply.result, let page = response.zones.first
                    else {
                        throw Violation("a healthy network has no answer")
                    }
                    let key = Oracle.ZoneKey(user: devices[device].user, zone: zone)
                    try devices[device].learn(page: page, zone: zone, truth: oracle.zones[key])
                    if case .page(let page) = page, !page.moreComing { break }
                    if oracle.zones[key] == nil { break }
                    if round == 99 { throw Violation("the feed of \(zone) has no end") }
                }
            }
        }
    }

    // MARK: - The network

    /// Sends a request over the bad network: it may be lost, its answer may be lost, it may arrive twice.
    @discardableResult
    private func send(_ call: Call, from device: Int) throws -> Reply? {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<6:
            trace.append("\(devices[device].name) \(call.operation.path) lost")
            devices[device].unanswered = call
            return nil
        case 6..<14:
            _ = try deliver(call, from: device)
            trace.append("answer lost")
            devices[device].unanswered = call
            return nil
        case 14..<19:
            trace.append("twice")
            let first = try deliver(call, from: device)
            let second = try deliver(call, from: device)
            let reply = random.chance(50) ? first : second
            // What it learns from the older answer is out of date, as it would be.
            if case .changesZone = call.operation { return second }
            devices[device].learn(call, reply)
            return reply
        default:
            let reply = try deliver(call, from: device)
            devices[device].learn(call, reply)
            return reply
        }
    }

    private func deliver(_ call: Call, from device: Int) throws -> Reply {
        let answer = Answered()
        wrap(server.handle)(call) { answer.reply = $0 }
        guard let reply = answer.reply else { throw Violation("\(call.operation.path) was not answered at once") }
        trace.append("\(devices[device].name) \(call.operation.path) \(Self.summary(reply))")
        try oracle.follow(call, user: devices[device].user, reply)
        return reply
    }

    // MARK: - Requests

    private func call(_ operation: WebServices.Operation, _ device: Int) -> Call {
        Call(
            container: Self.container, database: .private,
            credentials: credentials[devices[device].user] ?? Credentials(),
            operation: operation)
    }

    private func modify(_ zone: String, _ operations: [RecordsModify.Operation], atomic: Bool, _ device: Int) -> Call {
        call(.recordsModify(.init(operations: operations, zoneID: ZoneID(zoneName: zone), atomic: atomic)), device)
    }

    private func operation(
        _ type: RecordsModify.OperationType, _ name: String, _ device: Int, _ zone: String, batch: Int64
    ) -> RecordsModify.Operation {
        nextValue += 1
        let known = devices[device].mirrors[zone]?.records[name]
        let needsTag = type == .update || type == .replace || type == .delete
        return RecordsModify.Operation(
            type,
            Record(
                recordName: name, recordType: "Note", recordChangeTag: needsTag ? known?.tag ?? "none" : nil,
                fields: type.isDeletion ? Fields() : Fields([("value", .int64(nextValue)), ("batch", .int64(batch))])))
    }

    private func pickZone() -> String { Self.zones.randomElement(using: &random) ?? "Notes" }
    private func pickName() -> String { Self.names.randomElement(using: &random) ?? "record-0" }

    private static func summary(_ reply: Reply) -> String {
        String(decoding: reply.encode().body, as: UTF8.self)
    }
}

/// Where a synchronous answer is put down.
private final class Answered: @unchecked Sendable {
    // Unchecked: the server runs inline, on this very thread.
    var reply: Reply?
}
