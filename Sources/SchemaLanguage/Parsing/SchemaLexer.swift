/// A word, a quoted name or a mark of a schema file.
struct SchemaToken: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        /// A name or keyword without quotes.
        case word(String)
        case quoted(String)
        /// `(`, `)`, `<`, `>`, `,` or `;`.
        case mark(Character)
        case end
    }

    var kind: Kind
    var position: SchemaTextPosition

    /// As messages show it.
    var text: String {
        switch kind {
        case .word(let word): "“\(word.prefix(60))”"
        case .quoted(let name): "“\"\(name.prefix(60))\"”"
        case .mark(let mark): "“\(mark)”"
        case .end: "the end of the text"
        }
    }

    func isWord(_ keyword: String) -> Bool {
        if case .word(let word) = kind { word.uppercased() == keyword } else { false }
    }

    func isMark(_ mark: Character) -> Bool { kind == .mark(mark) }
}

/// Cuts a schema file into tokens. Keeps one token at a time, whatever the text.
struct SchemaLexer {
    private let bytes: [UInt8]
    private var offset = 0
    private var position = SchemaTextPosition()

    init(_ text: String) {
        bytes = Array(text.utf8)
        // A byte order mark, as some editors leave it.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
    }

    /// The next token; `.end` for ever at the end.
    mutating func next() throws(SchemaTextError.Problem) -> SchemaToken {
        try skipBlanksAndComments()
        let start = position
        guard let byte = peek() else { return SchemaToken(kind: .end, position: start) }
        switch byte {
        case UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: ","),
            UInt8(ascii: ";"):
            advance()
            return SchemaToken(kind: .mark(Character(Unicode.Scalar(byte))), position: start)
        case UInt8(ascii: "\""):
            return SchemaToken(kind: .quoted(try quotedName(start)), position: start)
        default:
            guard Self.isWordByte(byte) else { throw unexpected(byte, start) }
            let first = offset
            while let byte = peek(), Self.isWordByte(byte) { advance() }
            return SchemaToken(
                kind: .word(String(decoding: bytes[first..<offset], as: UTF8.self)), position: start)
        }
    }

    /// Goes past the next `;`, or to the end: where reading goes on after a mistake.
    mutating func skipStatement() {
        while true {
            guard let token = try? next() else {
                // What is no token is passed over.
                advance()
                if peek() == nil { return }
                continue
            }
            if token.kind == .end || token.isMark(";") { return }
        }
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        SchemaNames.isIdentifierByte(byte) || byte == UInt8(ascii: "$")
    }

    private func unexpected(_ byte: UInt8, _ start: SchemaTextPosition) -> SchemaTextError.Problem {
        let character = String(decoding: bytes[offset..<min(offset + 4, bytes.count)], as: UTF8.self).first ?? "?"
        let shown = character.isASCII && byte < 0x20 ? "a control character" : "“\(character)”"
        return start.problem("\(shown) has no meaning here", "Remove it, or put names with other signs in quotes")
    }

    private mutating func quotedName(_ start: SchemaTextPosition) throws(SchemaTextError.Problem) -> String {
        advance()
        let first = offset
        while let byte = peek(), byte != UInt8(ascii: "\""), !Self.isLineEnd(byte) { advance() }
        guard peek() == UInt8(ascii: "\"") else {
            throw start.problem("The quote that opens here is not closed in its line", "Add a second \"")
        }
        let name = String(decoding: bytes[first..<offset], as: UTF8.self)
        advance()
        return name
    }

    private mutating func skipBlanksAndComments() throws(SchemaTextError.Problem) {
        while let byte = peek() {
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): advance()
            case UInt8(ascii: "-") where peek(1) == UInt8(ascii: "-"): skipLine()
            case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "/"): skipLine()
            case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "*"): try skipBlockComment()
            default: return
            }
        }
    }

    private mutating func skipLine() {
        while let byte = peek(), !Self.isLineEnd(byte) { advance() }
    }

    private mutating func skipBlockComment() throws(SchemaTextError.Problem) {
        let start = position
        advance()
        advance()
        while peek() != nil {
            if peek() == UInt8(ascii: "*"), peek(1) == UInt8(ascii: "/") {
                advance()
                advance()
                return
            }
            advance()
        }
        throw start.problem("The comment that begins here does not end", "Close it with */")
    }

    private static func isLineEnd(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
    }

    private func peek(_ ahead: Int = 0) -> UInt8? {
        offset + ahead < bytes.count ? bytes[offset + ahead] : nil
    }

    private mutating func advance() {
        guard let byte = peek() else { return }
        offset += 1
        // A line ends with CR, LF, or both together.
        if byte == UInt8(ascii: "\n") || (byte == UInt8(ascii: "\r") && peek() != UInt8(ascii: "\n")) {
            position.line += 1
            position.column = 1
        } else if byte & 0xC0 != 0x80, byte != UInt8(ascii: "\r") {
            position.column += 1
        }
    }
}
