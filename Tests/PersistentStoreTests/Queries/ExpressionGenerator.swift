import Foundation

@testable import PersistentStore

/// Makes conditions over notes, notebooks and tags from a seed. Every kind of expression occurs, nested, with values that are nil
/// and steps that fail.
struct ExpressionGenerator {
    var random: SeededRandom
    let rows: [RowID]
    private var variables = 0

    init(seed: UInt64, rows: [RowID]) {
        random = SeededRandom(seed: seed)
        self.rows = rows
    }

    private mutating func pick<Value>(_ choices: [Value]) -> Value { choices.randomElement(using: &random)! }

    private mutating func chance(_ count: UInt64) -> Bool { random.next() % count == 0 }

    // MARK: - Conditions

    mutating func condition(_ depth: Int, _ note: StoreObjectPath = .variable(0)) -> StoreExpression {
        guard depth > 0 else { return leaf(note) }
        switch random.next() % 12 {
        case 0, 1: return .and((0..<Int.random(in: 2...3, using: &random)).map { _ in condition(depth - 1, note) })
        case 2, 3: return .or((0..<Int.random(in: 2...3, using: &random)).map { _ in condition(depth - 1, note) })
        case 4: return .not(condition(depth - 1, note))
        case 5:
            return .conditional(
                condition(depth - 1, note), then: condition(depth - 1, note), else: condition(depth - 1, note))
        case 6:
            return .comparison(
                pick([.equal, .notEqual]), condition(depth - 1, note), condition(depth - 1, note), as: .number)
        case 7: return quantifier(depth - 1, note)
        case 8:
            return .coalesced(
                .mappedObject(.related(note, "notebook"), notebookCondition(.related(note, "notebook"))),
                condition(depth - 1, note))
        case 9:
            let subject = StoreExpression.attribute(note, "dueAt")
            return .coalesced(
                .mapped(subject, .comparison(pick(Self.orders), subject, date(), as: .number)), pick([.true, .false]))
        default: return leaf(note)
        }
    }

    private static let orders: [StoreComparison] = [.less, .lessOrEqual, .greater, .greaterOrEqual]
    private static let all: [StoreComparison] = [.equal, .notEqual] + orders

    private mutating func leaf(_ note: StoreObjectPath) -> StoreExpression {
        switch random.next() % 20 {
        case 0: return .attribute(note, "pinned")
        case 1:
            return .comparison(
                pick([.equal, .notEqual]), .attribute(note, "flagged"),
                .constant(pick([.boolean(true), .boolean(false), .null])), as: .number)
        case 2, 3: return .comparison(pick(Self.all), integer(2, note), integer(1, note), as: .number)
        case 4:
            return .comparison(pick([.equal, .notEqual]), optionalInteger(note), optionalInteger(note), as: .number)
        case 5: return .comparison(pick(Self.all), text(note), text(note), as: .text)
        case 6: return .comparison(pick([.equal, .notEqual]), optionalText(note), optionalText(note), as: .text)
        case 7: return .text(pick([.contains, .startsWith, .localizedStandardContains]), text(note), text(note))
        case 8: return .comparison(pick(Self.all), double(2, note), double(1, note), as: .number)
        case 9: return .comparison(pick(Self.all), .attribute(note, "createdAt"), date(), as: .number)
        case 10: return .comparison(pick(Self.all), .unwrapped(.attribute(note, "dueAt")), date(), as: .number)
        case 11: return .isNil(pick([.attribute(note, "dueAt"), .attribute(note, "body"), .attribute(note, "place")]))
        case 12:
            return .isAmong(
                .attribute(note, "rating"),
                (0..<Int.random(in: 0...4, using: &random)).map { _ in .integer(pick([0, 1, 2, 3, 5, .max])) },
                as: .number)
        case 13:
            return .isAmong(
                optionalText(note),
                (0..<Int.random(in: 0...4, using: &random)).map { _ in pick([.null, constantText(), constantText()]) },
                as: .text)
        case 14:
            let price = StoreExpression.attribute(note, "price")
            let other = StoreValue.decimal(Decimal(string: pick(["1.5", "19.99", "123456789012345678.25", "0"]))!)
            return chance(2)
                ? .comparison(pick([.equal, .notEqual]), price, .constant(other), as: .decimal)
                : .comparison(pick(Self.orders), .unwrapped(price), .constant(other), as: .decimal)
        case 15: return object(note)
        case 16:
            return chance(2)
                ? .array(.contains, .attribute(note, "scores"), argument: integer(0, note))
                : .comparison(
                    pick([.equal, .notEqual]),
                    .array(pick([.minimum, .maximum]), .attribute(note, "scores"), argument: nil),
                    .constant(pick([.null, .integer(3)])), as: .number)
        case 17:
            return .comparison(
                .equal, .textOrder(.caseInsensitive, text(note), text(note)), .constant(.integer(pick([0, 1, -1]))),
                as: .number)
        case 18:
            let city = StoreExpression.attribute(note, "place.city")
            return .comparison(pick([.equal, .notEqual]), city, .constant(pick([constantText(), .null])), as: .text)
        default:
            return .comparison(
                pick([.equal, .notEqual]), .attribute(note, "ident"),
                .constant(
                    .uuid(
                        UUID(
                            uuid: (
                                UInt8.random(in: 0...3, using: &random), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
                                15
                            )))), as: .exact)
        }
    }

