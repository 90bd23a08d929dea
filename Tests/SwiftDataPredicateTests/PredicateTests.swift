import Behaviours
import Foundation
import PersistentStore
import Testing

@testable import SwiftData

// The notes of PredicateWorld, in this order: Alpha, beta 10, beta 9, Café (a memo, decomposed), quiet (a memo).
private let cafe = "Cafe\u{301}"
private let all = ["Alpha", "beta 10", "beta 9", cafe, "quiet"]

@Suite("What predicates find")
struct PredicateTests {
    let world: PredicateWorld

    init() throws { world = try PredicateWorld() }

    @Test("Truth values, optional ones too: nil is neither true nor false", .behaviour("predicate.booleans"))
    func truthValues() throws {
        try world.expect(["Alpha", "beta 9"], #Predicate { $0.pinned })
        try world.expect(["beta 10", cafe, "quiet"], #Predicate { !$0.pinned })
        try world.expect(["Alpha", "beta 9"], #Predicate { $0.pinned == true })
        try world.expect(["Alpha"], #Predicate { $0.flagged == true })
        try world.expect(["beta 10"], #Predicate { $0.flagged == false })
        try world.expect(["beta 10", "beta 9", cafe, "quiet"], #Predicate { $0.flagged != true })
        try world.expect(["Alpha", "beta 9", cafe, "quiet"], #Predicate { $0.flagged ?? true })
        try world.expect(all, #Predicate { _ in true })
        try world.expect([], #Predicate { _ in false })
    }

    @Test("Captured values are compared, in a dozen clauses too", .behaviour("predicate.captured"))
    func capturedValues() throws {
        let date = Date(timeIntervalSinceReferenceDate: 10)
        let uid = world.notes[2].uid
        let title = "beta 10"
        try world.expect(["Alpha", "beta 10"], #Predicate { $0.createdAt >= date })
        try world.expect(["beta 9"], #Predicate { $0.uid == uid })
        try world.expect(["beta 10"], #Predicate { $0.title == title })
        let id = world.notes[1].persistentModelID
        try world.expect(["beta 10"], #Predicate { $0.persistentModelID == id })
        try world.expect(["beta 10"], #Predicate { $0.id == id })
        try world.expect(["Alpha", "beta 9", cafe, "quiet"], #Predicate { $0.persistentModelID != id })
        try world.expect(
            ["beta 9"],
            #Predicate<Note> { $0.pinned && $0.rating < 0 && ($0.uid == uid || $0.rating == 1) && $0.createdAt < date })
    }

    @Test("A captured optional decides by its value", .behaviour("predicate.captured-optionals"))
    func capturedOptionals() throws {
        let none: String? = nil
        let some: String? = ""
        try world.expect(all, #Predicate { none == nil || none == $0.body })
        try world.expect(["beta 9"], #Predicate { some == nil || some == $0.body })
        try world.expect(["beta 10", cafe, "quiet"], #Predicate { $0.body == none })
        let limit: Int? = nil
        try world.expect(["Alpha", "beta 10"], #Predicate { $0.rating > (limit ?? 5) })
    }

    @Test("A predicate made in a generic function finds the model's own columns", .behaviour("predicate.generic"))
    func generic() throws {
        let id = world.notes[2].persistentModelID
        try world.expect(["beta 9"], identified(by: id))
        try world.expect(["Alpha"], titled("Alpha"))
    }

    private func identified<Model: PersistentModel>(by id: PersistentIdentifier) -> Predicate<Model> {
        #Predicate { $0.persistentModelID == id }
    }

    private func titled<Model: PersistentModel & Titled>(_ title: String) -> Predicate<Model> {
        #Predicate { $0.title == title }
    }

    @Test(
        "Nil: tests, fallbacks, if let, conditionals, flatMap, chaining, forced unwrapping",
        .behaviour("predicate.optionals"))
    func optionals() throws {
        let past = Date(timeIntervalSinceReferenceDate: 0)
        let limit = Date(timeIntervalSinceReferenceDate: 50)
        try world.expect(["beta 10", cafe, "quiet"], #Predicate { $0.body == nil })
        try world.expect(["Alpha", "beta 9"], #Predicate { $0.body != nil })
        try world.expect(["Alpha"], #Predicate { ($0.dueAt ?? past) > limit })
        try world.expect(["Alpha"], #Predicate { if let due = $0.dueAt { due >= limit } else { false } })
        try world.expect(
            ["Alpha", "beta 10", cafe, "quiet"], #Predicate { if let due = $0.dueAt { due >= limit } else { true } })
        try world.expect(["Alpha", "beta 9"], #Predicate { ($0.pinned ? 1 : 2) == 1 })
        try world.expect(["Alpha"], #Predicate { $0.body.flatMap { $0.starts(with: "first") } ?? false })
        try world.expect(["Alpha"], #Predicate { $0.body?.localizedStandardContains("cafe") ?? false })
        try world.expect(["Alpha"], #Predicate { $0.body?.contains("Caf\u{E9}") == true })
        try world.expect(["Alpha"], #Predicate { $0.dueAt != nil && $0.dueAt! > limit })
        try world.expect(["Alpha"], #Predicate { $0.dueAt! > limit })
        try world.expect(["beta 9"], #Predicate { !($0.dueAt! > limit) })
        try world.expect(["Alpha"], #Predicate { $0.stars! == 3 })
    }

    @Test("To-one relationships: absent, present, members, identity, two hops", .behaviour("predicate.to-one"))
    func toOne() throws {
        try world.expect(["beta 9", "quiet"], #Predicate { $0.notebook == nil })
        try world.expect(["Alpha", "beta 10", cafe], #Predicate { $0.notebook != nil })
        try world.expect(["Alpha", cafe], #Predicate { $0.notebook?.name == "Home" })
        try world.expect(["beta 10", "beta 9", "quiet"], #Predicate { $0.notebook?.name != "Home" })
        try world.expect(["beta 10"], #Predicate { $0.notebook?.name.contains("or") == true })
        let home = try #require(world.notes[0].notebook?.persistentModelID)
        try world.expect(["Alpha", cafe], #Predicate { $0.notebook?.persistentModelID == home })
        try world.expect(["beta 10", "beta 9", "quiet"], #Predicate { $0.notebook?.persistentModelID != home })
        let ann = try #require(world.notes[0].notebook?.owner?.persistentModelID)
        try world.expect(["Alpha", cafe], #Predicate { $0.notebook?.owner?.persistentModelID == ann })
        try world.expect(["Alpha", cafe], #Predicate { $0.notebook?.owner?.name == "Ann" })
        try world.expect(["Alpha", cafe], #Predicate { $0.notebook!.owner!.name == "Ann" })
        try world.expect(["beta 10"], #Predicate { $0.notebook!.shelf == nil })
        try world.expect(["beta 10", "beta 9", "quiet"], #Predicate { $0.notebook?.owner == nil })
    }

    @Test("To-many relationships: contains, allSatisfy, isEmpty, count, filter", .behaviour("predicate.to-many"))
    func toMany() throws {
        try world.expect(["Alpha", "beta 9"], #Predicate { $0.tags.contains { $0.isHot } })
        try world.expect(["Alpha", "beta 9"], #Predicate { $0.tags.contains { $0.isHot && $0.name == "hot" } })
        try world.expect(["beta 9", cafe, "quiet"], #Predicate { $0.tags.allSatisfy { $0.isHot } })
        try world.expect(["Alpha", "beta 10", "beta 9"], #Predicate { !$0.tags.isEmpty })
        try world.expect(["Alpha", "beta 10", "beta 9"], #Predicate { $0.tags.isEmpty == false })
        try world.expect(["Alpha", "beta 9"], #Predicate { $0.tags.count > 1 })
        try world.expect([cafe, "quiet"], #Predicate { $0.tags.count == 0 })
        try world.expect(["beta 10"], #Predicate { $0.tags.filter { $0.isHot }.isEmpty && !$0.tags.isEmpty })
        try world.expect(["beta 9"], #Predicate { $0.tags.filter { $0.isHot }.count == 2 })
        let names = ["hot", "other"]
        try world.expect(["Alpha", "beta 9"], #Predicate { !$0.tags.filter { names.contains($0.name) }.isEmpty })
        try world.expect(
            ["Alpha"], #Predicate { $0.tags.contains { $0.heat! > 5 } && $0.tags.contains { $0.heat == nil } })
        try world.expect(
            ["Alpha", "beta 9"], #Predicate { note in note.tags.contains { tag in tag.isHot && note.pinned } })
    }

    @Test("Nil and empty are one thing for an optional to-many", .behaviour("predicate.optional-to-many"))
    func optionalToMany() throws {
        try world.expect(
            ["beta 10", "beta 9", cafe, "quiet"], #Predicate { $0.links?.isEmpty == true }, foundation: false)
        try world.expect(["beta 10", "beta 9", cafe, "quiet"], #Predicate { $0.links == nil }, foundation: false)
        try world.expect(["Alpha"], #Predicate { $0.links != nil }, foundation: false)
        try world.expect(["Alpha"], #Predicate { $0.links?.contains { $0.rating > 10 } ?? false })
        try world.expect(["Alpha"], #Predicate { ($0.links?.count ?? 0) == 2 })
        try world.expect(["beta 10", "beta 9"], #Predicate { $0.parent?.links?.isEmpty == false })
        try world.expect(["beta 10", "beta 9"], #Predicate { $0.parent?.tags.contains { $0.isHot } ?? false })
    }

    @Test("Captured collections of any length", .behaviour("predicate.collections"))
    func collections() throws {
        let ids = [world.notes[0].uid, world.notes[3].uid]
        let wanted = ["Alpha", "Caf\u{E9}"]
        let numbers: [Int] = []
        let identifiers = Set([world.notes[1].persistentModelID, world.notes[4].persistentModelID])
        try world.expect(["Alpha", cafe], #Predicate { ids.contains($0.uid) })
        try world.expect(["Alpha", cafe], #Predicate { wanted.contains($0.title) })
        try world.expect(["beta 10", "beta 9", "quiet"], #Predicate { !wanted.contains($0.title) })
        try world.expect([], #Predicate { numbers.contains($0.rating) })
        try world.expect(["beta 10", "quiet"], #Predicate { identifiers.contains($0.persistentModelID) })
        let many = Array(-5..<100_000)
        try world.expect(all, #Predicate { many.contains($0.rating) })
        let texts = (0..<100_000).map { "\($0)" } + ["Alpha"]
        try world.expect(["Alpha"], #Predicate { texts.contains($0.title) })
        let optionals: [String?] = [nil, ""]
        try world.expect(["beta 10", "beta 9", cafe, "quiet"], #Predicate { optionals.contains($0.body) })
        let prefixes = ["be", "qu"]
        try world.expect(
            ["beta 10", "beta 9", "quiet"], #Predicate { note in prefixes.contains { note.title.starts(with: $0) } })
    }

    @Test("Ranges, captured and made of attributes", .behaviour("predicate.ranges"))
    func ranges() throws {
        let range = -5..<10
        try world.expect(["Alpha", "beta 10"], #Predicate { (10...20).contains($0.rating) })
        try world.expect(["Alpha"], #Predicate { (10..<20).contains($0.rating) })
        try world.expect(["beta 9", cafe, "quiet"], #Predicate { range.contains($0.rating) })
        try world.expect(["Alpha", "beta 9", cafe, "quiet"], #Predicate { ($0.rating...25).contains(15) })
        // A range cannot be made with its bounds exchanged.
        try world.expect(["beta 9"], #Predicate { ($0.rating...0).contains(-1) }, foundation: false)
    }

    @Test("Enums by their raw values, and members of structures", .behaviour("predicate.enums"))
    func encodedValues() throws {
        let secret = Kind.secret
        let kinds: [Kind] = [.plain, .shared]
        let high = Priority.high
        try world.expect(["beta 10"], #Predicate { $0.kind == secret })
        try world.expect(["beta 10"], #Predicate { $0.kind.rawValue == "secret" })
        try world.expect(["Alpha", "beta 9", cafe, "quiet"], #Predicate { kinds.contains($0.kind) })
        try world.expect(["Alpha"], #Predicate { $0.priority == high })
        try world.expect(["Alpha"], #Predicate { $0.priority?.rawValue == 5 })
        let (calm, wild) = (Mood.calm, Mood.wild)
        let moods: [Mood?] = [.wild, nil]
        try world.expect(["Alpha", "beta 9", cafe, "quiet"], #Predicate { $0.mood == calm })
        try world.expect(["beta 10"], #Predicate { $0.mood == wild })
        try world.expect(["beta 10"], #Predicate { moods.contains($0.mood) })
        let city = "Rome"
        let oslo: Place? = Place(city: "Oslo")
        try world.expect(["Alpha"], #Predicate { $0.place?.city == city })
        try world.expect(["Alpha", "beta 9", cafe, "quiet"], #Predicate { $0.place?.city != "Oslo" })
        try world.expect(["beta 10", "beta 9", cafe, "quiet"], #Predicate { $0.place?.zip == nil })
        try world.expect(["beta 10"], #Predicate { $0.place!.zip == nil })
        try world.expect(["beta 9", cafe, "quiet"], #Predicate { $0.place == nil })
        try world.expect(["beta 10"], #Predicate { $0.place == oslo })
    }

    @Test("Text is made of characters", .behaviour("predicate.text"))
    func text() throws {
        try world.expect([cafe], #Predicate { $0.title == "Caf\u{E9}" })
        try world.expect(["beta 10", "beta 9"], #Predicate { $0.title.contains("beta") })
        try world.expect([], #Predicate { $0.title.contains("BETA") })
        // The e and its accent are one character.
        try world.expect([], #Predicate { $0.title.contains("Cafe") })
        try world.expect(["beta 10", "beta 9"], #Predicate { $0.title.localizedStandardContains("BETA") })
        try world.expect([cafe], #Predicate { $0.title.localizedStandardContains("cafe") })
        try world.expect(["beta 10", "beta 9"], #Predicate { $0.title.starts(with: "beta") })
        try world.expect([cafe], #Predicate { $0.title.starts(with: "Caf\u{E9}") })
        try world.expect([cafe], #Predicate { $0.title.count == 4 })
        try world.expect(["beta 9"], #Predicate { $0.body?.isEmpty == true })
        try world.expect(["Alpha"], #Predicate { $0.title.caseInsensitiveCompare("ALPHA").rawValue == 0 })
        try world.expect(["Alpha"], #Predicate { $0.title.localizedCompare("beta").rawValue == -1 && $0.rating == 10 })
    }

    @Test("Arithmetic truncates as Swift's does, and what overflows does not match", .behaviour("predicate.arithmetic"))
    func arithmetic() throws {
        try world.expect(["Alpha", "beta 10"], #Predicate { $0.rating + 5 > 10 })
        try world.expect(["beta 9"], #Predicate { $0.rating / 2 == -2 })
        try world.expect(["beta 9"], #Predicate { $0.rating % 3 == -2 })
        try world.expect(["beta 9"], #Predicate { -$0.rating == 5 })
        try world.expect(["beta 10"], #Predicate { $0.weight / 2 + 1 == 2 })
        let most = Int.max
        try world.expect([], #Predicate { $0.rating * most > 0 || $0.rating * 2 == 40 }, foundation: false)
        try world.expect(["beta 10"], #Predicate { $0.rating * 2 == 40 || $0.rating * most > 0 }, foundation: false)
        try world.expect([], #Predicate { $0.rating + most > 0 && $0.rating > 0 }, foundation: false)
        try world.expect([], #Predicate { $0.rating / ($0.rating - $0.rating) == 0 }, foundation: false)
        try world.expect(["beta 9", cafe, "quiet"], #Predicate { $0.small + 100 == 100 }, foundation: false)
    }

    @Test("Arrays of values: minimum, maximum, element, contains", .behaviour("predicate.arrays"))
    func arrays() throws {
        try world.expect(["beta 9"], #Predicate { $0.scores.min() == 1 })
        try world.expect(["Alpha"], #Predicate { $0.scores.max() == 20 })
        try world.expect(["beta 10", cafe, "quiet"], #Predicate { $0.scores.max() == nil })
        try world.expect(["Alpha"], #Predicate { $0.scores[0] > 1 }, foundation: false)
        try world.expect(["Alpha"], #Predicate { $0.scores.contains(3) })
        try world.expect(["Alpha"], #Predicate { $0.scores.count == 3 })
        try world.expect(["beta 10", cafe, "quiet"], #Predicate { $0.scores.isEmpty })
        try world.expect(["Alpha"], #Predicate { $0.scores.first == 10 })
        try world.expect(["beta 10", cafe, "quiet"], #Predicate { $0.scores.first == nil })
        let scores = [10, 20, 3]
        try world.expect(["Alpha"], #Predicate { $0.scores == scores })
    }

    @Test("Subclasses: is and as?", .behaviour("predicate.subclasses"))
    func inheritance() throws {
        try world.expect([cafe, "quiet"], #Predicate { $0 is Memo })
        try world.expect([cafe], #Predicate { ($0 as? Memo)?.reason == "why" })
        try world.expect(["Alpha", "beta 10", "beta 9", "quiet"], #Predicate { ($0 as? Memo)?.reason == nil })
        try world.expect([], #Predicate { ($0 as? Memo)?.title == "Alpha" })
        try world.expect([cafe], #Predicate { ($0 as! Memo).reason == "why" })
        try world.expect(["quiet"], #Predicate { ($0 as! Memo).reason == nil })
        let memos = try ModelQuery<Memo>(
            predicate: #Predicate { $0.title == "quiet" && $0.reason == nil },
            layout: world.context.core.bindings[0].store.layout,
            storeIdentifier: world.context.core.bindings[0].identifier)
        #expect(try world.sql(memos.query).map(\.title) == ["quiet"])
        #expect(try world.context.fetch(FetchDescriptor<Memo>()).map(\.title) == [cafe, "quiet"])
    }
}
