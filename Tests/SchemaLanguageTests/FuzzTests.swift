import Testing

@testable import SchemaLanguage

/// Whatever a text holds, reading it ends, with a schema that prints as itself or with mistakes inside the text.
@Suite("Schema files that went wrong")
struct FuzzTests {
    @Test("Mutated files are read or refused, never worse", arguments: 0..<40 as Range<UInt64>)
    func mutations(seed: UInt64) throws {
        var generator = Generator(state: seed &* 0x9E37_79B9_7F4A_7C15 | 1)
        for _ in 0..<100 {
            var bytes = Array((Bool.random(using: &generator) ? handWritten : exported).utf8)
            for _ in 0..<Int.random(in: 1...6, using: &generator) { mutate(&bytes, &generator) }
            let text = String(decoding: bytes, as: UTF8.self)
            do {
                let schema = try SchemaDefinition(text: text)
                #expect(try SchemaDefinition(text: schema.text) == schema)
            } catch let error {
                let lines = text.utf8.count { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") } + 1
                #expect(!error.problems.isEmpty)
                #expect(error.problems.allSatisfy { (1...lines).contains($0.line) && $0.column >= 1 })
            }
        }
    }

    private static let pieces = [
        "LIST<", ">", "(", ")", ",", ";", "\"", "GRANT", "TO", "RECORD TYPE", "CREATE ROLE x;", "/*", "*/", "--", "\r",
        "\n", "\u{0}", "é", "NUMBER PREFERRED", "ENCRYPTED", "DEFINE SCHEMA", "___etag", "\"\"",
    ]

    private func mutate(_ bytes: inout [UInt8], _ generator: inout Generator) {
        guard !bytes.isEmpty else { return }
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        let end = min(bytes.count, place + Int.random(in: 1...30, using: &generator))
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: bytes.removeSubrange(place..<end)
        case 1: bytes[place] = UInt8.random(in: .min ... .max, using: &generator)
        case 2: bytes.insert(contentsOf: bytes[place..<end], at: Int.random(in: 0..<bytes.count, using: &generator))
        case 3: bytes.removeSubrange(place...)
        default: bytes.insert(contentsOf: (Self.pieces.randomElement(using: &generator) ?? "").utf8, at: place)
        }
    }
}

struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}
