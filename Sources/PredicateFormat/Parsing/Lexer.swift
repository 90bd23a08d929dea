import Foundation

/// Cuts a format string into tokens, one at a time.
struct Lexer {
    let format: String
    private let scalars: [Unicode.Scalar]
    private(set) var position = 0

    init(_ format: String) {
        self.format = format
        scalars = Array(format.unicodeScalars)
    }

    mutating func next() throws(PredicateFormatError) -> Token {
        while let scalar = peek(), scalar.properties.isWhitespace { position += 1 }
        let start = position
        let kind = try kindOfNext()
        return Token(kind: kind, range: start..<position)
    }

    /// The text of a token, as written.
    func text(of range: Range<Int>) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars[range])
        return String(text)
    }

    /// Whether `word` reads as one identifier.
    static func isIdentifier(_ word: String) -> Bool {
        var rest = word.unicodeScalars[...]
        if rest.first == "@" { rest = rest.dropFirst() }
        guard let first = rest.first, isIdentifierStart(first) else { return false }
        return rest.allSatisfy(isIdentifierPart)
    }

    private mutating func kindOfNext() throws(PredicateFormatError) -> Token.Kind {
        guard let scalar = peek() else { return .end }
        switch scalar {
        case "\"", "'":
            return .literal(.string(try quotedText(until: scalar)))
        case "%":
            return .placeholder(try placeholder())
        case "$":
            return .variable(try name(after: "a variable's name after \"$\""))
        case "#":
            return .identifier(try name(after: "a key after \"#\""))
        case "@":
            return .identifier("@" + (try name(after: "a collection operator such as @count after \"@\"")))
        case _ where Self.isIdentifierStart(scalar):
            return word()
        case _ where Self.isDigit(scalar), "." where peek(1).map(Self.isDigit) ?? false:
            return .literal(try number())
        default:
            return .sign(try sign())
        }
    }

    private func peek(_ offset: Int = 0) -> Unicode.Scalar? {
        position + offset < scalars.count ? scalars[position + offset] : nil
    }

    private func failure(_ problem: String, at start: Int, advice: String) -> PredicateFormatError {
        PredicateFormatError(.malformedText, format: format, position: start, problem: problem, advice: advice)
    }
}

// MARK: - Words

extension Lexer {
    private static func isIdentifierStart(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII
            ? ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || scalar == "_"
            : scalar.properties.isAlphabetic
    }

    private static func isIdentifierPart(_ scalar: Unicode.Scalar) -> Bool {
        isIdentifierStart(scalar) || isDigit(scalar)
            || (!scalar.isASCII && scalar.properties.isXIDContinue)
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool {
        ("0"..."9").contains(scalar)
    }

    private func endOfIdentifier(from start: Int) -> Int {
        var end = start
        while end < scalars.count, Self.isIdentifierPart(scalars[end]) { end += 1 }
        return end
    }

    /// The identifier behind a sign of one character.
    private mutating func name(after expected: String) throws(PredicateFormatError) -> String {
        let start = position + 1
        guard start < scalars.count, Self.isIdentifierStart(scalars[start]) else {
            throw failure(
                "expected \(expected)", at: position, advice: "Names consist of letters, digits and underscores.")
        }
        position = endOfIdentifier(from: start)
        return text(of: start..<position)
    }

    private mutating func word() -> Token.Kind {
        let start = position
        position = endOfIdentifier(from: start)
        var word = text(of: start..<position)
        if let end = endOfSelector() {
            position = end
            return .selector(text(of: start..<end))
        }
        if word.uppercased() == "UTI" {
            for hyphenated in ["-CONFORMS-TO", "-EQUALS"] {
                let end = position + hyphenated.count
                if end <= scalars.count, text(of: position..<end).uppercased() == hyphenated {
                    position = end
                    word = "UTI" + hyphenated
                }
            }
        }
        return Keyword(word: word).map(Token.Kind.keyword) ?? .identifier(word)
    }

    /// Where `distanceToLocation:fromLocation:` ends if the identifier just read begins a name with colons and an opening
    /// parenthesis follows it.
    private func endOfSelector() -> Int? {
        var end = position
        while end < scalars.count, scalars[end] == ":" { end = endOfIdentifier(from: end + 1) }
        guard end > position else { return nil }
        var next = end
        while next < scalars.count, scalars[next].properties.isWhitespace { next += 1 }
        return next < scalars.count && scalars[next] == "(" ? end : nil
    }
}

// MARK: - Literals

extension Lexer {
    /// As Apple's lexer does, a backslash before any other character than those that it names stands for that character:
    /// a regular expression's `\d` is written `\\d` in the format.
    private mutating func quotedText(until quote: Unicode.Scalar) throws(PredicateFormatError) -> String {
        let start = position
        var text = String.UnicodeScalarView()
        position += 1
        while let scalar = peek() {
            position += 1
            if scalar == quote { return String(text) }
            guard scalar == "\\" else {
                text.append(scalar)
                continue
            }
            guard let escaped = peek() else { break }
            position += 1
            switch escaped {
            case "n": text.append("\n")
            case "r": text.append("\r")
            case "t": text.append("\t")
            default: text.append(escaped)
            }
        }
        throw failure(
            "the text that begins here has no closing \(quote)", at: start,
            advice: "Close it, or hand the text over as an argument for %@.")
    }

