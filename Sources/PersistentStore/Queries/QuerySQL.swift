import Foundation

// The one place where a query becomes SQL.
//
// A condition is written in one of two forms, "is true" and "is false", in which SQL's NULL means neither: NULL stands for nil and
// for a step that failed, and WHERE takes both for no. So no condition is ever negated by NOT where NULL could hide in it. A
// value is written once, with NULL for nil and for failed; where the two must be told apart, `isDefined` says which it is.
//
// To-one relationships become LEFT JOINs of the scope in which the path begins, so that SQLite may begin at either end;
// to-many ones become correlated EXISTS and COUNT.

final class QuerySQL {
    let layout: StoreLayout
    private(set) var bindings: [SQLBinding] = []
    private var scopes: [Int: Scope] = [:]
    private var aliases = 0
    /// Paths of objects and repeated subjects multiply; a query larger than this is refused rather than compiled for minutes.
    private var budget = 20_000

    init(_ layout: StoreLayout) {
        self.layout = layout
    }

    /// The rows of one FROM.
    private final class Scope {
        let alias: String
        let entity: EntityLayout
        var joins = ""
        /// The aliases of joined objects by their path.
        var joined: [StoreObjectPath: String] = [:]

        init(_ alias: String, _ entity: EntityLayout) {
            self.alias = alias
            self.entity = entity
        }
    }

    // MARK: - Parts

    func bind(_ value: StoreValue) -> String {
        bindings.append(.value(value))
        return "?\(bindings.count)"
    }

    func bind(_ list: StoreList) -> String {
        bindings.append(.list(list))
        return "(SELECT value FROM stratus_list(?\(bindings.count)))"
    }

    func spend() throws(PersistentStoreError) {
        budget -= 1
        if budget < 0 { throw .unsupportedQuery("the predicate is too large") }
    }

    func entity(named name: String) throws(PersistentStoreError) -> EntityLayout {
        guard let entity = layout.entity(named: name) else { throw .unsupportedQuery("no entity \(name)") }
        return entity
    }

    private func entity(numbered number: Int) throws(PersistentStoreError) -> EntityLayout {
        guard let entity = layout.entity(number) else { throw .unsupportedQuery("no entity of the number \(number)") }
        return entity
    }

    // MARK: - Objects

    func entity(of object: StoreObjectPath) throws(PersistentStoreError) -> EntityLayout {
        switch object {
        case .variable(let number):
            guard let scope = scopes[number] else { throw .unsupportedQuery("variable \(number) is bound to nothing") }
            return scope.entity
        case .related(let base, let name): return try entity(numbered: try toOne(name, of: base).destination)
        case .cast(_, let name): return try entity(named: name)
        case .unwrapped(let base): return try entity(of: base)
        }
    }

    private func toOne(_ name: String, of object: StoreObjectPath) throws(PersistentStoreError) -> ToOneLayout {
        let entity = try entity(of: object)
        guard case .toOne(let toOne) = entity.property(named: name)?.kind else {
            throw .unsupportedQuery("\(entity.name).\(name) is no relationship to one object")
        }
        return toOne
    }

    /// The alias of the row that is the object, or of the row without values when there is none.
    private func alias(of object: StoreObjectPath) throws(PersistentStoreError) -> String {
        switch object {
        case .variable(let number):
            guard let scope = scopes[number] else { throw .unsupportedQuery("variable \(number) is bound to nothing") }
            return scope.alias
        case .cast(let base, _), .unwrapped(let base): return try alias(of: base)
        case .related:
            guard let scope = scopes[object.variable] else {
                throw .unsupportedQuery("variable \(object.variable) is bound to nothing")
            }
            if let known = scope.joined[object] { return known }
            guard scope.joined.count < 60 else {
                throw .unsupportedQuery("more than 60 to-one relationships in one query")
            }
            let table = try entity(of: object).table
            let reference = try key(of: object)
            let alias = nextAlias()
            scope.joins += " LEFT JOIN \(quoted(table)) \(alias) ON \(alias).Z_PK = \(reference)"
            scope.joined[object] = alias
            return alias
        }
    }

    private func nextAlias() -> String {
        defer { aliases += 1 }
        return "t\(aliases)"
    }

    /// The object's primary key, or NULL when there is none.
    func key(of object: StoreObjectPath) throws(PersistentStoreError) -> String {
        switch object {
        case .variable: return try alias(of: object) + ".Z_PK"
        case .unwrapped(let base): return try key(of: base)
        case .related(let base, let name):
            return guarded(base, "\(try alias(of: base)).\(quoted(try toOne(name, of: base).column))", names: name)
        case .cast(let base, let name):
            guard let test = try kindTest(base, try entity(named: name)) else { return try key(of: base) }
            return "CASE WHEN \(test) THEN \(try key(of: base)) END"
        }
    }

