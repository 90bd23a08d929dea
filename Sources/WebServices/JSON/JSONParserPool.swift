import CJSON
import Synchronization

/// Parsers that wait for the next text, with their buffers, since making these costs more than parsing a short text.
struct JSONParserPool: ~Copyable {
    static let shared = JSONParserPool()

    /// A parser holds up to fifteen times the size of its largest text, so few are kept, and none that was made for a
    /// large one.
    private static let maximumCount = 8
    private static let maximumCapacity = 256 << 10

    // Unchecked by the compiler: a parser is in the pool or in one document, never in both.
    private struct Parsers: @unchecked Sendable {
        var waiting: [OpaquePointer] = []
    }

    private let parsers = Mutex(Parsers())

    /// A parser that nobody else uses, or nil when there is no memory.
    func take() -> OpaquePointer? {
        parsers.withLock { $0.waiting.popLast() } ?? cjson_parser_create()
    }

    func put(_ parser: OpaquePointer) {
        let isKept =
            cjson_parser_capacity(parser) <= Self.maximumCapacity
            && parsers.withLock { parsers in
                guard parsers.waiting.count < Self.maximumCount else { return false }
                parsers.waiting.append(parser)
                return true
            }
        if !isKept { cjson_parser_destroy(parser) }
    }
}
