import PersistentStore

extension Schema {
    /// A property that is a value.
    public class Attribute: SchemaProperty, CustomDebugStringConvertible, @unchecked Sendable {
        // Changed by nobody once a schema is made of it.

        public var name: String
        public var originalName: String
        public var options: [Option]
        public var valueType: any Any.Type
        public var defaultValue: Any?
        public var hashModifier: String?

        public init(_ options: Option..., originalName: String? = nil, hashModifier: String? = nil) {
            name = ""
            self.originalName = originalName ?? ""
            self.options = options
            valueType = Any.self
            self.hashModifier = hashModifier
        }

        public init(
            name: String, originalName: String? = nil, options: [Option] = [], valueType: any Any.Type,
            defaultValue: Any? = nil, hashModifier: String? = nil
        ) {
            self.name = name
            self.originalName = originalName ?? name
            self.options = options
            self.valueType = valueType
            self.defaultValue = defaultValue
            self.hashModifier = hashModifier
        }

        public var isAttribute: Bool { true }
        public var isRelationship: Bool { false }
        public var isTransient: Bool { options.contains(.ephemeral) }
        /// Whether the value can be nil: as the type says, until it is set.
        public var isOptional: Bool {
            get { isMarkedOptional ?? (wrappedType(of: valueType) != nil) }
            set { isMarkedOptional = newValue }
        }
        private var isMarkedOptional: Bool?
        public var isUnique: Bool { options.contains(.unique) }
        public var isTransformable: Bool { options.contains { $0.transformer != nil } }
        /// Whether the value is kept as its encoded form because its class says so.
        public var isCodable: Bool { options.contains(.codable) }
        public var debugDescription: String {
            "Attribute \(name): \(TypeName.name(of: valueType))" + (isOptional ? "?" : "")
                + options.map { ", \($0.debugDescription)" }.joined()
        }

        private enum CodingKeys: String, CodingKey {
            case name, originalName, options, valueType, isOptional, hashModifier
        }

        public required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            name = try container.decode(String.self, forKey: .name)
            originalName = try container.decode(String.self, forKey: .originalName)
            options = try container.decode([Option].self, forKey: .options)
            valueType = try TypeName.type(
                named: container.decode(String.self, forKey: .valueType),
                isOptional: container.decode(Bool.self, forKey: .isOptional))
            hashModifier = try container.decodeIfPresent(String.self, forKey: .hashModifier)
        }

        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(name, forKey: .name)
            try container.encode(originalName, forKey: .originalName)
            try container.encode(options, forKey: .options)
            try container.encode(TypeName.name(of: valueType), forKey: .valueType)
            try container.encode(isOptional, forKey: .isOptional)
            try container.encodeIfPresent(hashModifier, forKey: .hashModifier)
        }

        public static func == (lhs: Attribute, rhs: Attribute) -> Bool {
            lhs === rhs
                || lhs.name == rhs.name && lhs.originalName == rhs.originalName && lhs.options == rhs.options
                    && lhs.isOptional == rhs.isOptional
                    && TypeName.name(of: lhs.valueType) == TypeName.name(of: rhs.valueType)
                    && lhs.hashModifier == rhs.hashModifier
                    && (lhs as? CompositeAttribute)?.properties == (rhs as? CompositeAttribute)?.properties
        }

        public func hash(into hasher: inout Hasher) {
            hasher.combine(name)
            hasher.combine(options)
        }
    }
}

extension Schema.Attribute {
    /// How an attribute is kept.
    public struct Option: Codable, Hashable, CustomDebugStringConvertible, Sendable {
        enum Kind: String, Codable {
            case unique, externalStorage, allowsCloudEncryption, preserveValueOnDeletion, ephemeral, spotlight
            case transformable, codable
        }

        let kind: Kind
        /// The name of the transformer.
        let transformer: String?

        init(_ kind: Kind, transformer: String? = nil) {
            self.kind = kind
            self.transformer = transformer
        }

        public var debugDescription: String { kind.rawValue + (transformer.map { "(by: \($0))" } ?? "") }

        /// No two objects have the same value; saving a second one changes the first.
        public static var unique: Option { Option(.unique) }
        /// Large data lies in files beside the store.
        public static var externalStorage: Option { Option(.externalStorage) }
        public static var allowsCloudEncryption: Option { Option(.allowsCloudEncryption) }
        /// The history keeps the value when the object is deleted.
        public static var preserveValueOnDeletion: Option { Option(.preserveValueOnDeletion) }
        /// Changes are tracked, but not kept in the store.
        public static var ephemeral: Option { Option(.ephemeral) }
        /// Accepted; there is no such index here.
        public static var spotlight: Option { Option(.spotlight) }
        /// The value is kept as its encoded form.
        public static var codable: Option { Option(.codable) }

        /// The value is kept as the data that the registered transformer of that name makes of it.
        public static func transformable(by name: String) -> Option { Option(.transformable, transformer: name) }

        /// The same, named by its class.
        public static func transformable(by type: ValueTransformer.Type) -> Option {
            ValueTransformer.note(type)
            return Option(.transformable, transformer: String(describing: type))
        }
    }
}
