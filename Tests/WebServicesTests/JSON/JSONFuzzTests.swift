import Foundation
import Testing
import WebServices

@Suite("JSON against Foundation and against chance")
struct JSONFuzzTests {
    @Test("Generated documents read as Foundation reads them, and what is written Foundation reads", arguments: 0..<20)
    func differential(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        for _ in 0..<50 {
            let text = Self.text(depth: 0, &random)
            let document = try JSONDocument(parsing: text)
            let expected = try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
            #expect(Self.matches(document.root, expected), "seed \(seed): \(text)")

            var writer = JSONWriter()
            writer.writeCompact(document.root)
            let reread = try JSONSerialization.jsonObject(with: Data(writer.finish()), options: .fragmentsAllowed)
            #expect(Self.matches(document.root, reread), "seed \(seed): \(text)")
        }
    }

    @Test("No damage to a text does more than to have it refused", arguments: 0..<20)
    func mutations(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(1000 + seed))
        for _ in 0..<20 {
            let original = Array(Self.text(depth: 0, &random).utf8)
            for _ in 0..<50 {
                let damaged = Self.damaged(original, &random)
                guard let document = try? JSONDocument(parsing: damaged) else { continue }
                var writer = JSONWriter(capacity: 0)
                writer.writeCompact(document.root)
                let written = writer.finish()
                // What was accepted is valid, so what is written from it is too, and is the same text when it is read again.
                let again = try JSONDocument(parsing: written)
                var second = JSONWriter()
                second.writeCompact(again.root)
                #expect(second.finish() == written, "seed \(seed): \(damaged)")
                #expect(String(validating: written, as: UTF8.self) != nil, "seed \(seed): \(damaged)")
            }
        }
    }

    // MARK: - Making texts

    private static func text(depth: Int, _ random: inout SeededRandom) -> String {
        let space = ["", "", " ", "\n\t"].randomElement(using: &random) ?? ""
        return switch Int.random(in: 0..<(depth < 5 ? 10 : 7), using: &random) {
        case 0: "null"
        case 1: Bool.random(using: &random) ? "true" : "false"
        case 2: "\(Int64.random(in: .min ... .max, using: &random) >> Int64.random(in: 0..<63, using: &random))"
        case 3: "\(Double.random(in: -1e6...1e6, using: &random))"
        case 4: "\(Int.random(in: -99...99, using: &random))e\(Int.random(in: -200...200, using: &random))"
        case 5, 6: string(&random)
        case 7, 8:
            "["
                + (0..<Int.random(in: 0...5, using: &random)).map { _ in text(depth: depth + 1, &random) + space }
                .joined(separator: ",") + "]"
        default:
            "{"
                + (0..<Int.random(in: 0...5, using: &random)).map { number in
                    // Foundation keeps any of equal keys, so they are made different.
                    "\"\(number)\(string(&random).dropFirst()):" + space + text(depth: depth + 1, &random)
                }.joined(separator: space + ",") + "}"
        }
    }

    private static func string(_ random: inout SeededRandom) -> String {
        let parts = [
            "a", "Note", "é", "€", "😀", #"\""#, #"\\"#, #"\/"#, #"\n"#, #"\u00e9"#, #"\ud83d\ude00"#, #"\u001f"#,
            "\u{7f}", "0123456789",
        ]
        let count = Int.random(in: 0...12, using: &random)
        return "\"" + (0..<count).map { _ in parts.randomElement(using: &random) ?? "" }.joined() + "\""
    }

    private static func damaged(_ original: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
        var bytes = original
        for _ in 0...Int.random(in: 0..<3, using: &random) {
            let index = Int.random(in: 0...bytes.count, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: bytes.insert(UInt8.random(in: 0...255, using: &random), at: index)
            case 1: if index < bytes.count { bytes[index] = UInt8.random(in: 0...255, using: &random) }
            case 2: bytes.removeSubrange(index..<min(bytes.count, index + 3))
            default:
                let part = bytes[index..<min(bytes.count, index + 9)]
                bytes.insert(contentsOf: part, at: Int.random(in: 0...bytes.count, using: &random))
            }
        }
        return bytes
    }

    // MARK: - Comparing

    private static func matches(_ value: JSONValue, _ expected: Any) -> Bool {
        switch value.kind {
        case .null: return expected is NSNull
        case .bool: return (expected as? NSNumber)?.boolValue == value.bool
        case .integer, .unsigned, .double:
            guard let number = expected as? NSNumber else { return false }
            if let whole = value.int64, number.int64Value == whole { return true }
            // Foundation goes through Decimal for some numbers, which costs the last digit.
            let double = value.double ?? .nan
            return abs(number.doubleValue - double) <= abs(double) * 1e-14
        case .string: return expected as? String == value.string
        case .array:
            guard let others = expected as? [Any], let array = value.array, others.count == array.count else {
                return false
            }
            return zip(array, others).allSatisfy { matches($0, $1) }
        case .object:
            guard let others = expected as? [String: Any], let object = value.object, others.count == object.count
            else {
                return false
            }
            return object.allSatisfy { member in others[member.key].map { matches(member.value, $0) } ?? false }
        }
    }
}
