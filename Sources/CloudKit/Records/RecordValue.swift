import CoreLocation
import Foundation

/// What a field of a record holds, in the form in which it is kept: a value that several threads may read.
package enum RecordValue: Sendable, Equatable {
    case string(String)
    case integer(Int64)
    case double(Double)
    case date(Date)
    case data(Data)
    case location(CLLocation)
    case reference(CKRecord.Reference)
    case asset(CKAsset)
    /// No element is itself a list.
    case list([RecordValue])

    /// Reads any class or structure that a record accepts; nil for others, and for a list that holds others.
    package init?(_ value: Any) {
        guard let convertible = value as? any RecordValueConvertible, let converted = convertible.recordValue else {
            return nil
        }
        self = converted
    }

    /// The value as an app sees it: numbers as NSNumber, which casts to every Swift number it fits, lists as NSArray.
    package var object: any __CKRecordObjCValue {
        switch self {
        case .string(let string): string
        case .integer(let integer): NSNumber(value: integer)
        case .double(let double): NSNumber(value: double)
        case .date(let date): date
        case .data(let data): data
        case .location(let location): location
        case .reference(let reference): reference
        case .asset(let asset): asset
        case .list(let elements): NSArray(array: elements.map(\.archivedObject))
        }
    }

    /// The value as an instance of the class that an archive or an NSArray holds.
    var archivedObject: NSObject {
        switch self {
        case .string(let string): NSString(string: string)
        case .integer(let integer): NSNumber(value: integer)
        case .double(let double): NSNumber(value: double)
        case .date(let date): NSDate(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate)
        case .data(let data): NSData(data: data)
        case .location(let location): location
        case .reference(let reference): reference
        case .asset(let asset): asset
        case .list(let elements): NSArray(array: elements.map(\.archivedObject))
        }
    }
}

/// A type whose values a record can hold. Beside the public protocols, since an app may adopt those for types of its own
/// that no record can hold.
protocol RecordValueConvertible {
    /// nil for a list with an element that a record cannot hold.
    var recordValue: RecordValue? { get }
}

extension String: RecordValueConvertible {
    var recordValue: RecordValue? { .string(self) }
}

extension NSString: RecordValueConvertible {
    var recordValue: RecordValue? { .string(self as String) }
}

extension Date: RecordValueConvertible {
    var recordValue: RecordValue? { .date(self) }
}

extension NSDate: RecordValueConvertible {
    var recordValue: RecordValue? { .date(self as Date) }
}

extension Data: RecordValueConvertible {
    var recordValue: RecordValue? { .data(self) }
}

extension NSData: RecordValueConvertible {
    var recordValue: RecordValue? { .data(self as Data) }
}

extension Bool: RecordValueConvertible {
    var recordValue: RecordValue? { .integer(self ? 1 : 0) }
}

extension RecordValueConvertible where Self: FixedWidthInteger {
    /// The cloud's integers are signed and have 64 bits; a larger unsigned one keeps its bits.
    var recordValue: RecordValue? { .integer(Int64(truncatingIfNeeded: self)) }
}

extension Int: RecordValueConvertible {}
extension Int8: RecordValueConvertible {}
extension Int16: RecordValueConvertible {}
extension Int32: RecordValueConvertible {}
extension Int64: RecordValueConvertible {}
extension UInt: RecordValueConvertible {}
extension UInt8: RecordValueConvertible {}
extension UInt16: RecordValueConvertible {}
extension UInt32: RecordValueConvertible {}
extension UInt64: RecordValueConvertible {}

extension RecordValueConvertible where Self: BinaryFloatingPoint {
    var recordValue: RecordValue? { .double(Double(self)) }
}

extension Float: RecordValueConvertible {}
extension Double: RecordValueConvertible {}
extension CGFloat: RecordValueConvertible {}

extension NSNumber: RecordValueConvertible {
    var recordValue: RecordValue? {
        // objCType names the kind: d and f are floating point, Q an unsigned integer above Int64.max.
        switch UInt8(bitPattern: objCType.pointee) {
        case UInt8(ascii: "d"), UInt8(ascii: "f"): .double(doubleValue)
        case UInt8(ascii: "Q"): .integer(Int64(bitPattern: uint64Value))
        default: .integer(int64Value)
        }
    }
}

extension CKReference: RecordValueConvertible {
    var recordValue: RecordValue? { .reference(self) }
}

extension CKAsset: RecordValueConvertible {
    var recordValue: RecordValue? { .asset(self) }
}

extension CLLocation: RecordValueConvertible {
    var recordValue: RecordValue? { .location(self) }
}

extension Array: RecordValueConvertible {
    var recordValue: RecordValue? { RecordValue(list: self) }
}

extension NSArray: RecordValueConvertible {
    var recordValue: RecordValue? { RecordValue(list: self as [AnyObject]) }
}

extension RecordValue {
    fileprivate init?(list elements: [some Any]) {
        var converted: [RecordValue] = []
        converted.reserveCapacity(elements.count)
        for element in elements {
            guard let value = RecordValue(element) else { return nil }
            if case .list = value { return nil }
            converted.append(value)
        }
        self = .list(converted)
    }
}
