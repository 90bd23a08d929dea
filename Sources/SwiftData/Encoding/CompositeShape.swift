import PersistentStore

/// The fields of a structure that is kept with a column for each: found by letting the structure decode itself from nothing and
/// noting what it asks for.
package struct CompositeShape: Sendable, Hashable {
    package struct Field: Sendable, Hashable {
        package let name: String
        package let valueType: any Any.Type
        package let isOptional: Bool
        package let kind: FieldKind
        /// Where its first column stands among the flattened ones.
        package let firstLeaf: Int

        package static func == (lhs: Field, rhs: Field) -> Bool {
            lhs.name == rhs.name && lhs.valueType == rhs.valueType && lhs.isOptional == rhs.isOptional
                && lhs.kind == rhs.kind && lhs.firstLeaf == rhs.firstLeaf
        }

        package func hash(into hasher: inout Hasher) {
            hasher.combine(name)
            hasher.combine(firstLeaf)
        }
    }

    package indirect enum FieldKind: Sendable, Hashable {
        case value(AttributeType)
        case nested(CompositeShape)
        /// Encoded bytes.
        case encoded
    }

    package let fields: [Field]
    package let leafCount: Int

    func field(named name: String) -> Field? { fields.first { $0.name == name } }

    /// As the store's model has it.
    package var attributes: [Attribute] {
        fields.map { field in
            let type: AttributeType =
                switch field.kind {
                case .value(let type): type
                case .nested(let shape): .composite(shape.attributes)
                case .encoded: .transformable
                }
            return Attribute(field.name, type, isOptional: true)
        }
    }

    /// The shape of a type; nil for what does not decode itself field by field: collections, enumerations, classes, and
    /// structures that encode themselves as a single value.
    static func of(_ type: any Codable.Type, depth: Int = 0) -> CompositeShape? {
        guard depth < 6, !(type is AnyClass), !(type is any CollectionType.Type) else { return nil }
        let recorder = FieldRecorder(depth: depth)
        guard (try? type.init(from: ZeroDecoder(recorder: recorder, depth: depth))) != nil, recorder.isKeyed,
            !recorder.isOther, !recorder.fields.isEmpty
        else { return nil }
        return CompositeShape(recorder.fields)
    }

    private init(_ recorded: [(name: String, type: any Any.Type, isOptional: Bool, kind: FieldKind)]) {
        var fields: [Field] = []
        var leaf = 0
        for (name, type, isOptional, kind) in recorded where !fields.contains(where: { $0.name == name }) {
            fields.append(Field(name: name, valueType: type, isOptional: isOptional, kind: kind, firstLeaf: leaf))
            if case .nested(let shape) = kind { leaf += shape.leafCount } else { leaf += 1 }
        }
        self.fields = fields
        leafCount = leaf
    }
}

/// Collections encode as a whole, also those that ask for keys.
protocol CollectionType {}
extension Array: CollectionType {}
extension Set: CollectionType {}
extension Dictionary: CollectionType {}

/// What a structure asked for while it decoded itself.
final class FieldRecorder {
    var fields: [(name: String, type: any Any.Type, isOptional: Bool, kind: CompositeShape.FieldKind)] = []
    var isKeyed = false
    /// It asked for something else than keyed fields.
    var isOther = false
    let depth: Int

    init(depth: Int) { self.depth = depth }

    func note(_ name: String, _ type: any Any.Type, isOptional: Bool) {
        let wrapped = wrappedType(of: type)
        fields.append((name, type, isOptional || wrapped != nil, kind(of: wrapped ?? type)))
    }

    private func kind(of type: any Any.Type) -> CompositeShape.FieldKind {
        if let value = type as? any _StoredValue.Type { return .value(value.attributeType) }
        if let raw = type as? any RawRepresentable.Type, let value = Self.rawType(of: raw) { return .value(value) }
        if let codable = type as? any Codable.Type, let shape = CompositeShape.of(codable, depth: depth + 1) {
            return .nested(shape)
        }
        return .encoded
    }

    private static func rawType<Value: RawRepresentable>(of type: Value.Type) -> AttributeType? {
        (Value.RawValue.self as? any _StoredValue.Type)?.attributeType
    }
}
