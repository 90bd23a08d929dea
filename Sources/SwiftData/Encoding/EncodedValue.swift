/// Values that are kept as bytes: JSON when written; what Apple's frameworks write is read too.
enum EncodedValue {
    static func data<Value: Encodable>(_ value: Value) throws -> Data {
        let encoder = JSONEncoder()
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return try encoder.encode(value)
    }

    static func value<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        if data.starts(with: Array("bplist".utf8)) {
            return try PropertyListDecoder().decode(type, from: data)
        }
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return try decoder.decode(type, from: data)
    }
}
