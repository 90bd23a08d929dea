import Behaviours
import Foundation
import ModelsElsewhere
import PersistentStore
import Testing

@testable import SwiftData

private typealias P = PredicateExpressions

@Suite("Predicates made of others, and of models elsewhere")
struct CompositionTests {
    @Test("A predicate is applied to the row and to a related object", .behaviour("predicate.composition"))
    func composition() throws {
        let world = try PredicateWorld()
        let pinned = #Predicate<Note> { $0.pinned }
        let home = #Predicate<Notebook> { $0.name == "Home" }
        try world.expect(
            ["beta 9"],
            Predicate { note in
                P.build_Conjunction(
                    lhs: P.build_evaluate(P.build_Arg(pinned), P.build_Arg(note)),
                    rhs: P.build_Negation(
                        P.build_NilCoalesce(
                            lhs: P.build_flatMap(P.build_KeyPath(root: P.build_Arg(note), keyPath: \.notebook)) {
                                P.build_evaluate(P.build_Arg(home), P.build_Arg($0))
                            }, rhs: P.build_Arg(false))))
            })
    }

    @Test("Models of another module, their protocols and subclasses")
    func otherModule() throws {
        let container = try ModelContainer(
            for: Parcel.self, Letter.self, Sender.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let context = ModelContext(container)
        let sender = Sender(name: "Ann")
        let (box, letter) = (Parcel("box", weight: 4), Letter("mail", pages: 2))
        for parcel in [box, letter] { context.insert(parcel) }
        try context.save()
        box.sender = sender
        try context.save()
        func labels(_ predicate: Predicate<Parcel>, _ sort: SortDescriptor<Parcel>...) throws -> [String] {
            try context.fetch(FetchDescriptor(predicate: predicate, sortBy: sort)).map(\.label)
        }
        #expect(try labels(#Predicate { $0.weight > 1 }) == ["box"])
        #expect(try labels(#Predicate { !$0.sealed && $0.sender?.name == "Ann" }) == ["box"])
        #expect(try labels(#Predicate { $0 is Letter }) == ["mail"])
        #expect(try labels(labelled("mail")) == ["mail"])
        let bySender = SortDescriptor(\Parcel.sender?.name, order: .reverse)
        #expect(try labels(#Predicate { _ in true }, bySender) == ["box", "mail"])
        let letters = #Predicate<Letter> { $0.label == "mail" && $0.pages == 2 }
        #expect(try context.fetch(FetchDescriptor(predicate: letters)).map(\.label) == ["mail"])
        let order = [SortDescriptor(\Letter.label)]
        #expect(try context.fetch(FetchDescriptor<Letter>(predicate: labelled("mail"), sortBy: order)).count == 1)
    }
}
