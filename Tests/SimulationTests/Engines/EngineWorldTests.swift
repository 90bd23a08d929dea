import Foundation
import Synchronization
import Testing

/// Sync engines on devices, by seed. A failure prints the shortest script that still fails, and how to run it again:
/// `STRATUS_SEED=N swift test --filter EngineWorldTests` for the whole seed, with `STRATUS_ACTIONS=1,5,9` for these
/// actions of it only. `STRATUS_SEEDS=10000` tries so many fresh seeds, in place of a minute of them.
@Suite struct EngineWorldTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let chosenSeed = environment["STRATUS_SEED"].flatMap(UInt64.init)
    private static let freshSeeds = environment["STRATUS_SEEDS"].flatMap(UInt64.init)
    private static let patience = Duration.seconds(60)

    @Test(
        "Whatever is lost, deleted or crashes, all devices end with what the server has, and no change is lost",
        arguments: chosenSeed.map { [$0] } ?? Array(1...200))
    func fixed(seed: UInt64) {
        Self.check(seed)
    }

    @Test("The same holds for seeds that nobody has seen", .enabled(if: chosenSeed == nil))
    func fresh() {
        let first = UInt64.random(in: 1...UInt64.max / 2)
        let end = ContinuousClock.now + Self.patience
        var seed = first
        while Self.freshSeeds.map({ seed < first + $0 }) ?? (ContinuousClock.now < end), Self.check(seed) { seed += 1 }
    }

    @Test("A seed run twice takes the same steps", arguments: chosenSeed.map { [$0] } ?? Array(1...40))
    func determinism(seed: UInt64) throws {
        let traces = (0..<2).map { _ in Self.trace(of: EngineScript(seed: seed)) }
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
        let run = trace(of: script)
        return run.error.map { ($0, run.trace) }
    }

    private struct Run: Equatable {
        var error: String?
        var trace: [String] = []
    }

    private static func trace(of script: EngineScript) -> Run {
        var run = Run()
        do {
            let world = try EngineWorld(script)
            defer { run.trace = world.trace }
            try world.run()
        } catch {
            run.error = "\(error)"
        }
        return run
    }
}
