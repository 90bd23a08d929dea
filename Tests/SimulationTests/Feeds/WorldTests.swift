import CloudServer
import Foundation
import Testing
import WebServices

/// Devices, a server and a bad network, by seed. A failure names its seed; `STRATUS_SEED=N swift test --filter WorldTests` runs
/// that one again.
@Suite struct WorldTests {
    static let fixedSeeds: [UInt64] =
        ProcessInfo.processInfo.environment["STRATUS_SEED"].flatMap(UInt64.init).map { [$0] } ?? Array(1...200)
    static let steps = 240

    @Test("Feeds miss nothing and repeat nothing, and what was acknowledged stays", arguments: fixedSeeds)
    func fixed(seed: UInt64) throws {
        try Self.run(seed)
    }

    @Test("The same holds for seeds that nobody has seen")
    func fresh() throws {
        let first = UInt64.random(in: 1...UInt64.max / 2)
        for seed in first..<first + 60 { try Self.run(seed) }
    }

    @Test("A seed run twice takes the same steps to the same answers", arguments: [3, 17, 40] as [UInt64])
    func determinism(seed: UInt64) throws {
        #expect(try Self.run(seed) == Self.run(seed))
    }

    @Test("The simulation finds a bug that is planted in the server", arguments: PlantedBug.allCases)
    func plantedBugs(bug: PlantedBug) throws {
        let found = (1...40 as ClosedRange<UInt64>).contains { seed in
            do {
                try World(seed: seed, wrap: bug.wrap).run(steps: Self.steps)
                return false
            } catch {
                return error is Violation
            }
        }
        #expect(found, "forty seeds did not find it")
    }

    @discardableResult
    private static func run(_ seed: UInt64) throws -> [String] {
        let world = try World(seed: seed)
        do {
            try world.run(steps: steps)
        } catch {
            let last = world.trace.suffix(12).map { String($0.prefix(300)) }.joined(separator: "\n")
            Issue.record("seed \(seed): \(error)\n\(last)")
        }
        return world.trace
    }
}

/// Faults such as a server might really have, between the devices and the real one.
enum PlantedBug: String, CaseIterable, Sendable {
    /// A page leaves out its last record.
    case feedSkipsARecord
    /// A page begins again with the record that the one before ended with.
    case feedRepeatsARecord
    /// Every operation of an atomic batch stands alone.
    case atomicBatchIsTornApart
    /// A save is acknowledged and not done.
    case acknowledgedSaveIsLost
    /// A stale change tag overwrites.
    case conflictIsIgnored

    func wrap(_ handler: @escaping CallHandler) -> CallHandler {
        switch self {
        case .feedSkipsARecord, .feedRepeatsARecord: changingPages(handler)
        case .atomicBatchIsTornApart: changingRequests(handler) { $0.atomic = false }
        case .acknowledgedSaveIsLost: losingSaves(handler)
        case .conflictIsIgnored:
            changingRequests(handler) { request in
                for index in request.operations.indices where request.operations[index].type == .update {
                    request.operations[index].type = .forceUpdate
                }
            }
        }
    }

    private func changingPages(_ handler: @escaping CallHandler) -> CallHandler {
        { call, respond in
            handler(call) { reply in
                guard case .success(.changesZone(var response)) = reply.result,
                    case .page(var page)? = response.zones.first, page.records.count > 1
                else { return respond(reply) }
                if self == .feedSkipsARecord {
                    page.records.removeLast()
                } else {
                    page.records.insert(page.records[0], at: 0)
                }
                response.zones[0] = .page(page)
                respond(Reply(.success(.changesZone(response)), webAuthToken: reply.webAuthToken))
            }
        }
    }

    private func changingRequests(
        _ handler: @escaping CallHandler, _ change: @escaping @Sendable (inout RecordsModify.Request) -> Void
    ) -> CallHandler {
        { call, respond in
            var call = call
            if case .recordsModify(var request) = call.operation {
                change(&request)
                call.operation = .recordsModify(request)
            }
            handler(call, respond)
        }
    }

    /// Answers a save of one record with what looks like its success.
    private func losingSaves(_ handler: @escaping CallHandler) -> CallHandler {
        { call, respond in
            guard case .recordsModify(let request) = call.operation, request.operations.count == 1,
                request.operations[0].type == .forceUpdate
            else { return handler(call, respond) }
            var record = request.operations[0].record
            record.recordChangeTag = "zzzz"
            respond(Reply(.success(.recordsModify(.init(records: [.record(record)])))))
        }
    }
}
