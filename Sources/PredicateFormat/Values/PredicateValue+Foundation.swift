import Foundation

extension PredicateValue {
    /// Sorts a value of any type into its case. An optional is unwrapped however deep it is; `nil` and `NSNull` are `null`.
    package init(_ value: Any?) {
        self.init(value, depth: 0)
    }

    private init(_ value: Any?, depth: Int) {
        guard let value else {
            self = .null
            return
        }
        if type(of: value) is AnyClass {
            // Classes first: an NSNumber would otherwise pass as a Bool or an Int at random.
            self = PredicateValue(instance: value, depth: depth)
        } else {
            self = PredicateValue(native: value, depth: depth)
        }
    }

    private init(instance: Any, depth: Int) {
        switch instance {
        case is NSNull: self = .null
        case let number as NSDecimalNumber: self = .decimal(number.decimalValue)
        case let number as NSNumber: self = PredicateValue(number: number)
        case let string as NSString: self = .string(String(string))
        case let date as NSDate: self = .date(date as Date)
        case let data as NSData: self = .data(data as Data)
        case let uuid as NSUUID: self = .uuid(uuid as UUID)
        case let array as NSArray: self = PredicateValue(elements: array, of: instance, depth: depth)
        case let set as NSSet: self = PredicateValue(elements: set, of: instance, depth: depth)
        case let set as NSOrderedSet: self = PredicateValue(elements: set, of: instance, depth: depth)
        default: self = .object(OpaqueValue(instance))
        }
    }

    private init(native: Any, depth: Int) {
        switch native {
        case let string as String: self = .string(string)
        case let bool as Bool: self = .bool(bool)
        case let integer as Int: self = .integer(Int64(integer))
        case let integer as any BinaryInteger: self = PredicateValue(integer: integer)
        case let double as Double: self = .double(double)
        case let float as any BinaryFloatingPoint: self = .double(Double(float))
        case let date as Date: self = .date(date)
        case let uuid as UUID: self = .uuid(uuid)
        case let data as Data: self = .data(data)
        case let decimal as Decimal: self = .decimal(decimal)
        case let substring as Substring: self = .string(String(substring))
        case let character as Character: self = .string(String(character))
        case let optional as any OptionalValue: self = PredicateValue(optional.wrappedValue, depth: depth)
        case let hashable as AnyHashable where type(of: native) == AnyHashable.self:
            self = PredicateValue(hashable.base, depth: depth)
        case let elements as [Any]: self = PredicateValue(elements: elements, of: native, depth: depth)
        case let elements as Set<AnyHashable>: self = PredicateValue(elements: elements, of: native, depth: depth)
        case let elements as ArraySlice<Any>: self = PredicateValue(elements: elements, of: native, depth: depth)
        default: self = .object(OpaqueValue(native))
        }
    }

    private init(number: NSNumber) {
        // corelibs types a number made from a Bool "c", and none else: an Int8 is held as "i".
        switch number.objCType.pointee {
        case 0x63: self = .bool(number.boolValue)
        case 0x64, 0x66: self = .double(number.doubleValue)
        case 0x51: self = PredicateValue(integer: number.uint64Value)
        default: self = .integer(number.int64Value)
        }
    }

    private init(integer: some BinaryInteger) {
        if let small = Int64(exactly: integer) {
            self = .integer(small)
        } else if let unsigned = UInt64(exactly: integer) {
            self = .decimal(Decimal(unsigned))
        } else {
            self = .double(Double(integer))
        }
    }

    /// Lists within lists beyond the limit stay opaque: whoever goes through values recursively is bounded.
    private init(elements: some Sequence, of list: Any, depth: Int) {
        guard depth < PredicateLimits.nesting else {
            self = .object(OpaqueValue(list))
            return
        }
        self = .list(elements.map { PredicateValue($0, depth: depth + 1) })
    }

    /// The value as Foundation and Swift know it: `String`, `Int64`, `Date`, `[Any]` …; `nil` for null.
    ///
    /// Numbers come as `NSNumber`, which casts to every number type. Nulls within a list are `NSNull`.
    package var any: Any? {
        switch self {
        case .null: nil
        case .bool(let value): NSNumber(value: value)
        case .integer(let value): NSNumber(value: value)
        case .double(let value): NSNumber(value: value)
        case .decimal(let value): NSDecimalNumber(decimal: value)
        case .string(let value): value
        case .date(let value): value
        case .data(let value): value
        case .uuid(let value): value
        case .list(let values): values.map { $0.any ?? NSNull() }
        case .object(let object): object.value
        }
    }
}

/// What every `Optional` is, whatever it wraps.
private protocol OptionalValue {
    var wrappedValue: Any? { get }
}

extension Optional: OptionalValue {
    fileprivate var wrappedValue: Any? { map { $0 as Any } }
}
