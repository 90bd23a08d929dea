extension Schema {
    /// Properties that are indexed together.
    public final class Index<T: PersistentModel>: SchemaProperty {
        /// The properties of one index, with its kind.
        public enum Types<P> {
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

        // Key paths have no encoded form; entities keep their names.
        public init(from decoder: any Decoder) throws { indices = [] }
        public func encode(to encoder: any Encoder) throws {}

        public static func == (lhs: Index, rhs: Index) -> Bool {
            lhs.indices.map(\.keyPaths) == rhs.indices.map(\.keyPaths)
        }

        public func hash(into hasher: inout Hasher) { hasher.combine(indices.map(\.keyPaths)) }
    }

    /// Properties whose values together no two objects share.
    public final class Unique<T: PersistentModel>: SchemaProperty {
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

        public init(from decoder: any Decoder) throws { constraints = [] }
        public func encode(to encoder: any Encoder) throws {}

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
