/// Values that are kept as bytes: JSON when written; what Apple's frameworks write, keyed archives and property lists, is
/// read too.
enum EncodedValue {
    static func data<Value: Encodable>(_ value: Value) throws -> Data {
        let encoder = JSONEncoder()
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return try encoder.encode(value)
    }

    static func value<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        if KeyedArchive.isOne(data) { return try KeyedArchive.value(type, in: data) }
        // JSON never begins with what XML begins with.
        if BinaryPropertyList.isOne(data) || data.first == UInt8(ascii: "<") {
            return try PropertyListDecoder().decode(type, from: data)
        }
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return try decoder.decode(type, from: data)
    }
}
