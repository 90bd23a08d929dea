import Testing

/// A crash before each single effect of a send and of a fetch, one run for each.
@Suite struct EngineCrashTests {
    private static let devices: [EngineScript.Device] = [
        .init(user: .ada, isAtomic: true, pageSize: 2), .init(user: .ada, isAtomic: false, pageSize: 2),
    ]
    /// More than either takes.
    private static let places = 0..<45

    @Test("A send that is cut off before any of its effects loses nothing", arguments: places)
    func send(place: Int) {
        run([
            .write(0, .notes, 1), .write(0, .notes, 2), .writeMortal(0, .notes, owner: 0, 1), .heal,
            .write(0, .notes, 1), .write(0, .work, 3), .erase(0, .notes, 1), .write(1, .notes, 1),
            .send(1), .step(1, 20), .send(0), .step(0, place), .crash(0),
        ])
    }

    @Test("A fetch that is cut off before any of its effects loses nothing", arguments: places)
    func fetch(place: Int) {
        run([
            .write(0, .notes, 1), .write(0, .notes, 2), .writeMortal(0, .notes, owner: 0, 1), .heal,
            .write(0, .notes, 1), .write(0, .work, 3), .erase(0, .notes, 1), .send(0), .step(0, 40),
            .write(1, .notes, 2), .fetch(1), .step(1, place), .crash(1),
        ])
    }

    private func run(_ actions: [EngineAction]) {
        let failure = EngineWorldTests.failure(of: EngineScript(seed: 1, devices: Self.devices, actions: actions))
        #expect(failure == nil)
    }
}
