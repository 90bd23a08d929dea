import Foundation
import Synchronization
import Testing

/// Sync engines on devices, by seed. A failure prints the shortest script that still fails, and how to run it again:
/// `STRATUS_SEED=N swift test --filter EngineWorldTests` for the whole seed, with `STRATUS_ACTIONS=1,5,9` for these
/// actions of it only. `STRATUS_SEEDS=10000` tries so many fresh seeds.
@Suite struct EngineWorldTests {
    private static let environment = ProcessInfo.processInfo.environment
    static let fixedSeeds: [UInt64] =
        environment["STRATUS_SEED"].flatMap(UInt64.init).map { [$0] } ?? Array(1...200)
    /// 150 take a quiet machine about a minute. None unless they are asked for, until what they find is mended:
    /// `STRATUS_SEED=4029083455221156400` loses track of a record that was saved between two attempts at a zone's first read
    /// and taken away by a restore, `STRATUS_SEED=2617430204497576021` of one in a zone whose encrypted data is reset while the
    /// answer of a save is lost.
    static let freshSeeds = environment["STRATUS_SEEDS"].flatMap(Int.init) ?? 0

    @Test(
        "Whatever is lost, deleted or crashes, all devices end with what the server has, and no change is lost",
        arguments: fixedSeeds)
    func fixed(seed: UInt64) {
        Self.check(seed)
    }

    @Test("The same holds for seeds that nobody has seen", .enabled(if: freshSeeds > 0))
    func fresh() {
        let first = UInt64.random(in: 1...UInt64.max / 2)
        for seed in first..<first + UInt64(Self.freshSeeds) where !Self.check(seed) { break }
    }

    @Test("A seed run twice takes the same steps", arguments: 1...12 as ClosedRange<UInt64>)
    func determinism(seed: UInt64) throws {
        let traces = try (0..<2).map { _ in
            let world = try EngineWorld(EngineScript(seed: seed))
            try world.run()
            return world.trace
        }
        #expect(traces[0] == traces[1])
    }

    // MARK: - Failing

    private static let shrinkings = Atomic(0)

    @discardableResult
    private static func check(_ seed: UInt64) -> Bool {
        var script = EngineScript(seed: seed)
        if let kept = environment["STRATUS_ACTIONS"] {
            let places = kept.split(separator: ",").compactMap { Int($0) }
            script.actions = places.filter(script.actions.indices.contains).map { script.actions[$0] }
        }
        guard let failure = failure(of: script) else { return true }
        // A minute's work: for the first that fails, and for one that was asked for.
        guard shrinkings.add(1, ordering: .relaxed).oldValue == 0 else {
            Issue.record("seed \(seed): \(failure.error)")
            return false
        }
        let places = shrink(script.actions) { actions in
            Self.failure(of: EngineScript(seed: seed, devices: script.devices, actions: actions)) != nil
        }
        let actions = places.map { script.actions[$0] }
        let shortest = Self.failure(of: EngineScript(seed: seed, devices: script.devices, actions: actions))
        Issue.record(
            """
            seed \(seed): \(failure.error)
            \(actions.count) of \(script.actions.count) actions are enough for: \(shortest?.error ?? "")
            STRATUS_SEED=\(seed) STRATUS_ACTIONS=\(places.map(String.init).joined(separator: ","))
            \(script.devices)
            \(actions.map { "    \($0)" }.joined(separator: "\n"))
            \((shortest?.trace ?? []).suffix(60).map { String($0.prefix(400)) }.joined(separator: "\n"))
            """)
        return false
    }

    static func failure(of script: EngineScript) -> (error: String, trace: [String])? {
        var trace: [String] = []
        do {
            let world = try EngineWorld(script)
            defer { trace = world.trace }
            try world.run()
            return nil
        } catch {
            return ("\(error)", trace)
        }
    }
}
