import Foundation
import PredicateFormat
import WebServices

/// Gathers the filters of a predicate, which must all hold.
struct PredicateTranslation {
    private(set) var filters: [RecordsQuery.Filter] = []
    /// Whether some part can never hold, so that the rest does not matter.
    private(set) var isNeverTrue = false

    /// Adds a predicate to those that must hold.
    ///
    /// - Throws: `.invalidArguments` for what CloudKit does not know.
    mutating func add(_ predicate: ParsedPredicate) throws(CKError) {
        try gather(predicate)
        let measures = filters.contains { $0.comparator == .near }
        if measures && ranges > 0 {
            throw .unsupportedPredicate("A distance cannot be asked for together with BETWEEN")
        }
    }

    /// How many BETWEENs there are.
    private var ranges = 0

    private mutating func gather(_ predicate: ParsedPredicate) throws(CKError) {
        switch predicate {
        case .always(true): break
        case .always(false): isNeverTrue = true
        case .and(let operands): for operand in operands { try gather(operand) }
        case .or:
            throw .unsupportedPredicate("CloudKit has no OR: ask for IN, or run one query for each alternative")
        case .not(let operand): try gatherNegation(operand)
        case .comparison(let comparison): try gather(comparison, negated: false)
        }
    }

    private mutating func gatherNegation(_ predicate: ParsedPredicate) throws(CKError) {
        switch predicate {
        case .always(let value): try gather(.always(!value))
        case .not(let operand): try gather(operand)
        case .comparison(let comparison): try gather(comparison, negated: true)
        case .and, .or: throw .unsupportedPredicate("NOT cannot negate AND or OR")
        }
    }

    // MARK: One comparison

    private mutating func gather(_ comparison: ParsedPredicate.Comparison, negated: Bool) throws(CKError) {
        if try gatherTokens(comparison, negated: negated) { return }
        guard comparison.options.isEmpty else {
            throw .unsupportedPredicate("CloudKit knows no [c] or [d] with \(comparison.operator.rawValue)")
        }
        if try gatherDistance(comparison, negated: negated) { return }
        guard comparison.modifier != .all else { throw .unsupportedPredicate("CloudKit knows ANY, but not ALL") }
        let sides = try ComparisonSides(comparison)
        if comparison.modifier == .any {
            try gatherAny(sides, negated: negated)
        } else {
            try gatherDirect(sides, negated: negated)
        }
    }

    private mutating func gatherDirect(_ sides: ComparisonSides, negated: Bool) throws(CKError) {
        switch sides.operator {
        case .equalTo: try append(negated ? .notEquals : .equals, sides)
        case .notEqualTo: try append(negated ? .equals : .notEquals, sides)
        case .lessThan: try append(negated ? .greaterThanOrEquals : .lessThan, sides)
        case .lessThanOrEqualTo: try append(negated ? .greaterThan : .lessThanOrEquals, sides)
        case .greaterThan: try append(negated ? .lessThanOrEquals : .greaterThan, sides)
        case .greaterThanOrEqualTo: try append(negated ? .lessThan : .greaterThanOrEquals, sides)
        case .beginsWith: try append(negated ? .notBeginsWith : .beginsWith, sides)
        case .in: try appendList(negated ? .notIn : .in, sides, negated: negated)
        case .contains: try append(negated ? .notListContains : .listContains, sides)
        case .between:
            guard !negated else { throw .unsupportedPredicate("NOT cannot negate BETWEEN") }
            let bounds = try sides.list()
            guard bounds.count == 2 else { throw .unsupportedPredicate("BETWEEN needs a list of two values") }
            ranges += 1
            try append(.greaterThanOrEquals, sides, bounds[0])
            try append(.lessThanOrEquals, sides, bounds[1])
        case .endsWith, .like, .matches, .conformsToType, .equalsType, .tokenMatches:
            throw .unsupportedPredicate("CloudKit does not know \(sides.operator.rawValue)")
        }
    }

    /// `ANY field …` asks the members of a list; `ANY values == field` whether the field is one of the values.
    private mutating func gatherAny(_ sides: ComparisonSides, negated: Bool) throws(CKError) {
        switch sides.operator {
        case .equalTo where sides.isFlipped: try appendList(negated ? .notIn : .in, sides, negated: negated)
        case .equalTo, .contains: try append(negated ? .notListContains : .listContains, sides)
        case .in: try appendList(negated ? .notListContainsAny : .listContainsAny, sides, negated: negated)
        case .beginsWith: try append(negated ? .notListMemberBeginsWith : .listMemberBeginsWith, sides)
        default:
            throw .unsupportedPredicate(
                "ANY goes with =, IN, CONTAINS and BEGINSWITH, not with \(sides.operator.rawValue)")
        }
    }

