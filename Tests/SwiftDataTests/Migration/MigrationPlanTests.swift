import Behaviours
import Foundation
import SwiftData
import Synchronization
import Testing

private enum SchemaV1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Trip.self] }

    @Model final class Trip {
        var name: String
        var days: Int

        init(name: String, days: Int) {
            self.name = name
            self.days = days
        }
    }
}

private enum SchemaV2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Trip.self] }

    @Model final class Trip {
        @Attribute(.unique) var name: String
        @Attribute(originalName: "days") var length: Int
        var note = "none"

        init(name: String, length: Int) {
            self.name = name
            self.length = length
        }
    }
}

private enum Plan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [SchemaV1.self, SchemaV2.self] }
    static var stages: [MigrationStage] { [v1ToV2] }

    /// Names become unique: of trips with one name the longest stays.
    static var v1ToV2: MigrationStage {
        .custom(
            fromVersion: SchemaV1.self, toVersion: SchemaV2.self,
            willMigrate: { context in
                let trips = try context.fetch(
                    FetchDescriptor<SchemaV1.Trip>(sortBy: [SortDescriptor(\.days, order: .reverse)]))
                var seen: Set<String> = []
                for trip in trips where !seen.insert(trip.name).inserted { context.delete(trip) }
                try context.save()
            },
            didMigrate: { context in
                for trip in try context.fetch(FetchDescriptor<SchemaV2.Trip>()) { trip.note = "migrated" }
                try context.save()
            })
    }
}

private enum Refusing: SchemaMigrationPlan {
    struct Refused: Error {}
    static var schemas: [any VersionedSchema.Type] { [SchemaV1.self, SchemaV2.self] }
    static var stages: [MigrationStage] {
        [
            .custom(
                fromVersion: SchemaV1.self, toVersion: SchemaV2.self,
                willMigrate: { context in
                    for trip in try context.fetch(FetchDescriptor<SchemaV1.Trip>()) { context.delete(trip) }
                    try context.save()
                    throw Refused()
                }, didMigrate: nil)
        ]
    }
}

private enum Backward: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [SchemaV1.self, SchemaV2.self] }
    static var stages: [MigrationStage] { [.lightweight(fromVersion: SchemaV2.self, toVersion: SchemaV1.self)] }
}

private enum Incomplete: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [SchemaV2.self] }
    static var stages: [MigrationStage] { [.lightweight(fromVersion: SchemaV1.self, toVersion: SchemaV2.self)] }
}

@Suite("Migration plans")
struct MigrationPlanTests {
    private func withStore(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("plan-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("trips.store")
        do {
            let container = try open(url, SchemaV1.self, nil)
            let context = ModelContext(container)
            for (name, days) in [("Rome", 3), ("Oslo", 5), ("Rome", 9)] {
                context.insert(SchemaV1.Trip(name: name, days: days))
            }
            try context.save()
        }
        try body(url)
    }

    private func open(
        _ url: URL, _ version: any VersionedSchema.Type, _ plan: (any SchemaMigrationPlan.Type)?
    ) throws -> ModelContainer {
        let schema = Schema(versionedSchema: version)
        return try ModelContainer(
            for: schema, migrationPlan: plan, configurations: [ModelConfiguration(schema: schema, url: url)])
    }

    @Test(
        "A custom stage sees the old models before and the new ones after; a second opening migrates nothing",
        .behaviour("swiftdata.custom-stage"))
    func custom() throws {
        try withStore { url in
            for round in 0..<2 {
                let context = ModelContext(try open(url, SchemaV2.self, Plan.self))
                let trips = try context.fetch(FetchDescriptor<SchemaV2.Trip>(sortBy: [SortDescriptor(\.name)]))
                #expect(trips.map(\.name) == ["Oslo", "Rome"])
                #expect(trips.map(\.length) == [5, 9])
                #expect(trips.map(\.note) == [round == 0 ? "migrated" : "kept", "migrated"])
                trips.first?.note = "kept"
                try context.save()
            }
        }
    }

    @Test("A stage that fails leaves the file as it was", .behaviour("swiftdata.failed-stage"))
    func failing() throws {
        try withStore { url in
            #expect(throws: (any Error).self) { try open(url, SchemaV2.self, Refusing.self) }
            let context = ModelContext(try open(url, SchemaV1.self, nil))
            #expect(try context.fetchCount(FetchDescriptor<SchemaV1.Trip>()) == 3)
        }
    }

    @Test(
        "Without the stage, names that are not unique are an error, and nothing is lost",
        .behaviour("swiftdata.unique-migration"))
    func withoutStage() throws {
        try withStore { url in
            #expect(throws: SwiftDataError.loadIssueModelContainer) { try open(url, SchemaV2.self, nil) }
            let context = ModelContext(try open(url, SchemaV1.self, nil))
            #expect(try context.fetchCount(FetchDescriptor<SchemaV1.Trip>()) == 3)
        }
    }

    @Test(
        "A plan that leads backward, or to a version that it does not list, is refused before the file is touched",
        .behaviour("swiftdata.backward-migration"))
    func wrongPlans() throws {
        try withStore { url in
            #expect(throws: SwiftDataError.backwardMigration) { try open(url, SchemaV1.self, Backward.self) }
            #expect(throws: SwiftDataError.unknownSchema) { try open(url, SchemaV2.self, Incomplete.self) }
            let context = ModelContext(try open(url, SchemaV1.self, nil))
            #expect(try context.fetchCount(FetchDescriptor<SchemaV1.Trip>()) == 3)
        }
    }
}
