/// An entity of an open file.
package final class EntityLayout: Sendable {
    /// `Z_ENT`
    package let number: Int
    package let name: String
    /// The table of its root, which all entities below the root share.
    package let table: String
    package let root: Int
    package let superentity: Int?
    /// From the root down, without the entity itself.
    package let ancestors: [Int]
    /// The entity itself and all that inherit from it, by number.
    package let family: [Int]
    /// Inherited ones first, from the root down; each level in the order it declares. The position in this list is the
    /// **property index** by which rows are read and written.
    package let properties: [PropertyLayout]
    /// Where a property of a name stands in `properties`.
    package let indexes: [String: Int]
    package let entity: Entity
    /// Whether the table has rows of entities other than this one's family, so that a query has to say which it wants.
    package let sharesTable: Bool

    init(
        number: Int, table: String, root: Int, superentity: Int?, ancestors: [Int], family: [Int],
        properties: [PropertyLayout], entity: Entity, sharesTable: Bool
    ) {
        self.number = number
        name = entity.name
        self.table = table
        self.root = root
        self.superentity = superentity
        self.ancestors = ancestors
        self.family = family
        self.properties = properties
        // Names are unique: the model was validated.
        indexes = Dictionary(properties.map { ($0.name, $0.index) }, uniquingKeysWith: { first, _ in first })
        self.entity = entity
        self.sharesTable = sharesTable
    }

    package var isAbstract: Bool { entity.isAbstract }

    package func property(named name: String) -> PropertyLayout? {
        indexes[name].map { properties[$0] }
    }

    /// The columns of an attribute or to-one, or of the element that a path names (`place.city`).
    func columns(ofPath path: String) -> [String] {
        let name = path.prefix { $0 != "." }
        guard let property = property(named: String(name)) else { return [] }
        switch property.kind {
        case .attribute(let columns):
            return columns.filter { $0.path == path || $0.path.hasPrefix(path + ".") }.map(\.name)
        case .toOne(let toOne): return name.count == path.count ? [toOne.column] : []
        default: return []
        }
    }
}
