import Foundation
import SQL

/// Changes the tables to a new version of the model as far as names and types tell how.
///
/// Entities keep their numbers, so that rows, join tables and history need no change for it; new ones get numbers of their own.
struct LightweightMigration {
    let session: StoreSession
    let from: StoreContents
    let to: StoreModel
    let matching: ModelMatching
    var reasons: [String] = []

    init(session: StoreSession, from: StoreContents, to: StoreModel) {
        self.session = session
        self.from = from
        self.to = to
        matching = ModelMatching(from: from.model, to: to)
    }

    mutating func run() throws(PersistentStoreError) -> StoreContents {
        let numbers = try numbers()
        var builder = LayoutBuilder(model: to, numbers: numbers)
        var layout = try builder.build()
        let changesTables = !ModelComparison.differences(from: from.model, to: to).isEmpty
        if !from.isOurs && !changesTables {
            // A file of others that fits: its own names for tables and columns are kept.
            var builder = LayoutBuilder(model: to, numbers: numbers, existing: try FileStructure(reading: session))
            layout = try builder.build()
        }
        if changesTables {
            checkShapes(layout)
            try throwReasons()
            // Another program's triggers and views may name what is gone for a moment.
            try session.execute("PRAGMA legacy_alter_table = ON")
            try changeTables(layout)
            try session.execute("PRAGMA legacy_alter_table = OFF")
            try bringIn(layout)
            try fillDefaults(layout)
            try throwReasons()
            try renumberHistory(layout)
            try writeEntities(layout)
        }
        try replaceIndexes(layout)
        try session.setValue(to.encoded(), named: "model")
        try writeProperties(changed: changesTables)
        return StoreContents(
            identifier: from.identifier, model: to, layout: layout, isOurs: true, isReady: true)
    }

    private func throwReasons() throws(PersistentStoreError) {
        guard !reasons.isEmpty else { return }
        throw .migration(path: session.path, reasons: reasons)
    }

    /// The old layout's entity that a new one was.
    func oldEntity(_ entity: EntityLayout) -> EntityLayout? {
        matching.entities[entity.name].flatMap { from.layout.entity(named: $0) }
    }

    private func numbers() throws(PersistentStoreError) -> [String: Int] {
        let known = try session.entityNumbers()
        var next = (known.values.max() ?? 0) + 1
        var result: [String: Int] = [:]
        for name in to.entities.map(\.name).sorted() {
            if let before = matching.entities[name], let number = known[before] {
                result[name] = number
            } else {
                result[name] = next
                next += 1
            }
        }
        return result
    }

    // MARK: - What cannot be inferred

    private mutating func checkShapes(_ layout: StoreLayout) {
        for entity in layout.entities {
            guard let old = oldEntity(entity) else { continue }
            if let root = from.layout.entity(old.root), let newRoot = layout.entity(entity.root),
                oldEntity(newRoot)?.number != root.number
            {
                reasons.append(
                    "\(entity.name) belonged to \(root.name) and now to \(newRoot.name), so its rows would move to "
                        + "another table")
            }
            for property in entity.properties where property.declaringEntity == entity.number {
                guard case .attribute(let new) = property.property,
                    case .attribute(let was)? = matching.oldProperty(new.name, of: entity.name)?.property,
                    !Self.converts(was.type, new.type)
                else { continue }
                reasons.append(
                    "\(entity.name).\(new.name) was of type \(was.type.name) and is now \(new.type.name)")
            }
        }
    }

    /// Whether every value of one type is one of the other, in the same form.
    static func converts(_ old: AttributeType, _ new: AttributeType) -> Bool {
        switch (old, new) {
        case (.integer16, .integer32), (.integer16, .integer64), (.integer32, .integer64): true
        case (.boolean, .integer16), (.boolean, .integer32), (.boolean, .integer64): true
        case (.integer16, .double), (.integer32, .double), (.float, .double), (.integer16, .float): true
        case (.integer16, .decimal), (.integer32, .decimal), (.integer64, .decimal): true
        case (.uri, .string), (.binary, .transformable), (.transformable, .binary): true
        // Elements come and go by name.
        case (.composite, .composite): true
        default: old == new
        }
    }

    // MARK: - Values that old rows have not

    private mutating func fillDefaults(_ layout: StoreLayout) throws(PersistentStoreError) {
        for entity in layout.entities {
            for property in entity.properties where property.declaringEntity == entity.number {
                let old = matching.oldProperty(property.name, of: entity.name)?.property
                switch (property.property, property.kind) {
                case (.attribute(let attribute), .attribute(let columns)):
                    try fill(attribute, columns, was: old, entity)
                case (.relationship(let relationship), .toOne(let toOne)) where !relationship.isOptional:
                    let missing = try countNulls(toOne.column, entity)
                    if missing > 0 {
                        reasons.append(
                            "\(entity.name).\(relationship.name) is not optional, and \(missing) rows have none")
                    }
                default: break
                }
            }
        }
    }

