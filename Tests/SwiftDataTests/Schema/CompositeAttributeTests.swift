import Behaviours
import Foundation
import SwiftData
import Testing

@Suite("Attributes whose value is a structure")
struct CompositeAttributeTests {
    @Test(
        "A schema has the fields of a structure, also after it was saved and loaded", .behaviour("swiftdata.composite"))
    func fields() throws {
        let schema = Schema([Note.self])
        let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: url) }
        try schema.save(to: url)
        let loaded = try Schema.load(from: url)
        for schema in [schema, loaded] {
            let note = try #require(schema.entitiesByName["Note"])
            let place = try #require(note.attributesByName["place"] as? Schema.CompositeAttribute)
            #expect(place.properties.map(\.name) == ["city", "zip", "point", "names"])
            #expect(place.properties[0].valueType is String.Type)
            #expect(place.properties[1].valueType is Int.Type)
            let point = try #require(place.properties[2] as? Schema.CompositeAttribute)
            #expect(point.properties.map(\.name) == ["x", "y"])
            #expect(!(note.attributesByName["title"] is Schema.CompositeAttribute))
        }
    }
}