    private mutating func number() throws(PredicateFormatError) -> PredicateValue {
        let start = position
        if peek() == "0", let letter = peek(1), let radix = Self.radix(of: letter) {
            position = endOfIdentifier(from: start + 2)
            guard let value = UInt64(text(of: start + 2..<position), radix: radix) else {
                throw failure(
                    "\"\(text(of: start..<position))\" is not a number of base \(radix) within 64 bits", at: start,
                    advice: "Write 0x for hexadecimal, 0o for octal and 0b for binary numbers.")
            }
            return PredicateValue(value)
        }
        skipDigits()
        var isInteger = true
        if peek() == ".", let digit = peek(1), Self.isDigit(digit) {
            isInteger = false
            position += 1
            skipDigits()
        }
        if let letter = peek(), letter == "e" || letter == "E" {
            let sign = peek(1) == "+" || peek(1) == "-" ? 1 : 0
            if let digit = peek(1 + sign), Self.isDigit(digit) {
                isInteger = false
                position += 1 + sign
                skipDigits()
            }
        }
        let text = text(of: start..<position)
        if let following = peek(), Self.isIdentifierPart(following) {
            throw failure(
                "a number runs into \"\(following)\"", at: start,
                advice: "A key does not begin with a digit; hand such a key over as an argument for %K.")
        }
        if isInteger, let value = Int64(text) { return .integer(value) }
        if isInteger, text.count <= 38, let value = Decimal(string: text) { return .decimal(value) }
        return .double(Double(text) ?? .infinity)
    }

    private mutating func skipDigits() {
        while let scalar = peek(), Self.isDigit(scalar) { position += 1 }
    }

    private static func radix(of letter: Unicode.Scalar) -> Int? {
        switch letter {
        case "x", "X": 16
        case "o", "O": 8
        case "b", "B": 2
        default: nil
        }
    }
}

// MARK: - Signs and placeholders

extension Lexer {
    private mutating func sign() throws(PredicateFormatError) -> Sign {
        for length in [2, 1] where position + length <= scalars.count {
            if let sign = Sign(rawValue: text(of: position..<position + length)) {
                position += length
                return sign
            }
        }
        let found = text(of: position..<position + 1)
        let advice =
            switch found {
            case "“", "”", "‘", "’", "„", "«", "»": "Put text in straight quotes."
            case ":": "A name with colons is a function and is followed by its arguments in parentheses."
            case "?": "There is no optional chaining; a key path that meets nil is nil."
            default: "Put text in quotes, or hand it over as an argument for %@."
            }
        throw failure("unexpected character \"\(found)\"", at: position, advice: advice)
    }

    private mutating func placeholder() throws(PredicateFormatError) -> Placeholder {
        let start = position
        position += 1
        while let scalar = peek(), "hlqzjtL".unicodeScalars.contains(scalar) { position += 1 }
        let conversion = peek()
        if conversion != nil { position += 1 }
        switch conversion {
        case "@" where position == start + 2: return .value
        case "K" where position == start + 2: return .keyPath
        case "d", "D", "i", "u", "U", "x", "X", "o", "O", "c", "C": return .integer
        case "f", "F", "e", "E", "g", "G", "a", "A": return .double
        case "s" where position == start + 2: return .text
        case "%":
            throw failure(
                "a percent sign has no meaning here", at: start,
                advice: "A percent sign within quotes stands for itself and is written once.")
        default:
            throw failure(
                "\"\(text(of: start..<position))\" is no placeholder", at: start,
                advice: "Use %@ for a value, %K for a key path, %d or %ld for integers and %f for other numbers, "
                    + "without width or precision.")
        }
    }
}