    private mutating func fill(
        _ attribute: Attribute, _ columns: [ColumnLayout], was old: Property?, _ entity: EntityLayout
    ) throws(PersistentStoreError) {
        var wasOptional = false
        if case .attribute(let old)? = old { wasOptional = old.isOptional }
        let isNew = old == nil
        guard isNew || (wasOptional && !attribute.isOptional) else { return }
        if let value = attribute.defaultValue, !value.isNull {
            var values = [value]
            if case .composite(let elements) = value { values = elements }
            for (column, value) in zip(columns, values) where !value.isNull {
                try session.run(
                    "UPDATE \(quoted(entity.table)) SET \(quoted(column.name)) = ?1 "
                        + "WHERE \(quoted(column.name)) IS NULL AND \(condition(entity))",
                    column.isExternal ? Self.marked(value) : value)
            }
        }
        guard !attribute.isOptional, columns.count == 1, let column = columns.first else { return }
        let missing = try countNulls(column.name, entity)
        if missing > 0 {
            reasons.append(
                "\(entity.name).\(attribute.name) is not optional and has no default value, and \(missing) rows have none"
            )
        }
    }

    private static func marked(_ value: StoreValue) -> StoreValue {
        if case .data(let data) = value { .data(Data([1]) + data) } else { value }
    }

    private func countNulls(_ column: String, _ entity: EntityLayout) throws(PersistentStoreError) -> Int64 {
        try session.integer(
            "SELECT COUNT(*) FROM \(quoted(entity.table)) WHERE \(quoted(column)) IS NULL AND \(condition(entity))")
            ?? 0
    }

    private func condition(_ entity: EntityLayout) -> String {
        "Z_ENT IN (\(entity.family.map(String.init).joined(separator: ", ")))"
    }

    // MARK: - What the file says of itself

    private func writeEntities(_ layout: StoreLayout) throws(PersistentStoreError) {
        for entity in layout.entities {
            try session.run(
                """
                INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?1, ?2, ?3, 0)
                ON CONFLICT (Z_ENT) DO UPDATE SET Z_NAME = ?2, Z_SUPER = ?3
                """,
                .integer(Int64(entity.number)), .string(entity.name), .integer(Int64(entity.superentity ?? 0)))
        }
        for entity in from.layout.entities where matching.newEntity(of: entity.name) == nil {
            try session.run("DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = ?1", .integer(Int64(entity.number)))
        }
    }

    private func writeProperties(changed: Bool) throws(PersistentStoreError) {
        guard from.isOurs || changed else { return }
        var list: Data?
        try session.rows("SELECT Z_PLIST FROM Z_METADATA") { row in list = list ?? Data(row.blob(0)) }
        try session.run(
            "UPDATE Z_METADATA SET Z_PLIST = ?1", .data(StoreProperties.make(for: to, keeping: list)))
        // Another program's archive of the model before.
        if changed, try FileStructure(reading: session).tables["Z_MODELCACHE"] != nil {
            try session.execute("DELETE FROM Z_MODELCACHE")
        }
    }

    /// The history names changed properties by their place in the entity's list, which may be another now.
    private func renumberHistory(_ layout: StoreLayout) throws(PersistentStoreError) {
        let adopted = try session.adoptedChanges()
        for entity in layout.entities {
            guard let old = oldEntity(entity) else { continue }
            var places: [Int: Int] = [:]
            for property in entity.properties {
                if let was = matching.oldProperty(property.name, of: entity.name)?.property.name,
                    let index = old.indexes[was]
                {
                    places[index] = property.index
                }
            }
            guard places.contains(where: { $0.key != $0.value }) || places.count < old.properties.count else {
                continue
            }
            try session.execute("CREATE TEMP TABLE renumbered (before BLOB PRIMARY KEY, after BLOB)")
            var known: [[UInt8]] = []
            let scope = "ZENTITY = ?1 AND ZCHANGETYPE = 1 AND Z_PK > ?2"
            try session.rows(
                "SELECT DISTINCT ZCOLUMNS FROM ACHANGE WHERE \(scope) AND ZCOLUMNS IS NOT NULL",
                [.integer(Int64(entity.number)), .integer(adopted)]
            ) { known.append($0.blob(0)) }
            for before in known {
                let after = PropertySet(PropertySet(bytes: before).compactMap { places[$0] }).bytes
                try session.run(
                    "INSERT INTO temp.renumbered VALUES (?1, ?2)", .data(Data(before)), .data(Data(after)))
            }
            try session.run(
                """
                UPDATE ACHANGE SET ZCOLUMNS = (SELECT after FROM temp.renumbered WHERE before = ZCOLUMNS)
                WHERE \(scope) AND ZCOLUMNS IS NOT NULL
                """, .integer(Int64(entity.number)), .integer(adopted))
            session.forgetStatements()
            try session.execute("DROP TABLE temp.renumbered")
        }
    }
}
