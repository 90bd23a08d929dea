import CloudServer
import Foundation
import Testing
import WebServices

@testable import CloudKit

/// Devices with sync engines, a server and a bad network, by seed.
final class EngineWorld {
    private var random: SeededGenerator
    private let server: RestartableServer
    private let credentials: Credentials
    private(set) var devices: [EngineDevice] = []
    private(set) var trace: [String] = []
    private var isHealthy = false
    private var nextValue: Int64 = 1
    private var largest: [CKRecord.ID: Int64] = [:]
    private var erased: Set<CKRecord.ID> = []

    init(seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        server = try RestartableServer(seed: seed)
        credentials = Credentials(apiToken: RestartableServer.apiToken, webAuthToken: try server.signIn("ada"))
        for number in 0..<Int.random(in: 2...4, using: &random) {
            devices.append(
                EngineDevice(name: "device-\(number)", isAtomic: random.chance(50)) { [unowned self] in send($0, $1) })
        }
    }

    /// Twice, since a world that has come to rest must also be able to go on.
    func run(steps: Int) throws {
        for _ in 0..<2 {
            isHealthy = false
            for _ in 0..<steps / 2 { try step() }
            isHealthy = true
            try settle()
        }
    }

    private func step() throws {
        let index = Int.random(in: devices.indices, using: &random)
        let device = devices[index]
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<14: write(device, lasting())
        case 14..<18: write(device, mortal(index))
        case 18..<20: erase(device, index)
        case 20..<26: device.beginFetch()
        case 26..<36: device.beginSend()
        case 36..<38:
            trace.append("\(device.name) crashes")
            device.crash()
        case 38: try server.restart()
        default: device.step()
        }
    }

    /// A record that all devices write and none deletes.
    private func lasting() -> CKRecord.ID {
        CKRecord.ID(recordName: "lasting-\(Int.random(in: 0..<8, using: &random))", zoneID: EngineDevice.zoneID)
    }

    /// A record that its own device makes and deletes; the others only change it.
    private func mortal(_ owner: Int) -> CKRecord.ID {
        CKRecord.ID(recordName: "mortal-\(owner)-\(Int.random(in: 0..<6, using: &random))", zoneID: EngineDevice.zoneID)
    }

    private func write(_ device: EngineDevice, _ recordID: CKRecord.ID) {
        nextValue += 1
        if recordID.recordName.hasPrefix("lasting") { largest[recordID] = nextValue }
        device.write(recordID, nextValue)
        trace.append("\(device.name) writes \(recordID.recordName) \(nextValue)")
    }

    private func erase(_ device: EngineDevice, _ index: Int) {
        let recordID = mortal(index)
        guard device.erase(recordID) else { return }
        erased.insert(recordID)
        trace.append("\(device.name) erases \(recordID.recordName)")
    }

    /// A healthy network: everybody sends and fetches until nobody has anything to do.
    private func settle() throws {
        for device in devices { device.drain() }
        for round in 0..<40 {
            for device in devices {
                device.beginSend()
                device.drain()
                device.beginFetch()
                device.drain()
            }
            if devices.allSatisfy({ !$0.hasPending }) && agree { break }
            if round == 39 { throw Violation("the devices do not come to rest: \(summary)") }
        }
        for (recordID, value) in largest where devices[0].now.values[recordID] != value {
            throw Violation("\(recordID.recordName) is not \(value): \(summary)")
        }
        for recordID in erased where devices[0].now.values[recordID] != nil {
            throw Violation("\(recordID.recordName) was deleted and is back")
        }
        let fresh = EngineDevice(name: "fresh", isAtomic: false) { [unowned self] in send($0, $1) }
        fresh.beginFetch()
        fresh.drain()
        guard fresh.now.values == devices[0].now.values else {
            throw Violation("the server has something else: \(summary)")
        }
        trace.append("rest: \(summary)")
    }

    private var agree: Bool { devices.allSatisfy { $0.now.values == devices[0].now.values } }

    private var summary: String {
        devices.map { device in
            let values = device.now.values.sorted { $0.key.recordName < $1.key.recordName }
            return "\(device.name): " + values.map { "\($0.key.recordName)=\($0.value)" }.joined(separator: " ")
        }.joined(separator: "; ")
    }

    private func send(_ operation: WebServices.Operation, _ device: EngineDevice) -> Result<Answer, CKError> {
        let fault = isHealthy ? 99 : Int.random(in: 0..<100, using: &random)
        trace.append("\(device.name) \(operation.path) \(fault)")
        switch fault {
        case 0..<5: return .failure(CKError(.networkFailure))
        case 5..<8: return .failure(CKError([.zoneBusy, .requestRateLimited, .quotaExceeded][fault - 5]))
        case 8..<12:
            if case .recordsModify(let request) = operation, request.operations.count > 2 {
                return .failure(CKError(.limitExceeded))
            }
        default: break
        }
        let call = Call(
            container: "iCloud.simulation", database: .private, credentials: credentials,
            client: .native(deviceID: device.name), operation: operation)
        let answered = InlineAnswer()
        server.handle(call) { answered.reply = $0 }
        if 12..<18 ~= fault { return .failure(CKError(.serverResponseLost)) }
        return (answered.reply?.result ?? .failure(ServerError(.internalError, "no answer"))).mapError { CKError($0) }
    }
}

/// Unchecked: the server answers inline, on this very thread.
private final class InlineAnswer: @unchecked Sendable {
    var reply: Reply?
}

extension EngineDevice {
    func drain() {
        for _ in 0..<100_000 where !isIdle { step() }
    }
}

/// `STRATUS_SEED=N swift test --filter EngineWorldTests` runs one seed again.
@Suite struct EngineWorldTests {
    static let seeds: [UInt64] =
        ProcessInfo.processInfo.environment["STRATUS_SEED"].flatMap(UInt64.init).map { [$0] } ?? Array(1...200)

    @Test(
        "Whatever is lost or crashes, all devices end with what the server has, and no change is lost", arguments: seeds
    )
    func fixed(seed: UInt64) throws {
        try Self.run(seed)
    }

    @Test("The same holds for seeds that nobody has seen")
    func fresh() throws {
        let first = UInt64.random(in: 1...UInt64.max / 2)
        for seed in first..<first + 30 { try Self.run(seed) }
    }

    @Test("A seed run twice takes the same steps", arguments: [3, 17, 40] as [UInt64])
    func determinism(seed: UInt64) throws {
        #expect(try Self.run(seed) == Self.run(seed))
    }

    @discardableResult
    private static func run(_ seed: UInt64) throws -> [String] {
        let world = try EngineWorld(seed: seed)
        do { try world.run(steps: 400) } catch {
            Issue.record("seed \(seed): \(error)\n\(world.trace.suffix(25).joined(separator: "\n"))")
        }
        return world.trace
    }
}
