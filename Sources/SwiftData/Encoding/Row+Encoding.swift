import PersistentStore

extension _Row {
    /// A value that has no column type of its own; nil for a null, and for bytes that are no such value.
    func decoded<Value>(_ type: Value.Type, _ index: Int) -> Value? {
        let property = entity.description.properties[index]
        switch property.kind {
        case .composite(let shape):
            guard let decodable = type as? any Decodable.Type else { return nil }
            let columns = CompositeColumns(row: row, index: index)
            if columns.areNull(shape, from: 0) { return nil }
            return (try? decodable.init(from: CompositeDecoder(columns: columns, shape: shape, first: 0))) as? Value
        case .transformable:
            guard let data = data(index) else { return nil }
            return property.transformer?.reverseTransformedValue(data) as? Value
        default:
            guard let decodable = type as? any Decodable.Type, let data = data(index) else { return nil }
            return (try? EncodedValue.value(decodable, from: data)) as? Value
        }
    }

    /// The object that a to-one leads to: the registered one, or a fault.
    func object<Model: PersistentModel>(_ index: Int, as type: Model.Type) -> Model? {
        guard let reference = row.reference(index) else { return nil }
        return core.object(entity.binding, reference, as: type)
    }
}

extension _RowValues {
    func encode<Value>(_ value: Value, _ index: Int) {
        let property = entity.description.properties[index]
        switch property.kind {
        case .composite(let shape):
            values.setNull(index)
            guard let encodable = value as? any Encodable else { return }
            let encoder = CompositeEncoder(values: values, index: index, shape: shape, first: 0)
            do { try encodable.encode(to: encoder) } catch { failures.note(error, property) }
        case .transformable:
            guard let transformer = property.transformer else {
                failures.note(MissingTransformer(name: property.transformerName), property)
                return values.setNull(index)
            }
            guard let data = transformer.transformedValue(value) as? Data else { return values.setNull(index) }
            values.set(index, data)
        default:
            guard let encodable = value as? any Encodable else { return values.setNull(index) }
            do {
                values.set(index, try EncodedValue.data(encodable))
            } catch {
                failures.note(error, property)
                values.setNull(index)
            }
        }
    }

    /// A property without a value is null; one that must have a value has its default.
    func setMissing(_ index: Int) {
        let property = entity.description.properties[index]
        guard !property.isOptional, let value = property.defaultStoreValue else { return values.setNull(index) }
        values.set(index, value: value)
    }

    func setReference(_ index: Int, _ state: _ModelState?) {
        guard let state, state.key > 0, let entity = state.entity, entity.binding === self.entity.binding else {
            return values.setReference(index, nil)
        }
        values.setReference(index, RowID(entity: entity.number, key: state.key))
    }
}

/// What could not be encoded in a save.
final class EncodingFailures {
    var first: (any Error)?

    func note(_ error: any Error, _ property: PropertyDescription) {
        guard first == nil else { return }
        first = SwiftDataError(
            .modelValidationFailure,
            detail:
                "the value of \(String(describing: property.declaringType)).\(property.name) cannot be encoded: \(error)"
        )
    }
}

/// A property names a transformer that nobody registered.
private struct MissingTransformer: Error, CustomStringConvertible {
    let name: String?

    var description: String {
        "no value transformer is registered with the name \(name ?? ""); call ValueTransformer.setValueTransformer(_:forName:) first"
    }
}
