import Behaviours
import Testing
import WebServices

@Suite("Batches")
struct AtomicBatchTests {
    @Test(
        "In a custom zone one failed operation saves nothing: the culprit has its error, the rest ATOMIC_ERROR",
        .behaviour("modify.atomic"), arguments: Wire.allCases, [nil, true])
    func atomic(_ wire: Wire, _ atomic: Bool?) throws {
        let client = try Service(wire).signIn()
        try client.zone(.create)
        try client.create("taken", ["n": 1], in: .notes)
        let token = try client.changes().syncToken
        let results = try client.modify(
            [
                .init(.create, .note("a")), .init(.create, .note("taken")), .init(.forceUpdate, .note("taken2")),
                .init(.forceDelete, .note("b")),
            ], in: .notes, atomic: atomic)
        #expect(results.map { $0.error?.code } == [.atomicError, .conflict, .atomicError, .atomicError])
        #expect(results[1].error?.reason == "record to insert already exists")
        #expect(try client.changes(since: token).records.isEmpty)
        #expect(try client.changes(since: token).syncToken == token)
        #expect(try client.record("a", in: .notes) == nil)
    }

    @Test(
        "atomic true in the default zone is refused; without it the default zone is not atomic",
        .behaviour("modify.atomic-default-zone"), arguments: Wire.allCases)
    func defaultZone(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        try client.create("taken")
        let batch: [RecordsModify.Operation] = [.init(.create, .note("a")), .init(.create, .note("taken"))]
        let error = try client.refusal(batch, atomic: true)
        #expect(error.said == .init(.badRequest, "atomic operations not supported in default zone"))
        #expect(try client.record("a") == nil)
        #expect(try client.modify(batch).map { $0.error?.code } == [nil, .conflict])
        #expect(try client.record("a") != nil)
    }

    @Test(
        "Operations on several zones are atomic zone by zone", .behaviour("modify.atomic-by-zone"),
        arguments: Wire.allCases)
    func byZone(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        try client.zone(.create, .notes)
        try client.zone(.create, .trips)
        try client.create("taken", in: .notes)
        let results = try client.modify([
            .init(.create, .note("a", in: .notes)), .init(.create, .note("b", in: .trips)),
            .init(.create, .note("taken", in: .notes)), .init(.create, .note("c", in: .trips)),
        ])
        #expect(results.map { $0.error?.code } == [.atomicError, nil, .conflict, nil])
        #expect(try client.changes(in: .trips).records.map(\.recordName).sorted() == ["b", "c"])
        #expect(try client.record("a", in: .notes) == nil)
    }

    @Test(
        "With atomic false each operation stands alone", .behaviour("modify.non-atomic"),
        arguments: Wire.allCases)
    func nonAtomic(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        try client.zone(.create)
        try client.create("taken", in: .notes)
        let results = try client.modify(
            [.init(.create, .note("a")), .init(.create, .note("taken")), .init(.create, .note("_bad"))], in: .notes,
            atomic: false)
        #expect(results.map { $0.error?.code } == [nil, .conflict, .badRequest])
        #expect(try client.record("a", in: .notes) != nil)
    }

    @Test(
        "A batch that fails leaves no type or field behind", .behaviour("modify.atomic-schema"),
        arguments: Wire.allCases)
    func schema(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        try client.zone(.create)
        try client.create("taken", in: .notes)
        _ = try client.modify(
            [.init(.create, .note("a", type: "Fresh", ["x": "text"])), .init(.create, .note("taken"))], in: .notes)
        #expect(throws: ServerError(.badRequest, "Did not find record type: Fresh")) {
            do {
                _ = try client.find(type: "Fresh", in: .notes)
            } catch let error as ServerError {
                throw ServerError(error.code, error.reason)
            }
        }
        #expect(try client.create("a", ["x": 3], type: "Fresh", in: .notes).fields["x"] == 3)
    }
}
