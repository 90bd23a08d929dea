/// Why a text is no JSON that Stratus reads.
package enum JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is nothing but white space.
    case empty
    /// The text is larger than the parser can address (4 GB).
    case tooLarge
    /// There is no memory for a text of this size.
    case outOfMemory
    /// Arrays and objects are nested deeper than the limit.
    case tooDeep(limit: Int)
    /// The bytes are not UTF-8.
    case invalidUTF8
    /// A string has an unknown escape, half a surrogate pair or a bare control character, or does not end.
    case invalidString
    /// Something begins like `true`, `false` or `null` and is none of them.
    case invalidLiteral
    /// A number is malformed or too large for a `Double`.
    case invalidNumber
    /// A comma, a colon, a key or a brace is missing or superfluous, or text follows the value.
    case invalidStructure

    package var description: String {
        switch self {
        case .empty: "There is no JSON."
        case .tooLarge: "The JSON is too large."
        case .outOfMemory: "There is no memory to read the JSON."
        case .tooDeep(let limit): "The JSON is nested deeper than \(limit) levels."
        case .invalidUTF8: "The JSON is not UTF-8."
        case .invalidString: "The JSON holds a malformed string."
        case .invalidLiteral: "The JSON holds a malformed literal."
        case .invalidNumber: "The JSON holds a malformed number, or one that is out of range."
        case .invalidStructure: "The JSON has a missing or superfluous comma, colon, key or brace."
        }
    }
}
