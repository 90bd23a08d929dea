import Testing
import WebServices

@testable import CloudServer

/// Records in memory, and what a query finds among them by its definition: no index, no plan, no pages.
struct NaiveRecords {
    struct Row {
        var name: String
        var values: [String: FieldValue]
        var created: Int64
        /// In which order names were first used.
        var identity: Int
        var zone: Int
    }

    var rows: [String: Row] = [:]

    func names(_ query: RecordsQuery.Query) -> [String] {
        let found = rows.values.filter { row in query.filterBy.allSatisfy { holds($0, row) } }
        return found.sorted { precedes($0, $1, query) }.map(\.name)
    }

    private func holds(_ filter: RecordsQuery.Filter, _ row: Row) -> Bool {
        guard case .user(let name)? = filter.field, case .typed(let operand) = filter.value else { return false }
        let isNegated = filter.comparator.rawValue.hasPrefix("NOT_")
        guard let value = row.values[name] else { return isNegated }
        let plain: Bool =
            switch filter.comparator {
            case .equals, .notEquals: order(value, operand) == 0
            case .lessThan: order(value, operand) < 0
            case .lessThanOrEquals: order(value, operand) <= 0
            case .greaterThan: order(value, operand) > 0
            case .greaterThanOrEquals: order(value, operand) >= 0
            case .in, .notIn: elements(operand).contains { order($0, value) == 0 }
            case .beginsWith, .notBeginsWith: begins(value, operand)
            case .listContains, .notListContains: elements(value).contains { order($0, operand) == 0 }
            case .listContainsAny, .notListContainsAny:
                elements(operand).contains { wanted in elements(value).contains { order($0, wanted) == 0 } }
            case .listContainsAll, .notListContainsAll:
                elements(operand).allSatisfy { wanted in elements(value).contains { order($0, wanted) == 0 } }
            case .listMemberBeginsWith, .notListMemberBeginsWith: elements(value).contains { begins($0, operand) }
            default: false
            }
        return plain != isNegated
    }

    private func precedes(_ left: Row, _ right: Row, _ query: RecordsQuery.Query) -> Bool {
        for (index, sort) in query.sortBy.enumerated() {
            guard case .user(let name) = sort.field else { continue }
            switch (left.values[name], right.values[name]) {
            case (nil, nil) where index == 0: return (left.created, left.identity) < (right.created, right.identity)
            case (nil, nil): continue
            case (nil, _): return false
            case (_, nil): return true
            case (let first?, let second?):
                let order = order(first, second)
                if order != 0 { return (order < 0) == sort.ascending }
            }
        }
        if query.sortBy.isEmpty {
            let identifies = query.filterBy.contains {
                [.equals, .in, .listContains, .listContainsAny].contains($0.comparator)
                    || $0.comparator == .listContainsAll && elements($0.value).isEmpty == false
            }
            return identifies
                ? left.identity < right.identity
                : (left.created, left.identity) < (right.created, right.identity)
        }
        return (left.identity < right.identity) == query.sortBy[0].ascending
    }

    private func elements(_ value: FieldValue) -> [FieldValue] {
        if case .list(let elements, _) = value { elements } else { [] }
    }

    private func elements(_ operand: RecordsQuery.Operand) -> [FieldValue] {
        if case .typed(let value) = operand { elements(value) } else { [] }
    }

    private func begins(_ value: FieldValue, _ operand: FieldValue) -> Bool {
        guard case .string(let text) = value, case .string(let prefix) = operand else { return false }
        return text.utf8.starts(with: prefix.utf8)
    }

    private func order(_ left: FieldValue, _ right: FieldValue) -> Int {
        switch (left, right) {
        case (.string(let left), .string(let right)):
            left.utf8.lexicographicallyPrecedes(right.utf8)
                ? -1 : right.utf8.lexicographicallyPrecedes(left.utf8) ? 1 : 0
        case (.int64(let left), .int64(let right)): left < right ? -1 : left > right ? 1 : 0
        case (.double(let left), .double(let right)): left < right ? -1 : left > right ? 1 : 0
        default: 99
        }
    }
}

/// Makes records and queries of few distinct values, so that ties, misses and nulls are common.
struct QueryGenerator {
    var random: SeededGenerator
    private static let words = ["", "a", "aa", "ab", "b", "é", "e\u{301}", "B", String(repeating: "q", count: 1030)]

    mutating func record() -> [String: FieldValue] {
        var values: [String: FieldValue] = [:]
        if chance(5) { values["text"] = word() }
        if chance(5) { values["count"] = number() }
        if chance(5) { values["ratio"] = .double(Double(Int.random(in: -2...2, using: &random)) / 2) }
        if chance(5) {
            values["tags"] = .list((0..<Int.random(in: 0...3, using: &random)).map { _ in word() }, of: .string)
        }
        return values
    }

    mutating func query() -> RecordsQuery.Query {
        let filters = (0..<Int.random(in: 0...2, using: &random)).map { _ in filter() }
        let sorts = (0..<Int.random(in: 0...2, using: &random)).map { _ in
            RecordsQuery.Sort(
                .user(["text", "count", "ratio"].randomElement(using: &random) ?? "text"),
                ascending: Bool.random(using: &random))
        }
        return RecordsQuery.Query(recordType: "Note", filterBy: filters, sortBy: sorts)
    }

