extension Schema {
    /// An attribute whose value is a structure with a column for each field.
    public final class CompositeAttribute: Attribute, @unchecked Sendable {
        // As of every attribute: changed by nobody once a schema is made of it.

        /// The fields, in the order in which the structure decodes them.
        public var properties: [Attribute] = []

        /// An attribute of a class's property, with the options that the class gives it.
        convenience init(_ given: Attribute?, _ shape: CompositeShape) {
            self.init(
                name: given?.name ?? "", originalName: given?.originalName ?? "", options: given?.options ?? [],
                valueType: Any.self, hashModifier: given?.hashModifier)
            properties = shape.fields.map { field in
                if case .nested(let shape) = field.kind {
                    let attribute = CompositeAttribute(nil, shape)
                    attribute.name = field.name
                    attribute.originalName = field.name
                    attribute.valueType = field.valueType
                    return attribute
                }
                return Attribute(name: field.name, valueType: field.valueType)
            }
        }

        public override init(
            name: String, originalName: String? = nil, options: [Option] = [], valueType: any Any.Type,
            defaultValue: Any? = nil, hashModifier: String? = nil
        ) {
            super.init(
                name: name, originalName: originalName, options: options, valueType: valueType,
                defaultValue: defaultValue, hashModifier: hashModifier)
        }

        public static func == (lhs: CompositeAttribute, rhs: CompositeAttribute) -> Bool {
            lhs as Attribute == rhs as Attribute
        }

        public override var debugDescription: String {
            super.debugDescription + " (\(properties.map(\.name).joined(separator: ", ")))"
        }

        fileprivate enum CodingKeys: String, CodingKey { case properties }

        public required init(from decoder: any Decoder) throws {
            try super.init(from: decoder)
            let container = try decoder.container(keyedBy: CodingKeys.self)
            properties = try container.decode([EncodedAttribute].self, forKey: .properties).map(\.attribute)
        }

        public override func encode(to encoder: any Encoder) throws {
            try super.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(properties, forKey: .properties)
        }
    }
}

/// An attribute of either class, as a schema is encoded.
struct EncodedAttribute: Decodable {
    let attribute: Schema.Attribute

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Schema.CompositeAttribute.CodingKeys.self)
        attribute =
            try container.contains(.properties)
            ? Schema.CompositeAttribute(from: decoder) : Schema.Attribute(from: decoder)
    }
}
