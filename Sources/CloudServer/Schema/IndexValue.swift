import CloudStore
import WebServices

/// Values as bytes whose order (byte by byte) is the order of the values: what index entries hold and scans compare.
package enum IndexValue {
    /// Longer values are cut here, so equal bytes of this length do not prove equal values: look at the record.
    package static let maximumLength = 1024
    /// Distinct elements of one list that get an entry each. A list with more has `manyElements` as well.
    package static let maximumElements = 1000
    /// Longer than any value's entry. Stored: never change.
    package static let manyElements = [UInt8](repeating: 0, count: maximumLength + 1)

    /// nil for a value that is not indexed: assets, and lists (see `entries`). Of locations the order means nothing, but
    /// near ones are together.
    package static func bytes(_ value: FieldValue) -> [UInt8]? {
        switch value {
        case .string(let text): string(text)
        case .int64(let number), .timestamp(let number): integer(number)
        case .double(let number): double(number)
        case .bytes(let bytes): Array(bytes.prefix(maximumLength))
        case .reference(let reference): string(reference.recordName)
        case .location(let place): bigEndian(PlaceCode.code(place))
        case .asset, .list: nil
        }
    }

    /// Eight bytes, most significant first, with the sign bit flipped.
    package static func integer(_ number: Int64) -> [UInt8] {
        bigEndian(UInt64(bitPattern: number) ^ (1 << 63))
    }

    /// Negative numbers with all bits flipped, others with the sign bit set; both zeros are one.
    package static func double(_ number: Double) -> [UInt8] {
        let bits = (number == 0 ? 0 : number).bitPattern
        return bigEndian(bits >> 63 == 1 ? ~bits : bits | (1 << 63))
    }

    /// The number that `double` made these bytes of.
    static func double(of bytes: [UInt8]) -> Double? {
        guard bytes.count == 8 else { return nil }
        let bits = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Double(bitPattern: bits >> 63 == 1 ? bits & ~(1 << 63) : ~bits)
    }

    /// UTF-8, cut at `maximumLength` bytes.
    package static func string(_ text: String) -> [UInt8] {
        Array(text.utf8.prefix(maximumLength))
    }

    /// What one field of a record is indexed by: its value, or each distinct element of its list.
    package static func entries(_ value: FieldValue) -> Set<[UInt8]> {
        guard case .list(let elements, _) = value else {
            return bytes(value).map { [$0] } ?? []
        }
        var distinct: Set<[UInt8]> = []
        for element in elements {
            guard let bytes = bytes(element) else { break }
            if distinct.count < maximumElements {
                distinct.insert(bytes)
            } else if !distinct.contains(bytes) {
                distinct.insert(manyElements)
                break
            }
        }
        return distinct
    }

    static func bigEndian(_ bits: UInt64) -> [UInt8] {
        withUnsafeBytes(of: bits.bigEndian) { Array($0) }
    }
}
