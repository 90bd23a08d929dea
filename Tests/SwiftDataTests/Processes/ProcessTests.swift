import ChildProcesses
import Behaviours
import Foundation
import SwiftData
import Testing

// The models are those of the probe's processes.
private enum Written {
    @Model
    final class Note {
        @Attribute(.unique) var title: String
        var notebook: Notebook?

        init(title: String) { self.title = title }
    }

    @Model
    final class Notebook {
        @Attribute(.unique) var name: String
        var count = 0
        @Relationship(inverse: \Note.notebook) var notes: [Note] = []

        init(name: String) { self.name = name }
    }
}

@Suite("Several processes and one store", .serialized)
final class ProcessTests {
    let folder = FileManager.default.temporaryDirectory.appending(path: "swiftdata-\(UUID().uuidString)")
    var file: URL { folder.appending(path: "notes.store") }

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: folder) }

    @Test(
        "Two processes of eight contexts each lose nothing and meet no lock", .behaviour("swiftdata.many-processes"))
    func together() throws {
        let probes = try (0..<2).map { _ in try Probe(["write", file.path, "25"]) }
        let printed = probes.flatMap { $0.lines() }
        #expect(printed.filter { $0.hasPrefix("error") }.isEmpty)
        #expect(printed.count == 2 * 8 * 25)
        #expect(try stored() == Set(printed))
    }

    @Test(
        "A process killed at any moment leaves every note whose save returned, and a store that opens",
        .behaviour("swiftdata.killed"))
    func killed() throws {
        var saved: Set<String> = []
        for round in 0..<8 {
            let probe = try Probe(["write", file.path, "0"])
            saved.formUnion(
                probe.lines(atLeast: 8 + round * 13 % 40) { process in
                    usleep(UInt32.random(in: 0..<4_000))
                    kill(process.processIdentifier, SIGKILL)
                })
            #expect(saved.filter { $0.hasPrefix("error") }.isEmpty)
            #expect(try saved.subtracting(stored()).isEmpty)
        }
        #expect(saved.count >= 8 * 8)
    }

    @Test(
        "Programs that name one group share its store and its defaults", .behaviour("swiftdata.group-processes"))
    func groups() throws {
        let group = "group.com.example.notes"
        let home = [
            "HOME": folder.path, "XDG_DATA_HOME": folder.appending(path: "data").path,
            "XDG_CONFIG_HOME": folder.appending(path: "config").path,
        ]
        #expect(try Probe(["share", group], environment: home).lines() == ["newest: none"])
        #expect(try Probe(["share", group, "Heron"], environment: home).lines().isEmpty)
        #expect(try Probe(["share", group, "Moss"], environment: home).lines().isEmpty)
        #expect(try Probe(["share", group], environment: home).lines() == ["Heron", "Moss", "newest: Moss"])
        #expect(try Probe(["share", "group.com.example.others"], environment: home).lines() == ["newest: none"])
    }

    /// The titles in the store, whose notebooks count what they have.
    private func stored() throws -> Set<String> {
        guard FileManager.default.fileExists(atPath: file.path) else { return [] }
        let container = try ModelContainer(
            for: Schema([Written.Note.self, Written.Notebook.self]), configurations: ModelConfiguration(url: file))
        let context = ModelContext(container)
        for notebook in try context.fetch(FetchDescriptor<Written.Notebook>()) {
            #expect(notebook.notes.count == notebook.count)
        }
        return Set(try context.fetch(FetchDescriptor<Written.Note>()).map(\.title))
    }
}
