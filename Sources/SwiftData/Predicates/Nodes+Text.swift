import Foundation
import PersistentStore

// Text.

extension PredicateTranslation {
    fileprivate func text(
        _ test: StoreTextTest, _ first: some PredicateExpression, _ second: some PredicateExpression,
        _ types: Any.Type...
    )
        throws -> PredicateTerm
    {
        try requireText(types)
        return .value(.text(test, try value(first), try value(second)))
    }

    fileprivate func textOrder(
        _ order: StoreTextOrder, _ first: some PredicateExpression, _ second: some PredicateExpression
    )
        throws -> PredicateTerm
    {
        .value(.textOrder(order, try value(first), try value(second)))
    }

    private func requireText(_ types: [Any.Type]) throws {
        for type in types where type != String.self && type != Substring.self {
            throw PredicateProblem.predicate("contains or starts(with:) on \(type)")
        }
    }
}

extension PredicateExpressions.CollectionContainsCollection: TranslatableExpression {
    func term(_ context: PredicateTranslation) throws -> PredicateTerm {
        if case .constant = try context.term(base), case .constant = try context.term(other) {
            return try context.constant(self)
        }
        return try context.text(.contains, base, other, Base.Output.self, Other.Output.self)
    }
}

extension PredicateExpressions.SequenceStartsWith: TranslatableExpression {
    func term(_ context: PredicateTranslation) throws -> PredicateTerm {
        if case .constant = try context.term(base), case .constant = try context.term(prefix) {
            return try context.constant(self)
        }
        return try context.text(.startsWith, base, prefix, Base.Output.self, Prefix.Output.self)
    }
}

extension PredicateExpressions.StringContainsRegex: TranslatableExpression {
    func term(_ context: PredicateTranslation) throws -> PredicateTerm {
        throw PredicateProblem.predicate("a regular expression")
    }
}

extension PredicateExpressions.StringLocalizedStandardContains: TranslatableExpression {
    func term(_ context: PredicateTranslation) throws -> PredicateTerm {
        try context.text(.localizedStandardContains, root, other, Root.Output.self, Other.Output.self)
    }
}

extension PredicateExpressions.StringCaseInsensitiveCompare: TranslatableExpression {
    func term(_ context: PredicateTranslation) throws -> PredicateTerm {
        try context.textOrder(.caseInsensitive, root, other)
    }
}

extension PredicateExpressions.StringLocalizedCompare: TranslatableExpression {
    func term(_ context: PredicateTranslation) throws -> PredicateTerm {
        try context.textOrder(.localized, root, other)
    }
}