    private mutating func object(_ note: StoreObjectPath) -> StoreExpression {
        let some = (0..<Int.random(in: 0...5, using: &random)).map { _ in pick(rows) }
        switch random.next() % 7 {
        case 0: return .isNoObject(.related(note, "notebook"))
        case 1: return .isKind(note, entity: pick(["Memo", "Note"]))
        case 2:
            return .isOneOf(
                pick([note, .related(note, "parent"), .related(.related(note, "parent"), "notebook")]), some)
        case 3: return .isSameObject(.related(note, "notebook"), .related(.related(note, "parent"), "notebook"))
        case 4:
            let memo = StoreObjectPath.cast(note, entity: "Memo")
            return .comparison(
                pick([.equal, .notEqual]), .mappedObject(memo, .attribute(memo, pick(["reason", "title"]))),
                .constant(pick([constantText(), .null])), as: .text)
        case 5:
            let owner = StoreObjectPath.related(.unwrapped(.related(note, "notebook")), "owner")
            return .comparison(
                pick([.equal, .notEqual]), .mappedObject(owner, .attribute(owner, "name")),
                .constant(pick([constantText(), .null])), as: .text)
        default:
            let notebook = StoreObjectPath.unwrapped(.related(note, "notebook"))
            return .comparison(
                pick([.equal, .notEqual]), .attribute(notebook, "shelf"), .constant(pick([.integer(2), .null])),
                as: .number)
        }
    }

    private mutating func notebookCondition(_ notebook: StoreObjectPath) -> StoreExpression {
        switch random.next() % 3 {
        case 0: .comparison(pick(Self.all), .attribute(notebook, "name"), .constant(constantText()), as: .text)
        case 1:
            .comparison(
                pick([.equal, .notEqual]), .attribute(notebook, "shelf"), .constant(pick([.null, .integer(1)])),
                as: .number)
        default:
            .comparison(
                pick(Self.orders), .unwrapped(.attribute(notebook, "shelf")), .constant(.integer(2)), as: .number)
        }
    }

    private mutating func collection(_ depth: Int, _ note: StoreObjectPath) -> StoreCollection {
        variables += 1
        let variable = variables
        if chance(2) {
            var links = StoreCollection(owner: note, relationship: "links", variable: variable)
            if !chance(3) { links.filter = condition(depth, .variable(variable)) }
            return links
        }
        var tags = StoreCollection(owner: note, relationship: "tags", variable: variable)
        let tag = StoreObjectPath.variable(variable)
        switch random.next() % 4 {
        case 0: tags.filter = .attribute(tag, "isHot")
        case 1:
            tags.filter = .comparison(
                pick(Self.all), .attribute(tag, "name"),
                chance(2) ? .attribute(note, "title") : .constant(constantText()), as: .text)
        case 2:
            tags.filter = .comparison(
                pick(Self.orders), .unwrapped(.attribute(tag, "heat")), .constant(.integer(1)), as: .number)
        default: break
        }
        return tags
    }

