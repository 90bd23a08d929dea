/// Why a predicate has no answer for an object. Values that do not compare are no error: the comparison is false then.
package enum PredicateEvaluationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// `$name` has no value.
    case unboundVariable(String)
    /// A value has no keys, or none of this name.
    case notKeyValueCoding(type: String, key: String)
    case invalidRegularExpression(String)
    /// `FUNCTION(…, "selector:")` names a method that cannot be called here.
    case unsupportedSelector(String)
    /// `CAST(…, "type")` names a type that it does not convert to.
    case unsupportedCast(String)
    /// An operator whose meaning lies outside (uniform type identifiers).
    case unsupportedOperator(String)
    /// The tree, built by code, is deeper than `PredicateLimits.nesting` allows.
    case nestedTooDeeply

    package var description: String {
        switch self {
        case .unboundVariable(let name):
            "The variable $\(name) has no value. Bind it with withSubstitutionVariables(_:) or when evaluating."
        case .notKeyValueCoding(let type, let key):
            "\(type) has no value for the key \"\(key)\". Evaluate dictionaries with text keys, records or managed objects."
        case .invalidRegularExpression(let pattern):
            "\"\(pattern)\" is no regular expression. Note that a format's text takes each backslash twice."
        case .unsupportedSelector(let selector):
            "FUNCTION cannot call \"\(selector)\": there is no Objective-C runtime. Compute the value beforehand."
        case .unsupportedCast(let type):
            "CAST does not convert this value to \"\(type)\". It knows NSDate, NSNumber, NSDecimalNumber, NSString and NSUUID."
        case .unsupportedOperator(let name):
            "\(name) cannot be evaluated: there is no database of uniform type identifiers here."
        case .nestedTooDeeply:
            "The predicate is nested more than \(PredicateLimits.nesting) levels deep."
        }
    }
}
