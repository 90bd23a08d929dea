/// Texts made once, so that making them is not what is measured; those of the peer in C are the same.
enum Texts {
    private static let texts = (0..<100).map { "A text of some bytes \($0)" }
    private static let codes = (0..<100).map { "C-\(1000 + $0)" }

    static func text(_ number: Int) -> String { texts[number % 100] }
    static func code(_ number: Int) -> String { codes[number % 100] }
}
