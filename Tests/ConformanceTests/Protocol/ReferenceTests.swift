import Behaviours
import Testing
import WebServices

@Suite("References")
struct ReferenceTests {
    private static let deleteRefused = "Record delete would violate validating reference, rejecting update"

    /// A client with a zone.
    private func client(_ wire: Wire) throws -> Client {
        let client = try Service(wire).signIn()
        try client.zone(.create)
        return client
    }

    @Test("NONE: nothing happens when the target goes", .behaviour("reference.none"), arguments: Wire.allCases)
    func none(_ wire: Wire) throws {
        let client = try client(wire)
        try client.create("target", in: .notes)
        try client.create("source", ["r": .reference(to: "target")], in: .notes)
        try client.create("dangling", ["r": .reference(to: "never")], in: .notes)
        try client.delete("target", in: .notes)
        #expect(try client.record("source", in: .notes)?.fields["r"] == .reference(to: "target"))
    }

    @Test(
        "DELETE_SELF: the source goes with its target, and what refers to the source",
        .behaviour("reference.delete-self"), arguments: Wire.allCases)
    func deleteSelf(_ wire: Wire) throws {
        let client = try client(wire)
        try client.create("album", in: .notes)
        try client.create("photo", ["album": .reference(to: "album", .deleteSelf)], in: .notes)
        try client.create(
            "tag", ["photos": .list([.reference(to: "photo", .deleteSelf)], of: .reference)], in: .notes)
        try client.create("other", in: .notes)
        let token = try client.changes().syncToken
        try client.delete("album", in: .notes)
        #expect(try client.find(in: .notes) == ["other"])
        let changes = try client.changes(since: token).records
        #expect(changes.map(\.recordName).sorted() == ["album", "photo", "tag"])
        #expect(changes.allSatisfy { $0.deleted })
    }

    @Test(
        "DELETE_SELF works in the default zone and in the public database too", .behaviour("reference.delete-self"),
        arguments: Wire.allCases, [DatabaseScope.private, .public])
    func deleteSelfElsewhere(_ wire: Wire, _ database: DatabaseScope) throws {
        let client = try Service(wire).signIn()
        try client.create("album", database: database)
        try client.create("photo", ["album": .reference(to: "album", .deleteSelf)], database: database)
        try client.delete("album", database: database)
        #expect(try client.record("photo", database: database) == nil)
    }

    @Test(
        "More than 750 DELETE_SELF sources of one target are refused", .behaviour("reference.delete-self-limit"),
        arguments: Wire.allCases)
    func deleteSelfLimit(_ wire: Wire) throws {
        let client = try client(wire)
        try client.create("target", in: .notes)
        let sources = (0..<750).map {
            RecordsModify.Operation(.create, .note("s\($0)", ["r": .reference(to: "target", .deleteSelf)]))
        }
        for start in stride(from: 0, to: 750, by: 150) {
            let results = try client.modify(Array(sources[start..<start + 150]), in: .notes, desiredKeys: [])
            #expect(results.allSatisfy { $0.record != nil })
        }
        let error = try client.failure(.create, .note("more", ["r": .reference(to: "target", .deleteSelf)]), in: .notes)
        #expect(error.code == .badRequest)
        #expect(error.extensionCode == .limitExceeded)
        try client.delete("s7", in: .notes)
        try client.create("more", ["r": .reference(to: "target", .deleteSelf)], in: .notes)
    }

    @Test(
        "VALIDATE: the target must exist at save, or come in the same batch", .behaviour("reference.validate-save"),
        arguments: Wire.allCases)
    func validateSave(_ wire: Wire) throws {
        let client = try client(wire)
        let source = Record.note("source", ["r": .reference(to: "target", .validate)])
        let error = try client.failure(.create, source, in: .notes)
        #expect(error.code == .validatingReferenceError)
        #expect(error.reason.contains("target"))
        let both = try client.modify([.init(.create, source), .init(.create, .note("target"))], in: .notes)
        #expect(both.allSatisfy { $0.record != nil })
        #expect(try client.record("source", in: .notes) != nil)
    }

    @Test(
        "VALIDATE: the target stays while it has sources", .behaviour("reference.validate-delete"),
        arguments: Wire.allCases)
    func validateDelete(_ wire: Wire) throws {
        let client = try client(wire)
        try client.create("target", in: .notes)
        try client.create("source", ["r": .reference(to: "target", .validate)], in: .notes)
        let error = try client.failure(.forceDelete, .note("target"), in: .notes)
        #expect(error.code == .validatingReferenceError)
        #expect(error.reason.hasPrefix(Self.deleteRefused))
        #expect(error.reason.contains("source"))
        #expect(try client.record("target", in: .notes) != nil)
        let together = try client.modify(
            [.init(.forceDelete, .note("target")), .init(.forceDelete, .note("source"))], in: .notes)
        #expect(together.allSatisfy { $0.record?.deleted == true })
    }

