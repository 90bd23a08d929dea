/// Names of types in an encoded schema.
enum TypeName {
    private static let known: [any _StoredValue.Type] = [
        String.self, Bool.self, Double.self, Float.self, Date.self, Data.self, UUID.self, URL.self, Decimal.self,
        Int.self,
        Int8.self, Int16.self, Int32.self, Int64.self, UInt.self, UInt8.self, UInt16.self, UInt32.self, UInt64.self,
    ]

    /// The type's name without its `Optional`.
    static func name(of type: any Any.Type) -> String { String(describing: wrappedType(of: type) ?? type) }

    /// The type of a name, as far as it is one of those with a column type; what an app declares is not known by its name.
    static func type(named name: String, isOptional: Bool) -> any Any.Type {
        guard let type = known.first(where: { String(describing: $0) == name }) else {
            return isOptional ? Any?.self : Any.self
        }
        return isOptional ? optional(type) : type
    }

    private static func optional<Value>(_ type: Value.Type) -> any Any.Type { Value?.self }
}