    private mutating func quantifier(_ depth: Int, _ note: StoreObjectPath) -> StoreExpression {
        switch random.next() % 3 {
        case 0: .exists(collection(depth, note))
        case 1: .not(.exists(collection(depth, note)))
        default:
            .comparison(
                pick(Self.all), .count(collection(depth, note)), .constant(.integer(pick([0, 1, 2]))), as: .number)
        }
    }

    // MARK: - Values

    private mutating func constantText() -> StoreValue { .string(pick(Notebooks.texts)) }

    private mutating func date() -> StoreExpression {
        .constant(
            .date(Date(timeIntervalSinceReferenceDate: Double(Int.random(in: 0...9, using: &random)) + pick([0, 0.1]))))
    }

    private mutating func integer(_ depth: Int, _ note: StoreObjectPath) -> StoreExpression {
        let type = StoreNumberType.integer(bits: pick([64, 64, 8, 16]), isSigned: true)
        guard depth > 0 else { return .constant(.integer(pick([0, 1, 2, 3, -1, 5, .max, .min]))) }
        switch random.next() % 9 {
        case 0, 1: return .attribute(note, "rating")
        case 2: return .attribute(note, "size")
        case 3: return .unwrapped(.attribute(note, "stars"))
        case 4: return .coalesced(.attribute(note, "stars"), integer(depth - 1, note))
        case 5:
            return .arithmetic(
                pick([.add, .subtract, .multiply, .divide, .remainder]), integer(depth - 1, note),
                integer(depth - 1, note), type)
        case 6: return .negated(integer(depth - 1, note), type)
        case 7: return .characterCount(text(note))
        default:
            return .array(
                .element, .attribute(note, "scores"), argument: .constant(.integer(pick([0, 1, 2, -1, .max]))))
        }
    }

    private mutating func optionalInteger(_ note: StoreObjectPath) -> StoreExpression {
        switch random.next() % 5 {
        case 0: .attribute(note, "stars")
        case 1: .mappedObject(.related(note, "notebook"), .attribute(.related(note, "notebook"), "shelf"))
        case 2: .constant(pick([.null, .integer(2)]))
        case 3:
            .mapped(
                .attribute(note, "stars"),
                .arithmetic(
                    .add, .attribute(note, "stars"), .attribute(note, "rating"), .integer(bits: 64, isSigned: true)))
        default:
            .conditional(
                .attribute(note, "pinned"), then: .attribute(note, "stars"), else: .unwrapped(.attribute(note, "stars"))
            )
        }
    }

    private mutating func double(_ depth: Int, _ note: StoreObjectPath) -> StoreExpression {
        guard depth > 0 else { return .constant(.double(pick([0, 0.5, 2, 0.1, -1]))) }
        return switch random.next() % 4 {
        case 0:
            .arithmetic(
                pick([.add, .subtract, .multiply, .divide]), double(depth - 1, note), double(depth - 1, note),
                pick([.double, .float]))
        case 1: .negated(double(depth - 1, note), .double)
        default: .attribute(note, "weight")
        }
    }

    private mutating func text(_ note: StoreObjectPath) -> StoreExpression {
        switch random.next() % 5 {
        case 0: .attribute(note, "title")
        case 1: .coalesced(.attribute(note, "body"), .constant(constantText()))
        case 2: .unwrapped(.attribute(note, "body"))
        default: .constant(constantText())
        }
    }

    private mutating func optionalText(_ note: StoreObjectPath) -> StoreExpression {
        switch random.next() % 4 {
        case 0: .attribute(note, "body")
        case 1: .mappedObject(.related(note, "notebook"), .attribute(.related(note, "notebook"), "name"))
        case 2: .attribute(note, "place.city")
        default: .constant(pick([.null, constantText()]))
        }
    }
}