    @Test(
        "References that do something stay in their zone", .behaviour("reference.cross-zone"),
        arguments: Wire.allCases)
    func crossZone(_ wire: Wire) throws {
        let client = try client(wire)
        try client.zone(.create, .trips)
        try client.create("target", in: .trips)
        let refused = "ZoneId provided doesn't match target zone"
        for action in [Reference.Action.deleteSelf, .validate] {
            let record = Record.note("a", ["r": .reference(to: "target", action, in: .trips)])
            #expect(try client.failure(.create, record, in: .notes).said == .init(.badRequest, refused))
        }
        var child = Record.note("child")
        child.parent = .reference(Reference(recordName: "target", zoneID: .trips))
        #expect(try client.failure(.create, child, in: .notes).said == .init(.badRequest, refused))
        try client.create("b", ["r": .reference(to: "target", Reference.Action.none, in: .trips)], in: .notes)
    }

    @Test(
        "A parent exists or is in the same batch, in any order", .behaviour("reference.parent-missing"),
        arguments: Wire.allCases)
    func parentMissing(_ wire: Wire) throws {
        let client = try client(wire)
        let error = try client.failure(.create, .note("child", parent: "top"), in: .notes)
        #expect(error.said == .init(.validatingReferenceError, "Parent record 'top' does not exist, rejecting update"))
        let results = try client.modify(
            [.init(.create, .note("child", parent: "top")), .init(.create, .note("top"))], in: .notes)
        #expect(results.allSatisfy { $0.record != nil })
        #expect(try client.record("child", in: .notes)?.parent == .reference(Reference(recordName: "top")))
        let freed = try client.send(
            "records/modify",
            #"{"zoneID":{"zoneName":"Notes"},"operations":[{"operationType":"forceUpdate","record":{"recordName":"child","parent":null}}]}"#
        )
        #expect(freed.status == 200)
        #expect(try client.record("child", in: .notes)?.parent == .unchanged)
    }

    @Test(
        "A record that is a parent is deleted no earlier than its children", .behaviour("reference.parent-delete"),
        arguments: Wire.allCases)
    func parentDelete(_ wire: Wire) throws {
        let client = try client(wire)
        try client.create("top", in: .notes)
        try client.create("child", parent: "top", in: .notes)
        let error = try client.failure(.forceDelete, .note("top"), in: .notes)
        #expect(error.code == .validatingReferenceError)
        #expect(error.extensionCode == .invalidReference)
        let results = try client.modify(
            [.init(.forceDelete, .note("top")), .init(.forceDelete, .note("child"))], in: .notes)
        #expect(results.allSatisfy { $0.record?.deleted == true })
    }

    @Test(
        "The 751st child of one parent is refused", .behaviour("reference.parent-limit"),
        arguments: Wire.allCases)
    func parentLimit(_ wire: Wire) throws {
        let client = try client(wire)
        try client.create("top", in: .notes)
        for start in stride(from: 0, to: 750, by: 150) {
            let children = (start..<start + 150).map { number in
                RecordsModify.Operation(.create, .note("c\(number)", parent: "top"))
            }
            #expect(try client.modify(children, in: .notes, desiredKeys: []).allSatisfy { $0.record != nil })
        }
        let error = try client.failure(.create, .note("more", parent: "top"), in: .notes)
        #expect(error.extensionCode == .limitExceeded)
        #expect(error.reason.contains("750"))
    }

    @Test(
        "A cycle of owning references in one request is refused", .behaviour("reference.cycle"),
        arguments: Wire.allCases)
    func cycle(_ wire: Wire) throws {
        let client = try client(wire)
        let parents = try client.refusal(
            [.init(.create, .note("a", parent: "b")), .init(.create, .note("b", parent: "a"))], in: .notes)
        #expect(
            parents.said == .init(.badRequest, "Invalid list of records: Cycle detected in record graph"))
        let owning = try client.refusal(
            [
                .init(.create, .note("a", ["r": .reference(to: "b", .deleteSelf)])),
                .init(.create, .note("b", ["r": .reference(to: "c", .deleteSelf)])),
                .init(.create, .note("c", ["r": .reference(to: "a", .deleteSelf)])),
            ], in: .notes)
        #expect(owning.code == .badRequest)
        let plain = try client.modify(
            [
                .init(.create, .note("a", ["r": .reference(to: "b")])),
                .init(.create, .note("b", ["r": .reference(to: "a")])),
            ], in: .notes)
        #expect(plain.allSatisfy { $0.record != nil })
    }
}
