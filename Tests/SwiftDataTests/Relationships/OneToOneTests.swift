import Behaviours
import SwiftData
import Testing

/// Leads to one other object by each delete rule.
@Model
private final class Captain {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Ship.captain) var ship: Ship?
    @Relationship(deleteRule: .nullify, inverse: \Desk.owner) var desk: Desk?
    @Relationship(deleteRule: .deny, inverse: \Oath.keeper) var oath: Oath?
    @Relationship(deleteRule: .noAction, inverse: \Echo.source) var echo: Echo?

    init(_ name: String) { self.name = name }
}

/// Required on its side, and deletes back.
@Model
private final class Ship {
    var name: String
    @Relationship(deleteRule: .cascade) var captain: Captain

    init(_ name: String, captain: Captain) {
        self.name = name
        self.captain = captain
    }
}

@Model
private final class Desk {
    var owner: Captain?

    init() {}
}

@Model
private final class Oath {
    var keeper: Captain?

    init() {}
}

@Model
private final class Echo {
    var source: Captain?

    init() {}
}

/// Each is nothing without the other.
@Model
private final class Lock {
    @Relationship(deleteRule: .cascade, inverse: \Key.lock) var key: Key!

    init() { key = nil }
}

@Model
private final class Key {
    @Relationship(deleteRule: .cascade) var lock: Lock!

    init() { lock = nil }
}

@Suite("One-to-one relationships")
struct OneToOneTests {
    let container: ModelContainer
    let context: ModelContext
    private let other: ModelContext

    init() throws {
        container = try ModelContainer(
            for: Captain.self, Ship.self, Desk.self, Oath.self, Echo.self, Lock.self, Key.self,
            configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        context = ModelContext(container)
        other = ModelContext(container)
    }

    /// What another context finds.
    private func saved<Model: PersistentModel>(_ type: Model.Type) throws -> [Model] {
        other.rollback()
        return try other.fetch(FetchDescriptor<Model>())
    }

    @Test("Two new objects that refer to each other are saved at once", .behaviour("swiftdata.one-to-one"))
    func bothNew() throws {
        let ann = Captain("Ann")
        let ship = Ship("Argo", captain: ann)
        context.insert(ship)
        #expect(ann.ship === ship && ann.modelContext === context)
        let (lock, key) = (Lock(), Key())
        context.insert(key)
        lock.key = key
        #expect(key.lock === lock)
        try context.save()
        let found = try #require(try saved(Captain.self).first)
        #expect(found.ship?.name == "Argo" && found.ship?.captain === found)
        let second = try #require(try saved(Key.self).first)
        #expect(second.lock?.key === second)
    }

    @Test("An object that is given to another leaves the one that had it", .behaviour("swiftdata.one-to-one"))
    func taken() throws {
        let (ann, bob) = (Captain("Ann"), Captain("Bob"))
        let (argo, beagle) = (Ship("Argo", captain: ann), Ship("Beagle", captain: bob))
        for ship in [argo, beagle] { context.insert(ship) }
        try context.save()
        (argo.captain, beagle.captain) = (bob, ann)
        #expect(ann.ship === beagle && bob.ship === argo)
        try context.save()
        let ships = try saved(Ship.self)
        #expect(
            Dictionary(uniqueKeysWithValues: ships.map { ($0.name, $0.captain.name) }) == [
                "Argo": "Bob", "Beagle": "Ann",
            ])
        #expect(ships.allSatisfy { $0.captain.ship === $0 })
        let desk = Desk()
        ann.desk = desk
        bob.desk = desk
        #expect(ann.desk == nil && desk.owner === bob)
        try context.save()
        #expect(try saved(Captain.self).first { $0.name == "Ann" }?.desk == nil)
        #expect(try saved(Desk.self).first?.owner?.name == "Bob")
    }

    @Test("Each delete rule, from an object that was saved", arguments: [true, false])
    func deleted(wasSaved: Bool) throws {
        let ann = Captain("Ann")
        context.insert(Ship("Argo", captain: ann))
        let (desk, echo) = (Desk(), Echo())
        (ann.desk, ann.echo) = (desk, echo)
        if wasSaved { try context.save() }
        context.delete(ann)
        let named = FetchDescriptor<Echo>(predicate: #Predicate { $0.source?.name == "Ann" })
        #expect(try context.fetchCount(named) == 0)
        #expect(desk.owner == nil && !desk.isDeleted && !echo.isDeleted)
        try context.save()
        #expect(try saved(Captain.self).isEmpty && saved(Ship.self).isEmpty)
        #expect(try saved(Desk.self).map(\.owner) == [nil])
        // Nothing is done for it: what it leads to is gone, and says so.
        let source = try #require(try saved(Echo.self).first).source
        #expect(source?.name ?? "" == "" && source?.isDeleted != false)
        #expect(try context.fetchCount(named) == 0)
    }

    @Test("Both ends of a pair that delete each other go, whichever is deleted")
    func cascadeBack() throws {
        let ann = Captain("Ann")
        context.insert(Ship("Argo", captain: ann))
        let (lock, key) = (Lock(), Key())
        context.insert(lock)
        key.lock = lock
        try context.save()
        context.delete(try #require(ann.ship))
        context.delete(key)
        #expect(ann.isDeleted && lock.isDeleted)
        try context.save()
        #expect(try saved(Captain.self).isEmpty && saved(Ship.self).isEmpty)
        #expect(try saved(Lock.self).isEmpty && saved(Key.self).isEmpty)
    }

    @Test("A pair with .deny is refused, unless both are deleted")
    func denied() throws {
        let ann = Captain("Ann")
        context.insert(ann)
        ann.oath = Oath()
        try context.save()
        context.delete(ann)
        #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
        context.rollback()
        let oath = try #require(ann.oath)
        #expect(oath.keeper === ann)
        context.delete(ann)
        context.delete(oath)
        try context.save()
        #expect(try saved(Captain.self).isEmpty && saved(Oath.self).isEmpty)
    }
}
