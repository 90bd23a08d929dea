import WebServices

extension RecordsQuery.Operand {
    /// The operand as a value of the field's type.
    ///
    /// Numbers convert where nothing is lost, numbers and bytes may come as strings (`numbersAsStrings`, base64).
    /// - Parameter plainReference: whether a string may stand for a reference, as it may for a system field.
    /// - Throws: `Invalid value, expected type X.`
    func value(as type: FieldType, plainReference: Bool = false) throws(ServerError) -> FieldValue {
        switch (self, type) {
        case (.typed(.string(let name)), .reference) where plainReference:
            return .reference(Reference(recordName: name))
        case (.typed(let value), _) where value.type == type: return value
        case (.typed(.int64(let number)), .double): return .double(Double(number))
        case (.typed(.double(let number)), .int64): return .int64(try Self.exact(number, type))
        case (.untypedString(let text), _): return try Self.value(of: text, as: type, plainReference)
        case (.untypedInteger(let number), .int64): return .int64(number)
        case (.untypedInteger(let number), .double): return .double(Double(number))
        case (.untypedInteger(let number), .timestamp): return .timestamp(number)
        case (.untypedNumber(let number), .double): return .double(number)
        case (.untypedNumber(let number), .int64): return .int64(try Self.exact(number, type))
        case (.untypedNumber(let number), .timestamp): return .timestamp(try Self.exact(number, type))
        case (.untypedReference(let reference), .reference): return .reference(reference)
        default: throw .invalidValue(type)
        }
    }

    /// The elements of a list operand as values of the field's (element) type.
    /// - Parameter needsTag: `IN` without a `*_LIST` type is refused by the real service.
    func elements(
        as type: FieldType, plainReference: Bool, needsTag: Bool
    ) throws(ServerError) -> [FieldValue] {
        let operands: [RecordsQuery.Operand]
        switch self {
        case .typed(.list(let values, _)): operands = values.map { .typed($0) }
        case .untypedList(let values) where !needsTag: operands = values
        default: throw .badRequest("BadRequestException: Unexpected input")
        }
        var elements: [FieldValue] = []
        for operand in operands { elements.append(try operand.value(as: type, plainReference: plainReference)) }
        return elements
    }

    private static func exact(_ number: Double, _ type: FieldType) throws(ServerError) -> Int64 {
        guard let exact = Int64(exactly: number) else { throw .invalidValue(type) }
        return exact
    }

    private static func value(
        of text: String, as type: FieldType, _ plainReference: Bool
    ) throws(ServerError) -> FieldValue {
        let value: FieldValue? =
            switch type {
            case .string: .string(text)
            case .int64: Int64(text).map { .int64($0) }
            case .timestamp: Int64(text).map { .timestamp($0) }
            case .double: Double(text).flatMap { $0.isFinite ? .double($0) : nil }
            case .bytes: Base64.decode(text).map { .bytes($0) }
            case .reference: plainReference ? .reference(Reference(recordName: text)) : nil
            default: nil
            }
        guard let value else { throw .invalidValue(type) }
        return value
    }
}
