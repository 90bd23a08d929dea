import Foundation
import Testing

@testable import PersistentStore

@Suite("Orders and spellings of text")
struct TextOrderTests {
    private func quick(_ first: String, _ second: String) -> Int32? {
        Data(first.utf8).withUnsafeBytes { first in
            Data(second.utf8).withUnsafeBytes { PlainTextOrder.compare(first, $0) }
        }
    }

    @Test(
        "The quick order of plain text is Foundation's",
        arguments: [#" _-,;:!?.'"()[]{}@*/\&#%`^+<=>|~$0123456789abcABCzZ0011"#, "0000a1AB b"])
    func plainText(alphabet: String) {
        var random = SeededRandom(seed: 7)
        let characters = Array(alphabet)
        for _ in 0..<5_000 {
            let first = String(
                (0..<Int.random(in: 0...5, using: &random)).map { _ in characters.randomElement(using: &random)! })
            var second = String(
                (0..<Int.random(in: 0...5, using: &random)).map { _ in characters.randomElement(using: &random)! })
            if Bool.random(using: &random) { second = first.lowercased() }
            guard let order = quick(first, second) else { continue }
            #expect(Int(order) == first.localizedStandardCompare(second).rawValue, "\(first) | \(second)")
        }
    }

    @Test("Other text is left to Foundation")
    func otherText() {
        #expect(quick("\u{E9}", "e") == nil)
        #expect(quick("a\tb", "a") == nil)
    }

    @Test(
        "Every spelling of a text is known, and none that differs",
        arguments: [
            ("abc", 1), ("K", 2), ("caf\u{E9}", 3), ("\u{1ED9}", 5), ("\u{D55C}", 3), ("e\u{301}\u{E9}", 9), ("", 1),
        ])
    func spellings(text: String, count: Int) throws {
        let spellings = try #require(CanonicalSpellings.of(text))
        #expect(spellings.count == count)
        #expect(spellings.allSatisfy { $0 == text })
        #expect(Set(spellings.map { Array($0.unicodeScalars) }).count == count)
    }

    @Test("A text with too many spellings says so")
    func manySpellings() {
        #expect(CanonicalSpellings.of(String(repeating: "\u{E9}", count: 40)) == nil)
    }
}
