import Foundation

extension ParsedPredicate.Comparison {
    /// Whether the operator holds between two values, the modifier aside.
    ///
    /// Values of different kinds are unequal and in no order. nil equals nil, and is in no order with anything.
    func holds(_ left: PredicateValue, _ right: PredicateValue) throws(PredicateEvaluationError) -> Bool {
        switch self.operator {
        case .equalTo: return left.isEqual(to: right, options)
        case .notEqualTo: return !left.isEqual(to: right, options)
        case .lessThan: return left.compared(to: right, options) == .orderedAscending
        case .greaterThan: return left.compared(to: right, options) == .orderedDescending
        case .lessThanOrEqualTo: return left.isAtMost(right, options)
        case .greaterThanOrEqualTo: return right.isAtMost(left, options)
        case .between:
            guard case .list(let bounds) = right, bounds.count == 2 else { return false }
            return bounds[0].isAtMost(left, options) && left.isAtMost(bounds[1], options)
        case .in: return right.contains(left, options)
        case .contains: return left.contains(right, options)
        case .equalsType: return texts(left, right) { $0.lowercased() == $1.lowercased() }
        case .conformsToType: throw .unsupportedOperator(self.operator.rawValue)
        case .beginsWith: return texts(left, right) { $0.starts(with: $1) }
        case .endsWith: return texts(left, right) { $0.reversed().starts(with: $1.reversed()) }
        case .like: return texts(left, right) { WildcardPattern($1).matches($0) }
        case .tokenMatches:
            let tokens = Set(left.innermostElements.flatMap { $0.tokens(options) })
            return right.tokens(options).allSatisfy(tokens.contains)
        case .matches:
            guard case .string(let text) = left, case .string(let pattern) = right else { return false }
            let expression = try RegularExpressions.shared.expression(pattern, options)
            // Folding would change a pattern's meaning (\D, \d), so diacritics are taken from the text only.
            let subject = options.subtracting(.caseInsensitive).folded(text)
            let whole = NSRange(location: 0, length: subject.utf16.count)
            return expression.firstMatch(in: subject, options: [.anchored], range: whole)?.range == whole
        }
    }

    /// Two texts in the form in which the options compare them; false if either value is no text.
    private func texts(
        _ left: PredicateValue, _ right: PredicateValue, hold: (String, String) -> Bool
    ) -> Bool {
        guard case .string(let left) = left, case .string(let right) = right else { return false }
        return hold(options.folded(left), options.folded(right))
    }
}

extension ParsedPredicate.Options {
    /// Text in the form in which two texts are compared.
    func folded(_ text: String) -> String {
        var folding: String.CompareOptions = []
        if contains(.caseInsensitive) { folding.insert(.caseInsensitive) }
        if contains(.diacriticInsensitive) { folding.insert(.diacriticInsensitive) }
        if folding.isEmpty || contains(.normalized) { return text }
        return text.folding(options: folding, locale: contains(.localeSensitive) ? .current : nil)
    }

    /// The options of letters, those that are no option left out.
    init(letters: String) {
        self = Self.letters.reduce(into: []) { options, entry in
            if letters.lowercased().contains(entry.letter) { options.insert(entry.option) }
        }
    }
}

extension PredicateValue {
    /// Whether a list has the element, or a text the part. Every text has the empty one as a part (Apple documents
    /// nothing; an empty search field should find all).
    fileprivate func contains(_ part: PredicateValue, _ options: ParsedPredicate.Options) -> Bool {
        switch (self, part) {
        case (.list(let elements), _):
            return elements.contains { $0.isEqual(to: part, options) }
        case (.string(let text), .string(let part)):
            let part = options.folded(part)
            return part.isEmpty || options.folded(text).contains(part)
        default:
            return false
        }
    }

    fileprivate func isAtMost(_ other: PredicateValue, _ options: ParsedPredicate.Options) -> Bool {
        switch compared(to: other, options) {
        case .orderedAscending, .orderedSame: true
        case .orderedDescending, nil: false
        }
    }

    /// The words of a text: what lies between characters that are neither letters nor digits.
    func tokens(_ options: ParsedPredicate.Options) -> [String] {
        switch self {
        case .string(let text): options.folded(text).split { !$0.isLetter && !$0.isNumber }.map(String.init)
        case .list(let elements): elements.flatMap { $0.tokens(options) }
        default: []
        }
    }
}
