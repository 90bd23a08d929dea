import CoreLocation
import Foundation
import PredicateFormat
import WebServices

/// A comparison as CloudKit knows it: a field on one side and a value on the other.
struct ComparisonSides {
    let field: RecordsQuery.FieldName
    let `operator`: ParsedPredicate.Operator
    let value: PredicateValue
    /// Whether the value was written first.
    let isFlipped: Bool

    init(_ comparison: ParsedPredicate.Comparison) throws(CKError) {
        if let key = try Self.key(comparison.left), let value = try Self.constant(comparison.right) {
            field = try RecordsQuery.FieldName(key: key)
            `operator` = comparison.operator
            self.value = value
            isFlipped = false
        } else if let key = try Self.key(comparison.right), let value = try Self.constant(comparison.left) {
            field = try RecordsQuery.FieldName(key: key)
            `operator` = try Self.flipped(comparison.operator)
            self.value = value
            isFlipped = true
        } else {
            throw .unsupportedPredicate(
                "'\(ParsedPredicate.comparison(comparison).predicateFormat)': CloudKit compares one field with one value"
            )
        }
    }

    private static func key(_ expression: ParsedExpression) throws(CKError) -> String? {
        guard case .keyPath(let path) = expression else { return nil }
        guard let key = path.singleKey else {
            throw .unsupportedPredicate("'\(path)': a query speaks of the record's own fields only")
        }
        return key
    }

    private static func constant(_ expression: ParsedExpression) throws(CKError) -> PredicateValue? {
        switch expression {
        case .constant(let value): return value
        case .function(.now, _): return .date(Date())
        case .variable(let name):
            throw .unsupportedPredicate("$\(name) has no value; use withSubstitutionVariables(_:)")
        default: return nil
        }
    }

    private static func flipped(_ operator: ParsedPredicate.Operator) throws(CKError) -> ParsedPredicate.Operator {
        switch `operator` {
        case .equalTo, .notEqualTo: return `operator`
        case .lessThan: return .greaterThan
        case .lessThanOrEqualTo: return .greaterThanOrEqualTo
        case .greaterThan: return .lessThan
        case .greaterThanOrEqualTo: return .lessThanOrEqualTo
        case .in: return .contains
        case .contains: return .in
        default: throw .unsupportedPredicate("\(`operator`.rawValue) needs the field on its left")
        }
    }

    func list() throws(CKError) -> [PredicateValue] {
        guard case .list(let values) = value else {
            throw .unsupportedPredicate("\(`operator`.rawValue) needs a list of values")
        }
        return values
    }
}

extension PredicateValue {
    var number: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .double(let number): number
        case .decimal(let number): NSDecimalNumber(decimal: number).doubleValue
        default: nil
        }
    }
}

extension FieldValue {
    /// A value that a predicate compares a field with.
    ///
    /// A reference travels by its record name alone: that is what the server compares.
    init(predicate value: PredicateValue, of field: RecordsQuery.FieldName) throws(CKError) {
        switch value {
        case .string(let text):
            // A reference's record may be given by its name.
            self = field.isSystemReference ? .reference(WebServices.Reference(recordName: text)) : .string(text)
        case .bool(let flag): self = .int64(flag ? 1 : 0)
        case .integer(let number): self = .int64(number)
        case .double(let number): self = .double(number)
        case .decimal: self = .double(value.number ?? 0)
        case .date(let date): self = .timestamp(date.millisecondsSince1970)
        case .data(let data): self = .bytes([UInt8](data))
        case .object(let object): self = try FieldValue(object: object.value)
        case .null: throw .unsupportedPredicate("'\(field.text)': a field cannot be compared with nil")
        case .uuid:
            throw .unsupportedPredicate("'\(field.text)': a UUID is no value of a record; compare its uuidString")
        case .list: throw .unsupportedPredicate("'\(field.text)': a list is compared with IN, CONTAINS or ANY")
        }
    }

    private init(object: Any) throws(CKError) {
        switch object {
        case let reference as CKRecord.Reference:
            self = .reference(WebServices.Reference(recordName: reference.recordID.recordName))
        case let recordID as CKRecord.ID: self = .reference(WebServices.Reference(recordName: recordID.recordName))
        case let record as CKRecord: self = .reference(WebServices.Reference(recordName: record.recordID.recordName))
        case let location as CLLocation: self = .location(Location(location))
        default:
            throw .unsupportedPredicate("A query cannot compare a field with a value of type \(Swift.type(of: object))")
        }
    }
}
