import Foundation

/// The elements of an array attribute, whatever wrote it: a property list or JSON.
package enum StoredArray {
    /// Nil when the bytes are no array of simple values.
    package static func decode(_ bytes: Data) -> [StoreValue]? {
        guard let first = bytes.first else { return nil }
        let object: Any? =
            first == UInt8(ascii: "[")
            ? try? JSONSerialization.jsonObject(with: bytes)
            : try? PropertyListSerialization.propertyList(from: bytes, options: [], format: nil)
        guard let elements = object as? [Any] else { return nil }
        return elements.map(value)
    }

    private static func value(_ element: Any) -> StoreValue {
        switch element {
        case let text as String: .string(text)
        case let date as Date: .date(date)
        case let data as Data: .data(data)
        case let number as NSNumber: value(number)
        default: .null
        }
    }

    private static func value(_ number: NSNumber) -> StoreValue {
        switch String(cString: number.objCType) {
        case "d", "f": .double(number.doubleValue)
        default: .integer(number.int64Value)
        }
    }

    /// Nil: nil, or a step that failed.
    static func apply(_ function: StoreArrayFunction, to elements: [StoreValue], _ argument: StoreValue) -> StoreValue?
    {
        switch function {
        case .count: return .integer(Int64(elements.count))
        case .contains: return .boolean(elements.contains { isEqual($0, argument) })
        case .minimum: return elements.min { order($0, $1) == .orderedAscending }
        case .maximum: return elements.max { order($0, $1) == .orderedAscending }
        case .element:
            guard case .integer(let index) = argument, let index = Int(exactly: index), elements.indices.contains(index)
            else { return nil }
            return elements[index]
        }
    }

    static func isEqual(_ first: StoreValue, _ second: StoreValue) -> Bool {
        first.isNull || second.isNull ? first.isNull && second.isNull : order(first, second) == .orderedSame
    }

    /// Nil when the two are of different kinds.
    static func order(_ first: StoreValue, _ second: StoreValue) -> ComparisonResult? {
        if case .integer(let left) = first, case .integer(let right) = second { return compare(left, right) }
        if let left = number(first), let right = number(second) { return compare(left, right) }
        switch (first, second) {
        case (.string(let left), .string(let right)): return compare(left, right)
        case (.string(let left), _): return bytes(second).flatMap { order(uuid: left, $0) }
        case (_, .string(let right)):
            return bytes(first).flatMap { order(uuid: right, $0) }.map {
                $0 == .orderedSame ? .orderedSame : $0 == .orderedAscending ? .orderedDescending : .orderedAscending
            }
        default:
            guard let left = bytes(first), let right = bytes(second) else { return nil }
            return left == right
                ? .orderedSame : left.lexicographicallyPrecedes(right) ? .orderedAscending : .orderedDescending
        }
    }

    private static func compare<Value: Comparable>(_ first: Value, _ second: Value) -> ComparisonResult {
        first < second ? .orderedAscending : first == second ? .orderedSame : .orderedDescending
    }

    private static func number(_ value: StoreValue) -> Double? {
        switch value {
        case .double(let value): value
        case .date(let value): value.timeIntervalSinceReferenceDate
        case .boolean(let value): value ? 1 : 0
        case .integer(let value): Double(value)
        default: nil
        }
    }

    private static func bytes(_ value: StoreValue) -> [UInt8]? {
        switch value {
        case .data(let data): [UInt8](data)
        case .uuid(let uuid): withUnsafeBytes(of: uuid.uuid) { [UInt8]($0) }
        default: nil
        }
    }

    /// Coders write an identifier as its text.
    private static func order(uuid text: String, _ other: [UInt8]) -> ComparisonResult? {
        guard let uuid = UUID(uuidString: text), let own = bytes(.uuid(uuid)) else { return nil }
        return own == other
            ? .orderedSame : own.lexicographicallyPrecedes(other) ? .orderedAscending : .orderedDescending
    }
}
