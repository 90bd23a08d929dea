import Foundation
import PredicateFormat
import Testing

/// What an app sees: Foundation's classes, with the initializers that Linux lacks.
@Suite struct FoundationSurfaceTests {
    @Test("NSPredicate(format:) takes values of Swift and of Foundation, nil and arrays")
    func format() {
        let day = Date(timeIntervalSinceReferenceDate: 5)
        let nothing: String? = nil
        let predicate = NSPredicate(
            format: "title == %@ AND due > %@ AND count == %d AND owner == %@ AND tags IN %@", "a", day as NSDate, 3,
            nothing, ["x", "y"])
        #expect(
            predicate.description
                == "title == \"a\" AND due > CAST(5.000000, \"NSDate\") AND count == 3 AND owner == nil AND tags IN {\"x\", \"y\"}"
        )
        #expect(
            NSPredicate(format: "%K == %@", argumentArray: ["a", 1]).syntax
                == .compare(.key("a"), .equalTo, .integer(1)))
        #expect(NSPredicate(format: "a == 1", argumentArray: nil).syntax == .compare(.key("a"), .equalTo, .integer(1)))
        #expect(NSPredicate(format: "a == 1").evaluate(with: ["a": 1]))
        #expect(!NSPredicate(format: "a == 1").evaluate(with: ["a": 2]))
    }

    @Test("An argument may be cast to CVarArg, as Xcode proposes")
    func castArguments() throws {
        let id = UUID()
        let day = Date(timeIntervalSinceReferenceDate: 5)
        let identifier = Identifier("a")
        #expect(
            NSPredicate(
                format: "id == %@ AND day > %@ AND tags IN %@ AND owner == %@ AND n == %@", id as any CVarArg,
                day as any CVarArg,
                ["x"] as any CVarArg, identifier as any CVarArg, NSNumber(value: 2) as any CVarArg
            ).syntax
                == (try parse(
                    "id == %@ AND day > %@ AND tags IN %@ AND owner == %@ AND n == 2", id, day, ["x"], identifier)))
        #expect(
            String(format: "%@ %@ %d", id as any CVarArg, NSNumber(value: 2) as any CVarArg, 3)
                == "\(id.uuidString) 2 3")
    }

    @Test("A malformed format ends the program with the reason")
    func malformed() async {
        await #expect(processExitsWith: .failure) {
            _ = NSPredicate(format: "title == ")
        }
    }

    @Test("A compound of a format is an NSCompoundPredicate with subpredicates")
    func compounds() throws {
        let predicate = NSPredicate(format: "a == 1 AND (b == 1 OR NOT c == 1)")
        let compound = try #require(predicate as? NSCompoundPredicate)
        #expect(compound.compoundPredicateType == .and)
        #expect(compound.subpredicates.map(\.description) == ["a == 1", "b == 1 OR NOT c == 1"])
        #expect(compound.evaluate(with: ["a": 1, "b": 0, "c": 0]))
        compound.subpredicates.removeFirst()
        #expect(compound.syntax?.predicateFormat == "b == 1 OR NOT c == 1")
        #expect(compound.evaluate(with: ["a": 0, "b": 1, "c": 1]))
    }

    @Test("The tree of compounds is found, whoever made them")
    func syntax() throws {
        let first = NSPredicate(format: "a == 1")
        let second = NSPredicate(format: "b == 1")
        let always = NSPredicate(value: true)
        #expect(
            NSCompoundPredicate(andPredicateWithSubpredicates: [first, second]).syntax
                == (try parse("a == 1 AND b == 1")))
        #expect(
            NSCompoundPredicate(orPredicateWithSubpredicates: [first, always]).syntax
                == (try parse("a == 1 OR TRUEPREDICATE")))
        #expect(NSCompoundPredicate(notPredicateWithSubpredicate: first).syntax == (try parse("NOT a == 1")))
        #expect(NSCompoundPredicate(andPredicateWithSubpredicates: []).syntax == .always(true))
        #expect(NSCompoundPredicate(orPredicateWithSubpredicates: []).syntax == .always(false))
        #expect(NSCompoundPredicate(andPredicateWithSubpredicates: [first]).syntax == first.syntax)
        #expect(
            NSCompoundPredicate(
                orPredicateWithSubpredicates: [
                    NSCompoundPredicate(andPredicateWithSubpredicates: [first, second]), second,
                ]
            ).syntax == (try parse("(a == 1 AND b == 1) OR b == 1")))
    }

    @Test("Someone else's block or class has no tree, and is not run to find out")
    func foreign() {
        final class Custom: NSPredicate {
            override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool { true }
        }
        let block = NSPredicate { _, _ in
            Issue.record("A block was run")
            return true
        }
        #expect(block.syntax == nil)
        #expect(Custom(value: true).syntax == nil)
        #expect(
            NSCompoundPredicate(andPredicateWithSubpredicates: [NSPredicate(format: "a == 1"), block]).syntax == nil)
    }

    @Test("A thousand predicates added one by one are one level")
    func manyCompounds() {
        var predicate = NSPredicate(format: "a == 0")
        for number in 1..<1000 {
            predicate = NSCompoundPredicate(orPredicateWithSubpredicates: [
                predicate, NSPredicate(format: "a == %d", number),
            ])
        }
        guard case .or(let operands)? = predicate.syntax else {
            Issue.record("\(String(describing: predicate.syntax))")
            return
        }
        #expect(operands.count == 1000)
        #expect(operands.last?.predicateFormat == "a == 999")
        #expect(predicate.evaluate(with: ["a": 500]))
    }

    @Test("Substitution gives a predicate without the variables, in compounds and beside blocks too")
    func substitution() {
        let template = NSPredicate(format: "a == $A AND b == $B")
        let bound = template.withSubstitutionVariables(["A": 1, "B": "x"])
        #expect(bound.description == "a == 1 AND b == \"x\"")
        #expect(bound.evaluate(with: ["a": 1, "b": "x"]))
        #expect(template.evaluate(with: ["a": 1, "b": "x"], substitutionVariables: ["A": 1, "B": "x"]))
        let mixed = NSCompoundPredicate(andPredicateWithSubpredicates: [template, NSPredicate { _, _ in true }])
        let single = NSCompoundPredicate(andPredicateWithSubpredicates: [template])
        #expect(single.withSubstitutionVariables(["A": 1, "B": 2]).evaluate(with: ["a": 1, "b": 2]))
        let changed = NSPredicate(format: "a == $A AND b == $B AND c == $C") as? NSCompoundPredicate
        changed?.subpredicates.removeLast()
        let copy = changed?.copy() as? NSPredicate
        #expect(copy?.withSubstitutionVariables(["A": 1, "B": 2]).description == "a == 1 AND b == 2")
        #expect(mixed.withSubstitutionVariables(["A": 1, "B": 2]).evaluate(with: ["a": 1, "b": 2]))
    }

    @Test("Equal trees make equal predicates, and copies are equal")
    func equality() throws {
        let predicate = NSPredicate(format: "a == 1")
        #expect(predicate == NSPredicate(format: "a=1"))
        #expect(predicate.hash == NSPredicate(format: "a=1").hash)
        #expect(predicate != NSPredicate(format: "a == 2"))
        #expect(predicate != NSPredicate(value: false))
        #expect(NSPredicate(value: false) != predicate)
        #expect(predicate.copy() as? NSPredicate == predicate)
        let compound = NSPredicate(format: "a == 1 OR b == 1")
        #expect(compound == NSPredicate(format: "a = 1 || b = 1"))
        #expect((compound.copy() as? NSPredicate)?.syntax == compound.syntax)
        #expect(NSPredicate(format: "TRUEPREDICATE") == NSPredicate(value: true))
    }

    @Test("A tree becomes a predicate and comes back")
    func fromSyntax() throws {
        let syntax = try parse("a == 1 AND ANY b == 2")
        #expect(NSPredicate(syntax: syntax).syntax == syntax)
    }

    @Test("Collections filter by predicates")
    func filtering() {
        let people: [[String: Any]] = [["name": "Ada", "age": 36], ["name": "Bob", "age": 20]]
        let filtered = (people as NSArray).filtered(using: NSPredicate(format: "age > %d", 30))
        #expect((filtered as? [[String: Any]])?.map { $0["name"] as? String } == ["Ada"])
    }

    @Test("A sort descriptor knows its key and orders by it, nil first")
    func sorting() {
        let people: [[String: Any]] = [
            ["name": "b", "age": 2], ["name": "a", "age": 2], ["name": "d"], ["name": "c", "age": 1.5],
        ]
        let byAge = NSSortDescriptor(key: "age", ascending: true)
        #expect(byAge.key == "age")
        #expect(byAge.ascending)
        let sorted = (people as NSArray).sortedArray(using: [byAge, NSSortDescriptor(key: "name", ascending: false)])
        #expect((sorted as? [[String: Any]])?.map { $0["name"] as? String } == ["d", "c", "b", "a"])
        let reversed = byAge.reversedSortDescriptor as? NSSortDescriptor
        #expect(reversed?.key == "age")
        #expect(reversed?.ascending == false)
        #expect(reversed?.compare(["age": 1], to: ["age": 2]) == .orderedDescending)
        #expect(byAge == NSSortDescriptor(key: "age", ascending: true))
        #expect(byAge != reversed)
        #expect((byAge.copy() as? NSSortDescriptor)?.key == "age")
        #expect(NSSortDescriptor(key: nil, ascending: true).compare(1, to: 2) == .orderedAscending)
        #expect(
            NSSortDescriptor(key: "folder.name", ascending: true).compare(
                ["folder": ["name": "b"]], to: ["folder": ["name": "a"]]) == .orderedDescending)
    }

    @Test("A comparator of one's own orders, and a Swift key path has no key")
    func otherDescriptors() {
        let byLength = NSSortDescriptor(key: "name", ascending: true) { left, right in
            let lengths = [left, right].map { ($0 as? String)?.count ?? 0 }
            return lengths[0] < lengths[1] ? .orderedAscending : .orderedDescending
        }
        #expect(byLength.compare(["name": "zz"], to: ["name": "aaa"]) == .orderedAscending)
        #expect(NSSortDescriptor(keyPath: \String.count, ascending: true).key == nil)
    }

    @Test("A subclass hands its key through Foundation's initializer")
    func subclassedDescriptor() {
        final class ByDistance: NSSortDescriptor {
            convenience init(from key: String) {
                self.init(keyPath: NSSortDescriptor.keyPath(for: key), ascending: true)
            }
        }
        #expect(ByDistance(from: "spot").key == "spot")
    }
}
