import PersistentStore

extension Schema {
    /// A property that leads to other objects.
    public final class Relationship: SchemaProperty, CustomDebugStringConvertible, @unchecked Sendable {
        // Changed by nobody once a schema is made of it.

        /// What becomes of the objects that a relationship leads to when their object is deleted.
        public enum DeleteRule: String, Codable, Sendable {
            case noAction, nullify, cascade, deny
        }

        /// How a relationship is kept.
        public struct Option: Codable, Hashable, CustomDebugStringConvertible, Sendable {
            let name: String
            public var debugDescription: String { name }
            /// No two objects lead to the same one.
            public static var unique: Option { Option(name: "unique") }
        }

        public var name: String
        public var originalName: String
        public var options: [Option]
        public var valueType: any Any.Type
        /// The name of the entity that it leads to.
        public var destination: String
        public var deleteRule: DeleteRule
        public var inverseName: String?
        public var inverseKeyPath: AnyKeyPath?
        public var keypath: AnyKeyPath?
        public var minimumModelCount: Int?
        public var maximumModelCount: Int?
        public var hashModifier: String?

        public init(
            _ options: Option..., deleteRule: DeleteRule = .nullify, minimumModelCount: Int? = 0,
            maximumModelCount: Int? = 0, originalName: String? = nil, inverse: AnyKeyPath? = nil,
            hashModifier: String? = nil
        ) {
            name = ""
            self.originalName = originalName ?? ""
            self.options = options
            valueType = Any.self
            destination = ""
            self.deleteRule = deleteRule
            inverseKeyPath = inverse
            self.minimumModelCount = minimumModelCount
            self.maximumModelCount = maximumModelCount
            self.hashModifier = hashModifier
        }

        public var isAttribute: Bool { false }
        public var isRelationship: Bool { true }
        public var isTransient: Bool { false }
        public var isOptional: Bool { isMarkedOptional ?? (wrappedType(of: valueType) != nil) }
        public var isUnique: Bool { options.contains(.unique) }
        public var isToOneRelationship: Bool {
            isMarkedToOne ?? !((wrappedType(of: valueType) ?? valueType) is any RelationshipCollection.Type)
        }

        public var debugDescription: String {
            "Relationship \(name): \(isToOneRelationship ? "one" : "many") \(destination), \(deleteRule.rawValue)"
                + (inverseName.map { ", inverse \($0)" } ?? "")
        }

        // Of a relationship that was read from a file, whose type is not known here.
        private var isMarkedOptional: Bool?
        private var isMarkedToOne: Bool?

        private enum CodingKeys: String, CodingKey {
            case name, originalName, options, destination, deleteRule, inverseName, minimumModelCount
            case maximumModelCount, hashModifier, isOptional, isToOne
        }

        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            name = try container.decode(String.self, forKey: .name)
            originalName = try container.decode(String.self, forKey: .originalName)
            options = try container.decode([Option].self, forKey: .options)
            destination = try container.decode(String.self, forKey: .destination)
            deleteRule = try container.decode(DeleteRule.self, forKey: .deleteRule)
            inverseName = try container.decodeIfPresent(String.self, forKey: .inverseName)
            minimumModelCount = try container.decodeIfPresent(Int.self, forKey: .minimumModelCount)
            maximumModelCount = try container.decodeIfPresent(Int.self, forKey: .maximumModelCount)
            hashModifier = try container.decodeIfPresent(String.self, forKey: .hashModifier)
            isMarkedOptional = try container.decode(Bool.self, forKey: .isOptional)
            isMarkedToOne = try container.decode(Bool.self, forKey: .isToOne)
            valueType = Any.self
        }

        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(name, forKey: .name)
            try container.encode(originalName, forKey: .originalName)
            try container.encode(options, forKey: .options)
            try container.encode(destination, forKey: .destination)
            try container.encode(deleteRule, forKey: .deleteRule)
            try container.encodeIfPresent(inverseName, forKey: .inverseName)
            try container.encodeIfPresent(minimumModelCount, forKey: .minimumModelCount)
            try container.encodeIfPresent(maximumModelCount, forKey: .maximumModelCount)
            try container.encodeIfPresent(hashModifier, forKey: .hashModifier)
            try container.encode(isOptional, forKey: .isOptional)
            try container.encode(isToOneRelationship, forKey: .isToOne)
        }

        public static func == (lhs: Relationship, rhs: Relationship) -> Bool {
            lhs === rhs
                || lhs.name == rhs.name && lhs.originalName == rhs.originalName && lhs.destination == rhs.destination
                    && lhs.options == rhs.options && lhs.deleteRule == rhs.deleteRule
                    && lhs.inverseName == rhs.inverseName && lhs.isToOneRelationship == rhs.isToOneRelationship
                    && lhs.isOptional == rhs.isOptional && lhs.minimumModelCount == rhs.minimumModelCount
                    && lhs.maximumModelCount == rhs.maximumModelCount && lhs.hashModifier == rhs.hashModifier
        }

        public func hash(into hasher: inout Hasher) {
            hasher.combine(name)
            hasher.combine(destination)
        }
    }
}
