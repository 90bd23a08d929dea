import CloudStore
import CloudStoreConformance
import Foundation
import Testing
import ThrowawayPostgres

/// The kit, for every driver and both ways to run.
@Suite("Every driver keeps the store's promises")
struct ConformanceTests {
    enum Driver: String, CaseIterable, CustomTestStringConvertible {
        case file, fileInline, memory, memoryInline, postgres

        var testDescription: String { rawValue }
    }

    @Test("The conformance kit", arguments: Driver.allCases, ConformanceCase.all)
    func conforms(driver: Driver, promise: ConformanceCase) throws {
        try withStore(driver) { store in
            let name = "case" + UUID().uuidString.replacingOccurrences(of: "-", with: "")
            try promise.run(ConformanceSubject(store: store, name: name))
        }
    }

    @Test("The test of tokens notices a design that skips sequences")
    func tokenTestNotices() throws {
        try withStore(.postgres) { store in
            let hole = try TokenHole(ConformanceSubject(store: store, name: "naive\(UUID().uuidString)"))
            #expect(try hole.skippedWithCounter() == ["early"])
        }
    }
}

extension ConformanceTests {
    func withStore(_ driver: Driver, _ body: (CloudStore) throws -> Void) throws {
        switch driver {
        case .file, .fileInline:
            try withFolder { folder in
                let options = StoreOptions(execution: driver == .file ? .threads : .inline)
                let store = try CloudStore(directory: folder, options: options)
                defer { store.close() }
                try body(store)
            }
        case .memory, .memoryInline:
            let store = try CloudStore.inMemory(
                options: StoreOptions(execution: driver == .memory ? .threads : .inline))
            defer { store.close() }
            try body(store)
        case .postgres:
            try withFolder { folder in
                var options = StoreOptions()
                options.assetFolder = folder
                let store = try CloudStore.postgres(
                    connection: ThrowawayPostgres.shared().connection, options: options)
                defer { store.close() }
                try body(store)
            }
        }
    }
}

/// A folder that is gone afterwards.
func withFolder<Value>(_ body: (URL) throws -> Value) throws -> Value {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("stratus-store-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
}
