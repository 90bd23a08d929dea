import Foundation
import PersistentStore

// `other.evaluate($0)` in a predicate. Foundation has this node on Apple's platforms and lacks it elsewhere, where `#Predicate`
// refuses the call too: what puts predicates together by itself uses the node.

extension PredicateExpressions {
    /// Another predicate, evaluated inside of one.
    public struct PredicateEvaluate<each Input: PredicateExpression>: PredicateExpression {
        public typealias Output = Bool

        public let predicate: Predicate<repeat (each Input).Output>
        public let input: (repeat each Input)

        public init(predicate: Predicate<repeat (each Input).Output>, input: repeat each Input) {
            self.predicate = predicate
            self.input = (repeat each input)
        }

        public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
            try predicate.evaluate(repeat (each input).evaluate(bindings))
        }
    }

    public static func build_evaluate<each Input>(
        _ predicate: Value<Predicate<repeat (each Input).Output>>, _ input: repeat each Input
    ) -> PredicateEvaluate<repeat each Input> {
        PredicateEvaluate(predicate: predicate.value, input: repeat each input)
    }
}

extension PredicateExpressions.PredicateEvaluate: Sendable where repeat each Input: Sendable {}

// Foundation's predicates cannot be encoded there, so neither can a predicate with one inside.
extension PredicateExpressions.PredicateEvaluate: Codable where repeat each Input: Codable {
    public init(from decoder: any Decoder) throws {
        throw DecodingError.dataCorrupted(
            .init(codingPath: decoder.codingPath, debugDescription: "A predicate inside of another cannot be decoded."))
    }

    public func encode(to encoder: any Encoder) throws {
        throw EncodingError.invalidValue(
            self,
            .init(codingPath: encoder.codingPath, debugDescription: "A predicate inside of another cannot be encoded."))
    }
}

extension PredicateExpressions.PredicateEvaluate: StandardPredicateExpression
where repeat each Input: StandardPredicateExpression {}

extension PredicateExpressions.PredicateEvaluate: TranslatableExpression {
    func term(_ context: PredicateTranslation) throws -> PredicateTerm {
        repeat context.bind(each predicate.variable, to: try context.term(each input))
        return try context.term(predicate.expression)
    }
}
