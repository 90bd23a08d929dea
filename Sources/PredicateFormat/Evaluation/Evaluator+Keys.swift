import Foundation

extension Evaluator {
    /// The value for a key path, read from an object that has not been converted, since a dictionary need not be copied.
    func value(
        for keys: ArraySlice<String>, ofObject object: Any?
    ) throws(PredicateEvaluationError) -> PredicateValue {
        guard let key = keys.first, !key.hasPrefix("@"), let found = Self.value(forKey: key, of: object) else {
            return try value(for: keys, of: PredicateValue(object))
        }
        return try value(for: keys.dropFirst(), of: found)
    }

    func value(
        for keys: ArraySlice<String>, of base: PredicateValue
    ) throws(PredicateEvaluationError) -> PredicateValue {
        guard let key = keys.first else { return base }
        let rest = keys.dropFirst()
        switch base {
        case .null:
            return .null
        case .list(let elements) where key.hasPrefix("@"):
            return try value(ofCollectionOperator: key, over: elements, rest: rest)
        case .list(let elements):
            var values = [PredicateValue]()
            values.reserveCapacity(elements.count)
            for element in elements { values.append(try value(for: keys, of: element)) }
            return .list(values)
        default:
            return try value(for: rest, of: base.value(forKey: key))
        }
    }

    /// The value for one key of something with keys of its own; `nil` if `object` is nothing of that kind.
    ///
    /// A cast between types of dictionaries converts every entry, so the two types that are met most are read as they are:
    /// what an app writes, and what a Foundation collection hands out.
    static func value(forKey key: String, of object: Any?) -> PredicateValue? {
        guard let object else { return nil }
        let type = type(of: object)
        if type == [String: Any].self, let dictionary = object as? [String: Any] {
            return PredicateValue(dictionary[key])
        }
        if type == [AnyHashable: Any].self, let dictionary = object as? [AnyHashable: Any] {
            return PredicateValue(dictionary[key])
        }
        if let keyed = object as? any PredicateEvaluatable {
            return PredicateValue(keyed.predicateValue(forKey: key))
        }
        if type is AnyClass {
            guard let dictionary = object as? NSDictionary else { return nil }
            return PredicateValue(dictionary.object(forKey: key))
        }
        return (object as? [String: Any]).map { PredicateValue($0[key]) }
    }

    /// [Apple:Key-Value Coding Programming Guide, Using Collection Operators]
    private func value(
        ofCollectionOperator name: String, over elements: [PredicateValue], rest: ArraySlice<String>
    ) throws(PredicateEvaluationError) -> PredicateValue {
        if name == "@count" { return .integer(Int64(elements.count)) }
        var values = [PredicateValue]()
        values.reserveCapacity(elements.count)
        for element in elements {
            let value = try value(for: rest, of: element)
            if value != .null { values.append(value) }
        }
        switch name {
        case "@sum": return values.sum
        case "@avg": return values.average ?? .integer(0)
        case "@min": return values.minimum
        case "@max": return values.maximum
        case "@unionOfObjects": return .list(values)
        case "@distinctUnionOfObjects": return .list(values.distinct)
        case "@unionOfArrays", "@unionOfSets": return .list(values.flatMap(\.elements))
        case "@distinctUnionOfArrays", "@distinctUnionOfSets": return .list(values.flatMap(\.elements).distinct)
        default: throw .notKeyValueCoding(type: "A collection", key: name)
        }
    }
}

extension PredicateValue {
    /// One key of a value that is not a list: its own keys, or those that Foundation's classes have.
    fileprivate func value(forKey key: String) throws(PredicateEvaluationError) -> PredicateValue {
        if case .object(let object) = self {
            if let value = Evaluator.value(forKey: key, of: object.value) { return value }
            if key == "self" { return self }
            throw .notKeyValueCoding(type: String(describing: type(of: object.value)), key: key)
        }
        guard let value = property(key) else {
            throw .notKeyValueCoding(type: any.map { String(describing: type(of: $0)) } ?? "nil", key: key)
        }
        return value
    }

    /// The properties that public code asks for of text, numbers, dates and data.
    func property(_ key: String) -> PredicateValue? {
        switch (self, key) {
        case (_, "self"): self
        case (_, "description"): .string(any.map { String(describing: $0) } ?? "nil")
        case (.string(let text), "length"): .integer(Int64(text.utf16.count))
        case (.string(let text), "uppercaseString"): .string(text.uppercased())
        case (.string(let text), "lowercaseString"): .string(text.lowercased())
        case (.string(let text), "capitalizedString"): .string(text.capitalized)
        case (.string(let text), "intValue"), (.string(let text), "integerValue"), (.string(let text), "longLongValue"):
            .integer(NSString(string: text).longLongValue)
        case (.string(let text), "doubleValue"), (.string(let text), "floatValue"):
            .double(NSString(string: text).doubleValue)
        case (.string(let text), "boolValue"): .bool(NSString(string: text).boolValue)
        case (.data(let data), "length"): .integer(Int64(data.count))
        case (.date(let date), "timeIntervalSinceReferenceDate"): .double(date.timeIntervalSinceReferenceDate)
        case (.date(let date), "timeIntervalSince1970"): .double(date.timeIntervalSince1970)
        case (.uuid(let uuid), "UUIDString"): .string(uuid.uuidString)
        case (_, "doubleValue"), (_, "floatValue"): doubleValue.map(PredicateValue.double)
        case (_, "intValue"), (_, "integerValue"), (_, "longLongValue"): roundedTowardZero
        case (_, "boolValue"): doubleValue.map { .bool($0 != 0) }
        case (_, "stringValue"): isNumeric ? any.map { .string(String(describing: $0)) } : nil
        default: nil
        }
    }

    private var roundedTowardZero: PredicateValue? {
        if let exact = exactInteger { return .integer(exact) }
        return doubleValue.flatMap { Int64(exactly: $0.rounded(.towardZero)) }.map(PredicateValue.integer)
    }
}
