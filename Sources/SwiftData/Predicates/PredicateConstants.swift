import Foundation
import PersistentStore

/// Captured values as a store keeps them.
enum PredicateConstants {
    /// Throws when a store has no such value.
    static func value(_ any: Any) throws -> StoreValue {
        guard let any = unwrapped(any) else { return .null }
        switch any {
        case let value as String: return .string(value)
        case let value as Int: return .integer(Int64(value))
        case let value as Bool: return .boolean(value)
        case let value as Double: return .double(value)
        case let value as Date: return .date(value)
        case let value as UUID: return .uuid(value)
        case let value as Data: return .data(value)
        case let value as URL: return .url(value)
        case let value as Decimal: return .decimal(value)
        case let value as Float: return .double(Double(value))
        case let value as CGFloat: return .double(Double(value))
        case let value as Substring: return .string(String(value))
        case let value as Character: return .string(String(value))
        case let value as UInt64: return .integer(Int64(bitPattern: value))
        case let value as UInt: return .integer(Int64(bitPattern: UInt64(value)))
        case let value as any FixedWidthInteger: return .integer(Int64(truncatingIfNeeded: value))
        case let value as any RawRepresentable: return try self.value(raw(value))
        case let value as any Encodable where isPlainCase(value): return .data(try EncodedValue.data(value))
        default:
            throw PredicateProblem.predicate("a captured value of the type \(type(of: any)), which has no column type")
        }
    }

    private static func raw(_ value: some RawRepresentable) -> Any { value.rawValue }

    /// A case of an enum without a payload, whose encoded form is always the same bytes.
    static func isPlainCase(_ value: Any) -> Bool {
        let mirror = Mirror(reflecting: value)
        return mirror.displayStyle == .enum && mirror.children.isEmpty
    }

    /// What values of a type are compared as; nil when a store cannot compare them.
    static func kind(of type: Any.Type) -> StoreComparisonKind? {
        switch withoutOptional(type) {
        case is String.Type, is Substring.Type, is Character.Type: .text
        case is UUID.Type, is URL.Type, is Data.Type: .exact
        case is Decimal.Type: .decimal
        case is UInt64.Type, is UInt.Type: .unsigned
        case is Date.Type, is Bool.Type, is any BinaryInteger.Type, is any BinaryFloatingPoint.Type: .number
        case let raw as any RawRepresentable.Type: rawType(of: raw).flatMap(kind)
        default: nil
        }
    }

    /// Whether `<` on the values is `<` on what the store keeps: not for enums, which order themselves.
    static func isOrdered(_ type: Any.Type) -> Bool {
        let type = withoutOptional(type)
        return type == ComparisonResult.self || !(type is any RawRepresentable.Type) && kind(of: type) != nil
    }

    private static func rawType<Raw: RawRepresentable>(of type: Raw.Type) -> Any.Type? { Raw.RawValue.self }

    /// The type in which numbers are computed; nil for types that the store does not compute in.
    static func number(_ type: Any.Type) -> StoreNumberType? {
        switch type {
        case is Double.Type, is CGFloat.Type: .double
        case is Float.Type: .float
        case let integer as any FixedWidthInteger.Type:
            integer.bitWidth <= 64 ? .integer(bits: integer.bitWidth, isSigned: integer.isSigned) : nil
        default: nil
        }
    }

    /// Many values at once. The types that apps collect are taken without asking for the type of each.
    static func values<Elements: Sequence>(_ elements: Elements) throws -> [StoreValue] {
        switch elements {
        case let strings as [String]: return strings.map { .string($0) }
        case let numbers as [Int]: return numbers.map { .integer(Int64($0)) }
        case let numbers as [Int64]: return numbers.map { .integer($0) }
        case let ids as [UUID]: return ids.map { .uuid($0) }
        case let ids as Set<UUID>: return ids.map { .uuid($0) }
        case let strings as Set<String>: return strings.map { .string($0) }
        default: return try elements.map { try value($0) }
        }
    }
}

/// Why a predicate or order cannot be answered by the store, naming the part.
enum PredicateProblem: Error {
    case predicate(String)
    case keyPath(String)
    case sortDescriptor(String)
}
