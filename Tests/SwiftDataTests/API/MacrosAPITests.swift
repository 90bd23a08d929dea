import Behaviours
import SwiftData
import Testing

/// Every macro with every argument, as Apple declares them.
@Model
private final class Annotated {
    #Unique<Annotated>([\.name], [\.first, \.last])
    #Index<Annotated>([\.name], [\.first, \.last])
    #Index<Annotated>(.binary([\.last]), .rtree([\.left, \.right]))

    @Attribute(.unique, originalName: "title", hashModifier: "1") var name = ""
    @Attribute() var first = ""
    @Attribute(originalName: "family") var last = ""
    @Attribute(.externalStorage, .allowsCloudEncryption) var picture: Data?
    @Attribute(.preserveValueOnDeletion, .spotlight) var left = 0.0
    @Attribute(.ephemeral) var right = 0.0
    @Attribute(.transformable(by: Plain.self)) var plain: String?
    @Attribute(.transformable(by: "Plain")) var named: String?
    @Attribute(.codable) var codes: [Int]?
    @Relationship var other: Annotated?
    @Relationship(
        .unique, deleteRule: .cascade, minimumModelCount: 0, maximumModelCount: 3, originalName: "links",
        inverse: \Annotated.owner, hashModifier: "2")
    var owned: [Annotated] = []
    var owner: Annotated?
    @Transient var cache = 1
    private(set) var created = 5

    init() {}
}

/// Not a value transformer that does anything.
final class Plain: ValueTransformer, @unchecked Sendable {}

@ModelActor private actor Worker {
    func title(_ identifier: PersistentIdentifier) -> String? { self[identifier, as: Note.self]?.title }
    func parts() -> (any ModelExecutor, ModelContainer, ModelContext) { (modelExecutor, modelContainer, modelContext) }
}

/// An accessor as people write it who do what the macro does by hand.
@Model
private final class ByHand {
    @Transient private var _title: _SwiftDataNoType? = _SwiftDataNoType()
    @Transient var title: String {
        get {
            access(keyPath: \.title)
            return kept
        }
        set { withMutation(keyPath: \.title) { setValue(forKey: \.kept, to: newValue) } }
    }
    var kept = ""

    init() {}
}

@Suite("The macros of the public interface")
struct MacrosAPITests {
    @Test("Every macro takes every argument that Apple's takes", .behaviour("swiftdata.api"))
    func arguments() throws {
        let entity = try #require(Schema([Annotated.self]).entity(for: Annotated.self))
        #expect(entity.uniquenessConstraints.contains(["first", "last"]))
        #expect(entity.indices.contains(["left", "right"]))
        #expect(entity.relationshipsByName["owned"]?.maximumModelCount == 3)
        #expect(entity.attributesByName["name"]?.hashModifier == "1")
        #expect(entity.attributesByName["created"] != nil && entity.attributesByName["cache"] == nil)
        #expect(entity.attributesByName["codes"]?.isCodable == true)
    }

    @Test("Accessors written by hand use the names that the macro gives")
    func byHand() throws {
        let object = ByHand()
        object.title = "t"
        #expect(object.title == "t")
        #expect(object.persistentBackingData.getValue(forKey: \.kept) == "t")
    }

    @Test("A model actor has an executor, a container and a context")
    func actor() async throws {
        let container = try ModelContainer(
            for: Note.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let worker = Worker(modelContainer: container)
        #expect(worker.modelContainer == container)
        #expect(worker.modelExecutor is DefaultSerialModelExecutor)
        #expect(await worker.title(Note(title: "never saved").persistentModelID) == nil)
    }
}
