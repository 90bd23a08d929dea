import PersistentStore

// Values on the slow path: defaults, unique constraints.

extension ModelDescription {
    /// An object's value as a column has it; nil for an unknown property.
    package func storeValue(of model: any PersistentModel, property name: String) -> StoreValue? {
        guard let index = index(named: name) else { return nil }
        return properties[index].storeValue(of: model)
    }
}

extension PropertyDescription {
    package func storeValue(of model: any PersistentModel) -> StoreValue {
        guard let value = value(of: model) else { return .null }
        return storeValue(value)
    }

    /// The object's value; nil for an object of another class.
    package func value(of model: any PersistentModel) -> Any? {
        func read<Model: PersistentModel>(_ model: Model) -> Any? {
            if let keyPath = keyPath as? PartialKeyPath<Model> { return model[keyPath: keyPath] }
            return model[anyKeyPath: keyPath]
        }
        return read(model)
    }

    /// A value of the property's type as a column has it.
    package func storeValue(_ value: Any) -> StoreValue {
        if let optional = value as? any OptionalType, optional.isNilValue { return .null }
        switch kind {
        case .value: return Self.storeValue(ofPrimitive: value) ?? .null
        case .raw:
            guard let raw = value as? any RawRepresentable else { return .null }
            return Self.storeValue(ofPrimitive: raw.rawValue) ?? .null
        case .composite(let shape):
            guard let encodable = value as? any Encodable else { return .null }
            return shape.storeValue(encodable)
        case .encoded:
            guard let encodable = value as? any Encodable, let data = try? EncodedValue.data(encodable) else {
                return .null
            }
            return .data(data)
        case .transformable: return (transformer?.transformedValue(value) as? Data).map { .data($0) } ?? .null
        case .toOne:
            guard let state = (value as? any PersistentModel)?._$state, state.key > 0, let entity = state.entity else {
                return .null
            }
            return .reference(RowID(entity: entity.number, key: state.key))
        case .toMany, .unsupported: return .null
        }
    }

    /// What a missing value is read as, for the store.
    package var defaultStoreValue: StoreValue? {
        guard let defaultValue else { return nil }
        let value = storeValue(defaultValue)
        return value.isNull ? nil : value
    }

    static func storeValue(ofPrimitive value: Any) -> StoreValue? {
        switch value {
        case let value as String: .string(value)
        case let value as Bool: .boolean(value)
        case let value as Double: .double(value)
        case let value as Float: .double(Double(value))
        case let value as Date: .date(value)
        case let value as Data: .data(value)
        case let value as UUID: .uuid(value)
        case let value as URL: .url(value)
        case let value as Decimal: .decimal(value)
        case let value as any FixedWidthInteger: .integer(Int64(truncatingIfNeeded: value))
        default: nil
        }
    }
}

extension PersistentModel {
    /// By a key path that was formed on a superclass.
    fileprivate subscript(anyKeyPath keyPath: AnyKeyPath) -> Any? {
        func read<Root>(_ root: Root.Type) -> Any? {
            guard let model = self as? Root, let keyPath = keyPath as? PartialKeyPath<Root> else { return nil }
            return model[keyPath: keyPath]
        }
        return _openExistential(Swift.type(of: keyPath).rootType, do: read)
    }
}

extension CompositeShape {
    /// The fields' values, flattened as the columns are.
    func storeValue(_ value: any Encodable) -> StoreValue {
        // By way of JSON: a structure's fields can be had from its own encoding only.
        guard let data = try? EncodedValue.data(value),
            let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any]
        else { return .null }
        return .composite(values(of: object))
    }

    private func values(of object: [String: Any]) -> [StoreValue] {
        fields.flatMap { field -> [StoreValue] in
            let value = object[field.name]
            switch field.kind {
            case .nested(let shape): return shape.values(of: value as? [String: Any] ?? [:])
            case .encoded:
                guard let value,
                    let data = try? JSONSerialization.data(withJSONObject: value, options: .fragmentsAllowed)
                else { return [.null] }
                return [.data(data)]
            case .value(let type): return [Self.storeValue(value, type)]
            }
        }
    }

    private static func storeValue(_ value: Any?, _ type: AttributeType) -> StoreValue {
        switch (type, value) {
        case (.string, let value as String): .string(value)
        case (.uri, let value as String): URL(string: value).map { .url($0) } ?? .null
        case (.uuid, let value as String): UUID(uuidString: value).map { .uuid($0) } ?? .null
        case (.binary, let value as String): Data(base64Encoded: value).map { .data($0) } ?? .null
        case (.boolean, let value as NSNumber): .boolean(value.boolValue)
        case (.date, let value as NSNumber): .date(Date(timeIntervalSinceReferenceDate: value.doubleValue))
        case (.double, let value as NSNumber), (.float, let value as NSNumber): .double(value.doubleValue)
        case (.decimal, let value as NSNumber): .decimal(value.decimalValue)
        case (_, let value as NSNumber): .integer(value.int64Value)
        default: .null
        }
    }
}