    /// Nil: every row there is of the entity.
    private func kindTest(_ object: StoreObjectPath, _ wanted: EntityLayout) throws(PersistentStoreError) -> String? {
        let family = Set(wanted.family)
        let possible = try entity(of: object).family
        if family.isSuperset(of: possible) { return nil }
        let numbers = possible.filter(family.contains)
        if numbers.isEmpty { return "0" }
        return "\(try alias(of: object)).Z_ENT IN (\(numbers.map(String.init).joined(separator: ", ")))"
    }

    func isKind(_ object: StoreObjectPath, _ name: String) throws(PersistentStoreError) -> String {
        if let test = try kindTest(object, try entity(named: name)) { return test }
        return "\(try key(of: object)) IS NOT NULL"
    }

    /// The SQL, or NULL when a cast in the object's path does not hold. A property that only the wanted entity has is NULL in other rows.
    private func guarded(_ object: StoreObjectPath, _ sql: String, names property: String) -> String {
        guard case .cast(let base, let name) = object, let wanted = layout.entity(named: name),
            let from = try? entity(of: base), from.property(named: property) != nil,
            let test = try? kindTest(base, wanted)
        else { return sql }
        return "CASE WHEN \(test) THEN \(sql) END"
    }

    /// The columns of a structure, all NULL when it is nil; none for what has a column of its own.
    func leaves(_ path: String, of object: StoreObjectPath) throws(PersistentStoreError) -> [String] {
        let name = String(path.prefix { $0 != "." })
        guard case .attribute(let columns) = try entity(of: object).property(named: name)?.kind else { return [] }
        let alias = try alias(of: object)
        return columns.filter { $0.path.hasPrefix(path + ".") }
            .map { guarded(object, "\(alias).\(quoted($0.name))", names: name) }
    }

    func column(_ path: String, of object: StoreObjectPath, onlyForNil: Bool = false) throws(PersistentStoreError)
        -> String
    {
        let entity = try entity(of: object)
        let name = String(path.prefix { $0 != "." })
        guard case .attribute(let columns) = entity.property(named: name)?.kind else {
            throw .unsupportedQuery("\(entity.name).\(path) is no attribute")
        }
        guard let column = columns.first(where: { $0.path == path }) else {
            throw .unsupportedQuery("\(entity.name).\(path) is no single value")
        }
        if column.isExternal, !onlyForNil {
            throw .unsupportedQuery(
                "\(entity.name).\(path) is stored outside of its row: it can only be compared with nil")
        }
        return guarded(object, "\(try alias(of: object)).\(quoted(column.name))", names: name)
    }

    // MARK: - Collections

    /// `SELECT what FROM the objects of the collection WHERE they belong to the owner AND form(filter)`.
    func select(
        _ what: String, from collection: StoreCollection,
        where form: (StoreExpression) throws(PersistentStoreError) -> String
    ) throws(PersistentStoreError) -> String {
        let owner = try entity(of: collection.owner)
        let ownerKey = try key(of: collection.owner)
        let alias = nextAlias()
        let from: String
        let belongs: String
        let destination: EntityLayout
        switch owner.property(named: collection.relationship)?.kind {
        case .oneToMany(let many):
            destination = try entity(numbered: many.destination)
            from = "\(quoted(many.table)) \(alias)"
            belongs = "\(alias).\(quoted(many.column)) = \(ownerKey)"
        case .manyToMany(let many):
            destination = try entity(numbered: many.destination)
            let join = nextAlias()
            from =
                "\(quoted(many.table)) \(join) JOIN \(quoted(destination.table)) \(alias)"
                + " ON \(alias).Z_PK = \(join).\(quoted(many.destinationColumn))"
            belongs = "\(join).\(quoted(many.ownerColumn)) = \(ownerKey)"
        default: throw .unsupportedQuery("\(owner.name).\(collection.relationship) is no relationship to many objects")
        }
        let scope = Scope(alias, destination)
        let outer = scopes.updateValue(scope, forKey: collection.variable)
        defer { scopes[collection.variable] = outer }
        var test = ""
        if let filter = collection.filter, filter != .true { test = " AND " + (try form(filter)) }
        return "SELECT \(what) FROM \(from)\(scope.joins) WHERE \(belongs)\(test)"
    }

    // MARK: - The statement