    private mutating func filter() -> RecordsQuery.Filter {
        if chance(1) {
            let comparators: [RecordsQuery.Comparator] = [
                .listContains, .notListContains, .listContainsAny, .notListContainsAny, .listContainsAll,
                .notListContainsAll, .listMemberBeginsWith, .notListMemberBeginsWith,
            ]
            let comparator = comparators.randomElement(using: &random) ?? .listContains
            let takesList = comparator.rawValue.hasSuffix("ANY") || comparator.rawValue.hasSuffix("ALL")
            return .init("tags", comparator, takesList ? .list([word(), word()], of: .string) : word())
        }
        let comparators: [RecordsQuery.Comparator] = [
            .equals, .notEquals, .lessThan, .lessThanOrEquals, .greaterThan, .greaterThanOrEquals, .in, .notIn,
            .beginsWith, .notBeginsWith,
        ]
        let comparator = comparators.randomElement(using: &random) ?? .equals
        let isText = chance(2) || comparator == .beginsWith || comparator == .notBeginsWith
        if comparator == .in || comparator == .notIn {
            return isText
                ? .init("text", comparator, .list([word(), word()], of: .string))
                : .init("count", comparator, .list([number(), number(), number()], of: .int64))
        }
        return isText ? .init("text", comparator, word()) : .init("count", comparator, number())
    }

    private mutating func word() -> FieldValue { .string(Self.words.randomElement(using: &random) ?? "") }
    private mutating func number() -> FieldValue { .int64(Int64.random(in: -2...2, using: &random)) }
    mutating func chance(_ times: Int) -> Bool { Int.random(in: 0..<6, using: &random) < times }
}

@Suite("Queries equal their definition")
struct QueryDifferentialTests {
    /// A cloud with records, and the same in memory.
    private struct World {
        let cloud: TestCloud
        let device: TestDevice
        var generator: QueryGenerator
        var naive = NaiveRecords()
        var made = 0
        var zones: [String] = ["_defaultZone"]

        /// What a query may gather or read is small in many worlds, so that every way to an answer is taken.
        init(seed: UInt64) throws {
            cloud = try TestCloud { configuration in
                if seed % 3 == 0 { return }
                configuration.webLimits.queryGathered = seed % 3 == 1 ? 0 : 6
                if seed % 2 == 0 { configuration.webLimits.queryRows = 16 }
            }
            device = try cloud.device()
            generator = QueryGenerator(random: SeededGenerator(seed: seed))
            // The fields exist from the start.
            let all = Fields([
                ("text", .string("")), ("count", .int64(0)), ("ratio", .double(0)),
                ("tags", .list([.string("")], of: .string)),
            ])
            try device.save(.create, Record(recordName: "first", recordType: "Note", fields: all))
            try device.save(.forceDelete, Record(recordName: "first"))
        }

        mutating func make(_ values: [String: FieldValue]? = nil) throws -> String {
            if generator.chance(2) { cloud.clock.advance(milliseconds: 1) }
            let values = values ?? generator.record()
            let name = "r\(made)"
            let zone = min(Int.random(in: 0..<4, using: &generator.random) * zones.count / 3, zones.count - 1)
            try device.save(
                .create, .note(name, values.map { ($0.key, $0.value) }), in: ZoneID(zoneName: zones[zone]))
            naive.rows[name] = .init(
                name: name, values: values, created: cloud.clock.now, identity: made, zone: zone)
            made += 1
            return name
        }

        mutating func delete(_ name: String) throws {
            guard let row = naive.rows.removeValue(forKey: name) else { return }
            try device.save(.forceDelete, Record(recordName: name), in: ZoneID(zoneName: zones[row.zone]))
        }

        mutating func limit() -> Int { Int.random(in: 1...9, using: &generator.random) }
    }

    @Test("Any query over any records, in pages of any size", arguments: 0..<30)
    func queries(seed: UInt64) throws {
        var world = try World(seed: seed)
        for _ in 0..<40 { _ = try world.make() }
        for _ in 0..<25 {
            let query = world.generator.query()
            let expected = world.naive.names(query)
            do {
                #expect(try world.device.query(query, limit: world.limit()) == expected, "\(query)")
            } catch let error as ServerError where query.sortBy.count > 1 && error.reason.contains("too many to sort") {
                #expect(seed % 2 == 0, "only where rows are scarce")
            }
        }
    }

    @Test("Over all zones of an account in one order", arguments: 0..<12)
    func zoneWide(seed: UInt64) throws {
        var world = try World(seed: seed &+ 1000)
        try world.device.create("A", "B")
        world.zones = ["A", "_defaultZone", "B"]
        for _ in 0..<(seed % 2 == 0 ? 80 : 20) { _ = try world.make() }
        for _ in 0..<15 {
            var query = world.generator.query()
            if seed % 2 == 0 { query.sortBy = Array(query.sortBy.prefix(1)) }
            let expected = world.naive.names(query)
            #expect(
                try world.device.query(query, zoneWide: true, limit: world.limit()) == expected,
                "\(query)")
        }
    }

    @Test("What stays while others come and go between pages is found once and in order", arguments: 0..<24)
    func concurrentChanges(seed: UInt64) throws {
        var world = try World(seed: seed &+ 2000)
        for _ in 0..<30 { _ = try world.make() }
        for _ in 0..<8 {
            var query = world.generator.query()
            if seed % 2 == 0 { query.sortBy = Array(query.sortBy.prefix(1)) }
            let before = world.naive
            var touched: Set<String> = []
            var names: [String] = []
            var marker: String?
            repeat {
                let page = try world.device.queryPage(query, limit: 4, marker: marker)
                names += page.records.compactMap(\.record?.recordName)
                marker = page.continuationMarker
                touched.insert(try world.make())
                if let victim = world.naive.rows.keys.sorted().randomElement(using: &world.generator.random) {
                    touched.insert(victim)
                    try world.delete(victim)
                }
            } while marker != nil
            #expect(Set(names).count == names.count, "nothing comes twice")
            let expected = before.names(query).filter { !touched.contains($0) }
            #expect(names.filter { !touched.contains($0) } == expected, "\(query)")
        }
    }
}
