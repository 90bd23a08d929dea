import Foundation
import PredicateFormat

/// Shorthand for the trees that tests expect.
func parse(_ format: String, _ arguments: Any?...) throws -> ParsedPredicate {
    try ParsedPredicate.parse(format: format, arguments: arguments)
}

func expression(_ format: String, _ arguments: Any?...) throws -> ParsedExpression {
    try ParsedExpression.parse(format: format, arguments: arguments)
}

extension ParsedPredicate {
    static func compare(
        _ left: ParsedExpression, _ operator: Operator, _ right: ParsedExpression, options: Options = [],
        modifier: Modifier = .direct
    ) -> ParsedPredicate {
        .comparison(Comparison(left, `operator`, right, options: options, modifier: modifier))
    }
}

extension ParsedExpression {
    static func string(_ text: String) -> ParsedExpression { .constant(.string(text)) }
    static func integer(_ number: Int64) -> ParsedExpression { .constant(.integer(number)) }
}

/// Stands for a record or a managed object: a class that answers for keys.
final class Shelf: PredicateEvaluatable {
    let values: [String: Any]

    init(_ values: [String: Any]) {
        self.values = values
    }

    func predicateValue(forKey key: String) -> Any? { values[key] }
}

/// Stands for a record identifier: a class of someone else's, equal by value.
final class Identifier: NSObject, Sendable {
    let name: String

    init(_ name: String) {
        self.name = name
    }

    override func isEqual(_ object: Any?) -> Bool { (object as? Identifier)?.name == name }
    override var hash: Int { name.hashValue }
}

/// Stands for a location: metres along a line.
struct Milestone: PredicateLocation, Hashable {
    var metres: Double

    func predicateDistance(to other: Any) -> Double? {
        (other as? Milestone).map { abs($0.metres - metres) }
    }
}

/// SplitMix64, so that a failing case can be run again from its seed.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
