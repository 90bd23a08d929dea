import Foundation
import Synchronization

/// The pattern of `LIKE`: `*` stands for any text, `?` for one character, and a backslash takes the meaning from the next.
struct WildcardPattern {
    private enum Piece: Equatable {
        case character(Character)
        case anyCharacter
        case anyText
    }

    private let pieces: [Piece]

    init(_ pattern: String) {
        var pieces = [Piece]()
        var isEscaped = false
        for character in pattern {
            switch character {
            case _ where isEscaped:
                pieces.append(.character(character))
                isEscaped = false
            case "\\": isEscaped = true
            case "*": if pieces.last != .anyText { pieces.append(.anyText) }
            case "?": pieces.append(.anyCharacter)
            default: pieces.append(.character(character))
            }
        }
        if isEscaped { pieces.append(.character("\\")) }
        self.pieces = pieces
    }

    /// Whether the pattern takes the whole text. Only the latest `*` is ever tried again, so that no pattern costs more
    /// than the product of both lengths.
    func matches(_ text: String) -> Bool {
        let characters = Array(text)
        var position = 0
        var piece = 0
        var retry: (piece: Int, position: Int)?
        while position < characters.count {
            if piece < pieces.count, pieces[piece] == .anyText {
                retry = (piece + 1, position)
                piece += 1
            } else if piece < pieces.count,
                pieces[piece] == .anyCharacter || pieces[piece] == .character(characters[position])
            {
                piece += 1
                position += 1
            } else if let last = retry {
                retry = (last.piece, last.position + 1)
                piece = last.piece
                position = last.position + 1
            } else {
                return false
            }
        }
        return pieces[piece...].allSatisfy { $0 == .anyText }
    }
}

/// Compiled patterns of `MATCHES`: a predicate is applied to many objects in a row.
final class RegularExpressions: Sendable {
    static let shared = RegularExpressions(limit: 64)

    private struct Key: Hashable {
        var pattern: String
        var ignoresCase: Bool
    }

    private let limit: Int
    private let compiled = Mutex<[Key: NSRegularExpression]>([:])

    init(limit: Int) {
        self.limit = limit
    }

    /// An expression that takes the whole text or nothing.
    func expression(
        _ pattern: String, _ options: ParsedPredicate.Options
    ) throws(PredicateEvaluationError) -> NSRegularExpression {
        let key = Key(pattern: pattern, ignoresCase: options.contains(.caseInsensitive))
        if let expression = compiled.withLock({ $0[key] }) { return expression }
        // Compiled alone first: a pattern such as "a)(b" must not become valid by what is put around it.
        guard pattern.isEmpty || (try? NSRegularExpression(pattern: pattern)) != nil,
            let expression = try? NSRegularExpression(
                pattern: "(?:\(pattern))\\z", options: key.ignoresCase ? [.caseInsensitive] : [])
        else { throw .invalidRegularExpression(pattern) }
        compiled.withLock { compiled in
            if compiled.count >= limit { compiled.removeAll() }
            compiled[key] = expression
        }
        return expression
    }
}
