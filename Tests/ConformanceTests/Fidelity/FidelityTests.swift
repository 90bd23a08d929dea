import Foundation
import Testing

/// Keeps `Documentation/Fidelity.md` true: it is made from the table of behaviours and from the marks in the tests.
/// `STRATUS_WRITE_FIDELITY=1 swift test --filter FidelityTests` writes it anew.
@Suite struct FidelityTests {
    private let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    @Test("Documentation/Fidelity.md is what the table and the tests say")
    func document() throws {
        let document = try render()
        let url = root.appendingPathComponent("Documentation/Fidelity.md")
        if ProcessInfo.processInfo.environment["STRATUS_WRITE_FIDELITY"] != nil {
            try document.write(to: url, atomically: true, encoding: .utf8)
        }
        #expect(
            try String(contentsOf: url, encoding: .utf8) == document,
            "Run: STRATUS_WRITE_FIDELITY=1 swift test --filter FidelityTests")
    }

    @Test("Every mark in a test names a behaviour of the table, and the table names none twice")
    func marks() throws {
        let known = try Behaviour.all().map(\.id)
        #expect(Set(known).count == known.count)
        for (id, places) in try markedTests() {
            #expect(known.contains(id), "\(id), marked in \(places)")
        }
    }

    /// The names of the tests that are marked with each behaviour.
    private func markedTests() throws -> [String: [String]] {
        var marked: [String: [String]] = [:]
        let tests = root.appendingPathComponent("Tests")
        let files = FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil)
        let test = try Regex(#"@Test\(\s*"([^"]+)"([^@]*?)\)\s+(?:@\w+\s+)?func"#).dotMatchesNewlines()
        let mark = try Regex(#"\.behaviour\(([^)]*)\)"#)
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: test) {
                guard let name = match.output[1].substring, let traits = match.output[2].substring else { continue }
                for found in traits.matches(of: mark) {
                    let ids = (found.output[1].substring ?? "").split(separator: ",")
                    for id in ids {
                        marked[id.trimmingCharacters(in: CharacterSet(charactersIn: " \"\n")), default: []].append(
                            String(name))
                    }
                }
            }
        }
        return marked
    }

    private func render() throws -> String {
        let behaviours = try Behaviour.all()
        let marked = try markedTests()
        let untested = behaviours.filter { marked[$0.id] == nil }
        var lines = [
            "# Fidelity", "",
            "What Stratus promises of the behaviour of CloudKit, over HTTP and in process, and of SwiftData, where each promise is",
            "from, and the test that holds it. Made from `Behaviours.tsv` and the tests; do not edit by hand.", "",
            "\(behaviours.count) behaviours, \(behaviours.count - untested.count) with a test, \(untested.count) without.",
        ]
        var section = ""
        for behaviour in behaviours {
            if behaviour.section != section {
                section = behaviour.section
                lines += [
                    "", "## \(section)", "", "| behaviour | source | choice | test |", "| --- | --- | --- | --- |",
                ]
            }
            let tests = marked[behaviour.id]?.sorted().joined(separator: "; ") ?? "**none**"
            lines.append("| \(behaviour.text) | \(behaviour.source) | \(behaviour.choice) | \(tests) |")
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
