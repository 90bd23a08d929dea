extension Schema {
    /// Properties that are indexed together.
    public final class Index<T: PersistentModel>: SchemaProperty, CustomDebugStringConvertible {
        /// The properties of one index, with its kind.
        public enum Types<P: PersistentModel> {
            case binary([PartialKeyPath<P>])
            /// For ranges over several numbers.
            case rtree([PartialKeyPath<P>])

            var keyPaths: [PartialKeyPath<P>] {
                switch self {
                case .binary(let keyPaths), .rtree(let keyPaths): keyPaths
                }
            }
        }

        public var name = "SwiftData.Schema.Index"
        public var originalName = "SwiftData.Schema.Index"
        public var valueType: any Any.Type = T.self
        public let indices: [Types<T>]

        public init(_ indices: [PartialKeyPath<T>]...) { self.indices = indices.map { .binary($0) } }
        public init(_ indices: Types<T>...) { self.indices = indices }

        public var isAttribute: Bool { false }
        public var isRelationship: Bool { false }
        public var isTransient: Bool { true }
        public var isOptional: Bool { false }
        public var isUnique: Bool { false }

        public enum CodingKeys: CodingKey { case indices }

        // Key paths have no encoded form: the properties' names stand for them.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            indices = try container.decode([EncodedIndex].self, forKey: .indices).map { index in
                let keyPaths = try namedKeyPaths(of: T.self, index.properties)
                return index.isRTree ? .rtree(keyPaths) : .binary(keyPaths)
            }
        }

        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            let encoded = keyPathLists.map {
                EncodedIndex(properties: names(of: T.self, $0.keyPaths), isRTree: $0.isRTree)
            }
            try container.encode(encoded, forKey: .indices)
        }

        public var debugDescription: String {
            "Index of \(T.self): " + keyPathLists.map { "\(names(of: T.self, $0.keyPaths))" }.joined(separator: ", ")
        }

        public static func == (lhs: Index, rhs: Index) -> Bool {
            lhs.indices.map(\.keyPaths) == rhs.indices.map(\.keyPaths)
        }

        public func hash(into hasher: inout Hasher) { hasher.combine(indices.map(\.keyPaths)) }
    }

    /// Properties whose values together no two objects share.
    public final class Unique<T: PersistentModel>: SchemaProperty, CustomDebugStringConvertible {
        public var name = "SwiftData.Schema.Unique"
        public var originalName = "SwiftData.Schema.Unique"
        public var valueType: any Any.Type = T.self
        public let constraints: [[PartialKeyPath<T>]]

        public init(_ constraints: [PartialKeyPath<T>]...) { self.constraints = constraints }

        public var isAttribute: Bool { false }
        public var isRelationship: Bool { false }
        public var isTransient: Bool { true }
        public var isOptional: Bool { false }
        public var isUnique: Bool { true }

        public enum CodingKeys: CodingKey { case constraints }

        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            constraints = try container.decode([[String]].self, forKey: .constraints).map {
                try namedKeyPaths(of: T.self, $0)
            }
        }

        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(constraints.map { names(of: T.self, $0) }, forKey: .constraints)
        }

        public var debugDescription: String {
            "Unique in \(T.self): " + constraints.map { "\(names(of: T.self, $0))" }.joined(separator: ", ")
        }

        public static func == (lhs: Unique, rhs: Unique) -> Bool { lhs.constraints == rhs.constraints }
        public func hash(into hasher: inout Hasher) { hasher.combine(constraints) }
    }
}

/// What an index or a unique constraint of a class says, without its class's type.
protocol ConstraintMetadata {
    var keyPathLists: [(keyPaths: [AnyKeyPath], isRTree: Bool)] { get }
}

extension Schema.Index: ConstraintMetadata {
    var keyPathLists: [(keyPaths: [AnyKeyPath], isRTree: Bool)] {
        indices.map {
            if case .rtree = $0 { ($0.keyPaths, true) } else { ($0.keyPaths, false) }
        }
    }
}

extension Schema.Unique: ConstraintMetadata {
    var keyPathLists: [(keyPaths: [AnyKeyPath], isRTree: Bool)] { constraints.map { ($0, false) } }
}

private struct EncodedIndex: Codable {
    var properties: [String]
    var isRTree: Bool
}

private func names(of model: any PersistentModel.Type, _ keyPaths: [AnyKeyPath]) -> [String] {
    let description = ModelDescription.of(model)
    return keyPaths.compactMap { keyPath in description.index(of: keyPath).map { description.properties[$0].name } }
}

private func namedKeyPaths<Model: PersistentModel>(
    of model: Model.Type, _ names: [String]
) throws -> [PartialKeyPath<Model>] {
    let description = ModelDescription.of(model)
    return try names.map { name in
        guard let index = description.index(named: name),
            let keyPath = description.properties[index].keyPath as? PartialKeyPath<Model>
        else { throw SwiftDataError(.unknownSchema, detail: "\(model) has no property \(name)") }
        return keyPath
    }
}
