import CloudKitTesting
import FieldNotesCloud
import FieldNotesModel
import Foundation
import Testing

@Suite("Devices with a bad network")
struct RandomWorldTests {
    @Test(
        "Whatever was edited where, all devices end up with the same notes and every line",
        arguments: 1...12 as ClosedRange<UInt64>)
    func convergence(seed: UInt64) async throws {
        let world = try World(seed: seed)
        var chance = Chance(state: seed)
        let devices = try ["phone", "tablet", "laptop"].map { try world.device($0) }
        var written: [Note.ID: Set<String>] = [:]
        for step in 0..<60 {
            let device = devices[Int.random(in: 0..<devices.count, using: &chance)]
            let notes = try await device.store.notes().sorted { $0.id.uuidString < $1.id.uuidString }
            switch Int.random(in: 0..<10, using: &chance) {
            case 0, 1:
                let note = try await device.add("Note \(step)", body: "line \(step)")
                written[note.id] = ["line \(step)"]
            case 2...5:
                guard let note = notes.randomElement(using: &chance) else { continue }
                try await device.edit(note.id) { $0.body += "\nline \(step)" }
                written[note.id, default: []].insert("line \(step)")
            case 6:
                guard let note = notes.randomElement(using: &chance) else { continue }
                try await device.store.delete(note.id)
                // A deletion may win or lose against edits elsewhere; only agreement is asked of such a note.
                written[note.id] = nil
            default:
                let fault: Fault? =
                    [nil, nil, .answerLost, .requestLost, .timedOut].randomElement(using: &chance) ?? nil
                if let fault { device.device.failNext(fault) }
                _ = try await device.store.sync()
            }
        }
        for _ in 0..<3 {
            for device in devices { _ = try await device.store.sync() }
        }
        let contents = try await devices[0].contents
        for device in devices { #expect(try await device.contents == contents) }
        for (id, lines) in written {
            let note = try #require(contents.first { $0.id == id })
            #expect(lines.isSubset(of: note.body.components(separatedBy: "\n")), "\(note.title)")
        }
    }
}

/// A repeatable generator (SplitMix64).
struct Chance: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