    func statement(_ query: StoreQuery, _ selection: Selection) throws(PersistentStoreError) -> SQLText {
        let entity = try entity(named: query.entity)
        let scope = Scope(nextAlias(), entity)
        scopes[0] = scope
        var conditions: [String] = []
        if let predicate = query.predicate, predicate != .true { conditions.append(try isTrue(predicate)) }
        if let rows = rowsTest(entity, query.includesSubentities) { conditions.append(rows) }
        var order: [String] = []
        for key in query.sort { order.append(try self.order(key)) }
        // The sign keeps SQLite from walking the whole table in this order where an index has the few rows of a range.
        let isRange = query.sort.isEmpty && query.predicate.map { hasIndexedRange($0, entity) } ?? false
        order.append("\(isRange ? "+" : "")\(scope.alias).Z_PK")

        let isWhole = query.limit == nil && query.offset == nil
        let columns: String =
            switch selection {
            case .rows(let shape): shape.columns(of: scope.alias)
            case .identifiers: "\(scope.alias).Z_ENT, \(scope.alias).Z_PK"
            case .count: isWhole ? "COUNT(*)" : "1"
            }
        var text = " FROM \(quoted(entity.table)) \(scope.alias)\(scope.joins)"
        if !conditions.isEmpty { text += " WHERE " + conditions.joined(separator: " AND ") }
        if case .count = selection {} else { text += " ORDER BY " + order.joined(separator: ", ") }
        if !isWhole {
            text += " LIMIT \(bind(.integer(Int64(clamping: query.limit ?? -1))))"
            if let offset = query.offset { text += " OFFSET \(bind(.integer(Int64(clamping: offset))))" }
        }
        var head = "SELECT \(columns)"
        if case .count = selection, !isWhole {
            head = "SELECT COUNT(*) FROM (" + head
            text += ")"
        }
        let statement = numbered(head, text)
        // What SQLite refuses by itself, with words of its own.
        guard statement.text.utf8.count < 500_000, statement.values.count < 32_000 else {
            throw .unsupportedQuery("the predicate is too large")
        }
        return statement
    }

    /// The statement with only those values that the text names, which may have dropped parts as never needed.
    private func numbered(_ head: String, _ rest: String) -> SQLText {
        var values: [SQLBinding] = []
        var text: [UInt8] = []
        text.reserveCapacity(head.utf8.count + rest.utf8.count)
        text.append(contentsOf: head.utf8)
        var isName = false
        var number = -1
        func finish() {
            guard number > 0 else { return }
            values.append(bindings[number - 1])
            text.append(contentsOf: String(values.count).utf8)
            number = -1
        }
        for byte in rest.utf8 {
            if number >= 0, byte >= 0x30, byte <= 0x39 {
                number = number * 10 + Int(byte - 0x30)
                continue
            }
            finish()
            if byte == UInt8(ascii: "\"") { isName.toggle() }
            text.append(byte)
            if byte == UInt8(ascii: "?"), !isName { number = 0 }
        }
        finish()
        return SQLText(text: String(decoding: text, as: UTF8.self), values: values)
    }

    /// Whether a part that every row must satisfy is an order by an attribute with an index.
    private func hasIndexedRange(_ predicate: StoreExpression, _ entity: EntityLayout) -> Bool {
        switch predicate {
        case .and(let parts): return parts.contains { hasIndexedRange($0, entity) }
        case .not(let inner): return hasIndexedRange(inner, entity)
        case .comparison(let comparison, .attribute(.variable(0), let path), .constant, _):
            guard comparison != .equal, comparison != .notEqual else { return false }
            return (entity.ancestors + [entity.number]).compactMap(layout.entity).contains { owner in
                owner.entity.indexes.contains { $0.properties.first == path }
                    || owner.entity.uniquenessConstraints.contains { $0.first == path }
            }
        default: return false
        }
    }

    private func rowsTest(_ entity: EntityLayout, _ includesSubentities: Bool) -> String? {
        let wanted = includesSubentities ? entity.family : [entity.number]
        guard entity.sharesTable || wanted.count < entity.family.count else { return nil }
        return "t0.Z_ENT IN (\(wanted.map(String.init).joined(separator: ", ")))"
    }

    private func order(_ key: StoreSort) throws(PersistentStoreError) -> String {
        let value = try value(key.expression)
        let direction = key.isAscending ? "" : " DESC"
        switch key.order {
        case .value(.number), .value(.exact): return value + direction
        case .value(.unsigned): return "stratus_unsigned(\(value))" + direction
        case .value(.decimal): return "CAST(\(value) AS REAL)\(direction), \(value)\(direction)"
        case .value(.text): return value + " COLLATE stratus_text" + direction
        case .text(let order): return value + " COLLATE \(order.collation)" + direction
        }
    }
}

extension StoreQuery {
    /// The statement that answers the query.
    package func sql(_ selection: Selection, in layout: StoreLayout) throws(PersistentStoreError) -> SQLText {
        try QuerySQL(layout).statement(self, selection)
    }
}
