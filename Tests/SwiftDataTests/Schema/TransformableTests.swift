import Behaviours
import Foundation
import SwiftData
import Testing

@Suite("Attributes with a value transformer")
struct TransformableTests {
    init() { ValueTransformer.setValueTransformer(ReversingTransformer(), forName: ReversingTransformer.name) }

    @Test("A registered transformer writes and reads the value", .behaviour("swiftdata.transformable"))
    func registered() throws {
        let container = try container()
        let context = ModelContext(container)
        let poster = Poster()
        poster.motto = Motto(text: "abc")
        context.insert(poster)
        try context.save()
        #expect(try ModelContext(container).fetch(FetchDescriptor<Poster>()).first?.motto == Motto(text: "abc"))
    }

    @Test("NSSecureUnarchiveFromData keeps values of property lists", .behaviour("swiftdata.transformable"))
    func secureUnarchive() throws {
        let container = try container()
        let context = ModelContext(container)
        let poster = Poster()
        poster.colors = ["red", "blue"]
        poster.sizes = ["small": 1, "large": 10]
        context.insert(poster)
        try context.save()
        let read = try #require(ModelContext(container).fetch(FetchDescriptor<Poster>()).first)
        #expect(read.colors == ["red", "blue"])
        #expect(read.sizes == ["small": 1, "large": 10])
    }

    @Test(
        "A transformer that nobody registered fails the save, and names itself",
        .behaviour("swiftdata.transformable-missing"))
    func missing() throws {
        let context = ModelContext(try container())
        let poster = Poster()
        poster.lost = ["value"]
        context.insert(poster)
        let error = try #require(throws: (any Error).self) { try context.save() }
        #expect(String(describing: error).contains("NobodyRegisteredThis"))
        poster.lost = nil
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Poster>()) == 1)
    }

    private func container() throws -> ModelContainer {
        try ModelContainer(for: Poster.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }
}

@Model
final class Poster {
    @Attribute(.transformable(by: ReversingTransformer.self)) var motto: Motto?
    @Attribute(.transformable(by: "NSSecureUnarchiveFromData")) var colors: [String] = []
    @Attribute(.transformable(by: NSValueTransformerName.secureUnarchiveFromDataTransformerName.rawValue))
    var sizes: [String: Int]?
    @Attribute(.transformable(by: "NobodyRegisteredThis")) var lost: [String]?

    init() {}
}

struct Motto: Codable, Equatable {
    var text: String
}

final class ReversingTransformer: ValueTransformer {
    static let name = NSValueTransformerName("ReversingTransformer")

    override func transformedValue(_ value: Any?) -> Any? {
        (value as? Motto).map { Data($0.text.utf8.reversed()) }
    }

    override func reverseTransformedValue(_ value: Any?) -> Any? {
        (value as? Data).map { Motto(text: String(decoding: $0.reversed(), as: UTF8.self)) }
    }
}
