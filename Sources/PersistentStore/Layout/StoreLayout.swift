/// A model resolved to the tables and columns of one file.
package final class StoreLayout: Sendable {
    package let model: StoreModel
    /// In the order of their numbers.
    package let entities: [EntityLayout]
    /// Every table with the columns that the model needs, join tables included.
    let tables: [TableLayout]
    private let byNumber: [Int: EntityLayout]
    private let byName: [String: EntityLayout]
    private let shapes: [Int: (own: RowShape, family: RowShape)]

    init(model: StoreModel, entities: [EntityLayout], tables: [TableLayout]) {
        self.model = model
        self.entities = entities
        self.tables = tables
        let byNumber = Dictionary(entities.map { ($0.number, $0) }, uniquingKeysWith: { first, _ in first })
        self.byNumber = byNumber
        byName = Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        shapes = byNumber.mapValues { entity in
            let own = RowShape(entities: [entity], first: entity)
            let family = entity.family.compactMap { byNumber[$0] }
            return (own, family.count == 1 ? own : RowShape(entities: family, first: entity))
        }
    }

    /// The entity of a number (`Z_ENT`).
    package func entity(_ number: Int) -> EntityLayout? { byNumber[number] }

    package func entity(named name: String) -> EntityLayout? { byName[name] }

    package func entity(of row: RowID) -> EntityLayout? { byNumber[Int(row.entity)] }

    /// What a query of these rows reads.
    package func shape(of entity: EntityLayout, includesSubentities: Bool) -> RowShape {
        // Every entity of this layout has its shapes.
        guard let shapes = shapes[entity.number] else { return RowShape(entities: [entity], first: entity) }
        return includesSubentities ? shapes.family : shapes.own
    }
}

/// A table that the model needs.
struct TableLayout: Sendable {
    struct Column: Sendable, Hashable {
        var name: String
        var type: String
    }

    var name: String
    /// The root entity's number; nil for a join table.
    var root: Int?
    /// Without `Z_PK`, `Z_ENT`, `Z_OPT`.
    var columns: [Column]
    /// The columns of a join table's primary key.
    var primaryKey: [String] = []
    /// Indexes that the layout itself wants, by name.
    var indexes: [TableIndex] = []
}

struct TableIndex: Sendable, Hashable {
    var name: String
    var columns: [String]
    var isUnique = false
    var isAscending = true
}
