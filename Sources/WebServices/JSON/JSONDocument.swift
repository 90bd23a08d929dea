import CJSON

/// A parsed JSON text.
///
/// The document owns what the parser produced, and every ``JSONValue`` of it keeps it alive. Grammar and UTF-8 are
/// checked when it is made, so reading it cannot fail for any other reason than that a value is of another kind.
// Unchecked: the tape and the strings are complete before `init` and only read afterwards.
package final class JSONDocument: @unchecked Sendable {
    /// Nothing that is read from others may be nested deeper than this, unless its reader says so.
    package static let defaultMaximumDepth = 64

    @usableFromInline let tape: UnsafePointer<UInt64>
    @usableFromInline let strings: UnsafePointer<UInt8>
    private let parser: OpaquePointer

    /// Parses `bytes`, which are copied.
    ///
    /// - Parameter maximumDepth: how deep arrays and objects may be nested, from 1 to 1024; an empty innermost one is not
    ///   counted.
    package convenience init(
        parsing bytes: UnsafeRawBufferPointer, maximumDepth: Int = JSONDocument.defaultMaximumDepth
    ) throws(JSONError) {
        self.init(try Self.parse(bytes, maximumDepth: maximumDepth))
    }

    /// Parses `bytes`, which are copied. See ``init(parsing:maximumDepth:)``.
    package convenience init(
        parsing bytes: some Sequence<UInt8>, maximumDepth: Int = JSONDocument.defaultMaximumDepth
    ) throws(JSONError) {
        let parsed = bytes.withContiguousStorageIfAvailable { buffer in
            Result { () throws(JSONError) in try Self.parse(UnsafeRawBufferPointer(buffer), maximumDepth: maximumDepth)
            }
        }
        if let parsed {
            self.init(try parsed.get())
        } else {
            try self.init(parsing: Array(bytes), maximumDepth: maximumDepth)
        }
    }

    /// Parses the UTF-8 of `text`. See ``init(parsing:maximumDepth:)``.
    package convenience init(
        parsing text: String, maximumDepth: Int = JSONDocument.defaultMaximumDepth
    ) throws(JSONError) {
        try self.init(parsing: text.utf8, maximumDepth: maximumDepth)
    }

    private init(_ parsed: Parsed) {
        parser = parsed.parser
        tape = parsed.tape
        strings = parsed.strings
    }

    deinit {
        JSONParserPool.shared.put(parser)
    }

    /// The value that the text consists of.
    @inlinable package var root: JSONValue { JSONValue(document: self, index: 1) }
}

extension JSONDocument {
    private struct Parsed {
        let parser: OpaquePointer
        let tape: UnsafePointer<UInt64>
        let strings: UnsafePointer<UInt8>
    }

    private static func parse(_ bytes: UnsafeRawBufferPointer, maximumDepth: Int) throws(JSONError) -> Parsed {
        guard let parser = JSONParserPool.shared.take() else { throw .outOfMemory }
        let depth = min(max(maximumDepth, 1), 1024)
        var result = parse(bytes, with: parser, depth: depth)
        // simdjson refuses integers beyond 64 bits, which is how JavaScript prints a double of 1e20.
        if result == CJSON_INVALID_NUMBER, let text = JSONLongIntegers.rewrittenAsDoubles(bytes) {
            result = text.withUnsafeBytes { parse($0, with: parser, depth: depth) }
        }
        guard result == CJSON_OK, let tape = cjson_parser_tape(parser), let strings = cjson_parser_strings(parser)
        else {
            JSONParserPool.shared.put(parser)
            throw JSONError(result, maximumDepth: depth)
        }
        return Parsed(parser: parser, tape: tape, strings: strings)
    }

    private static func parse(
        _ bytes: UnsafeRawBufferPointer, with parser: OpaquePointer, depth: Int
    ) -> cjson_result {
        // An empty buffer has no address, which C takes for a mistake.
        guard let address = bytes.baseAddress, !bytes.isEmpty else { return CJSON_EMPTY }
        return cjson_parser_parse(parser, address, bytes.count, depth)
    }
}

extension JSONError {
    fileprivate init(_ result: cjson_result, maximumDepth: Int) {
        switch result {
        case CJSON_EMPTY: self = .empty
        case CJSON_TOO_LARGE: self = .tooLarge
        case CJSON_OUT_OF_MEMORY: self = .outOfMemory
        case CJSON_TOO_DEEP: self = .tooDeep(limit: maximumDepth)
        case CJSON_INVALID_UTF8: self = .invalidUTF8
        case CJSON_INVALID_STRING: self = .invalidString
        case CJSON_INVALID_LITERAL: self = .invalidLiteral
        case CJSON_INVALID_NUMBER: self = .invalidNumber
        default: self = .invalidStructure
        }
    }
}