    private mutating func append(
        _ comparator: RecordsQuery.Comparator, _ sides: ComparisonSides, _ value: PredicateValue? = nil
    ) throws(CKError) {
        if sides.field.isSystemReference && comparator != .equals && comparator != .notEquals {
            throw .unsupportedPredicate("'\(sides.field.text)' can be compared with =, != and IN only")
        }
        let operand = try FieldValue(predicate: value ?? sides.value, of: sides.field)
        if case .location = operand {
            throw .unsupportedPredicate(
                "A location is asked for by its distance: distanceToLocation:fromLocation:(\(sides.field.text), …) < …")
        }
        filters.append(RecordsQuery.Filter(comparator, sides.field, .typed(operand)))
    }

    /// A list without elements is decided here: nothing is in it.
    private mutating func appendList(
        _ comparator: RecordsQuery.Comparator, _ sides: ComparisonSides, negated: Bool
    ) throws(CKError) {
        var elements: [FieldValue] = []
        for value in try sides.list() { elements.append(try FieldValue(predicate: value, of: sides.field)) }
        guard let type = elements.first?.type else {
            if !negated { isNeverTrue = true }
            return
        }
        if elements.contains(where: { $0.type == .double }) {
            elements = elements.map { element in
                if case .int64(let number) = element { .double(Double(number)) } else { element }
            }
        }
        let common = elements.contains { $0.type == .double } ? FieldType.double : type
        guard elements.allSatisfy({ $0.type == common }), common.list != nil else {
            throw .unsupportedPredicate("The values of a list must all be of one type")
        }
        filters.append(RecordsQuery.Filter(comparator, sides.field, .typed(.list(elements, of: common))))
    }
}

// MARK: - Distances and tokens

extension PredicateTranslation {
    /// `distanceToLocation:fromLocation:(field, place) < metres`. The unit is CoreLocation's.
    private mutating func gatherDistance(
        _ comparison: ParsedPredicate.Comparison, negated: Bool
    ) throws(CKError) -> Bool {
        guard case .function(.distance, let arguments) = comparison.left else { return false }
        guard !negated else { throw .unsupportedPredicate("NOT cannot negate a distance") }
        guard comparison.modifier == .direct,
            comparison.operator == .lessThan || comparison.operator == .lessThanOrEqualTo,
            case .constant(let radius) = comparison.right, let metres = radius.number
        else { throw .unsupportedPredicate("A distance can only be asked to be less than a number of metres") }
        guard arguments.count == 2, let (key, place) = Self.fieldAndPlace(arguments) else {
            throw .unsupportedPredicate("A distance is asked for between a field and a CLLocation")
        }
        filters.append(
            RecordsQuery.Filter(
                .near, try RecordsQuery.FieldName(key: key), .typed(.location(place)), distance: metres))
        return true
    }

    private static func fieldAndPlace(_ arguments: [ParsedExpression]) -> (String, Location)? {
        let orders = [(arguments[0], arguments[1]), (arguments[1], arguments[0])]
        for case (.keyPath(let path), .constant(.object(let object))) in orders {
            guard let location = object.value as? CLLocation else { continue }
            return (path.description, Location(location))
        }
        return nil
    }

    /// Full-text search: `self CONTAINS 'words'`, `allTokens TOKENMATCHES[cdl] 'words'`,
    /// `ALL tokenize('words', 'cdl') IN allTokens`.
    private mutating func gatherTokens(
        _ comparison: ParsedPredicate.Comparison, negated: Bool
    ) throws(CKError) -> Bool {
        let comparator: RecordsQuery.Comparator
        let field: RecordsQuery.FieldName?
        let words: PredicateValue
        switch (comparison.left, comparison.operator, comparison.right) {
        case (.evaluatedObject, .contains, .constant(let value)):
            // Within one string the words are alternatives; several such comparisons must all hold.
            (comparator, field, words) = (.containsAnyTokens, nil, value)
        case (.keyPath(let path), .tokenMatches, .constant(let value)):
            (comparator, field, words) = (.containsAllTokens, try Self.searched(path), value)
        case (.function(.tokenize, let arguments), .in, .keyPath(let path)):
            guard case .constant(let value)? = arguments.first else { return false }
            comparator = comparison.modifier == .any ? .containsAnyTokens : .containsAllTokens
            (field, words) = (try Self.searched(path), value)
        default:
            return false
        }
        guard !negated else { throw .unsupportedPredicate("NOT cannot negate a search for words") }
        guard case .string(let text) = words else { throw .unsupportedPredicate("Words are searched for in a text") }
        filters.append(RecordsQuery.Filter(comparator, field, .typed(.string(text))))
        return true
    }

    /// `allTokens` stands for the words of all fields.
    private static func searched(_ path: ParsedKeyPath) throws(CKError) -> RecordsQuery.FieldName? {
        path.description == "allTokens" ? nil : try RecordsQuery.FieldName(key: path.description)
    }
}
