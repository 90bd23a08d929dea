import Testing
import WebServices

@testable import CloudServer

@Suite("References and parents")
struct ReferenceTests {
    let device: TestDevice

    init() throws {
        device = try TestCloud().device(native: true)
        try device.makeZone()
    }

    private let zone = TestDevice.notes

    private func referring(_ name: String, to target: String, _ action: Reference.Action) -> Record {
        .note(name, [("target", .reference(Reference(recordName: target, action: action)))])
    }

    private func exists(_ name: String) throws -> Bool { try device.record(name, in: zone) != nil }

    @Test("DELETE_SELF goes with its target, and so does what hangs on it")
    func cascade() throws {
        try device.save(.create, .note("a"), in: zone)
        try device.save(.create, referring("b", to: "a", .deleteSelf), in: zone)
        try device.save(.create, referring("c", to: "b", .deleteSelf), in: zone)
        try device.save(.create, referring("d", to: "a", .none), in: zone)
        try device.save(.forceDelete, .note("a"), in: zone)
        #expect(try !exists("b"))
        #expect(try !exists("c"))
        #expect(try exists("d"))
    }

    @Test("A reference that was taken away no longer deletes")
    func changedReference() throws {
        try device.save(.create, .note("a"), in: zone)
        try device.save(.create, referring("b", to: "a", .deleteSelf), in: zone)
        try device.save(.forceUpdate, .note("b", [("target", nil)]), in: zone)
        try device.save(.forceDelete, .note("a"), in: zone)
        #expect(try exists("b"))
    }

    @Test("VALIDATE needs its target, before or behind it in the batch")
    func validate() throws {
        let error = try device.failure(.create, referring("b", to: "a", .validate), in: zone)
        #expect(error?.code == .validatingReferenceError)
        let results = try device.modify(
            [.init(.create, referring("b", to: "a", .validate)), .init(.create, .note("a"))], in: zone)
        #expect(results.allSatisfy { $0.error == nil })
    }

    @Test("The target of VALIDATE stays while a source does")
    func validateDelete() throws {
        try device.save(.create, .note("a"), in: zone)
        try device.save(.create, referring("b", to: "a", .validate), in: zone)
        let error = try device.failure(.forceDelete, .note("a"), in: zone)
        #expect(error?.code == .validatingReferenceError)
        #expect(error?.reason.contains("Record delete would violate validating reference, rejecting update") == true)
        #expect(error?.reason.contains("'b'") == true)
        #expect(try exists("a"))
        try device.save(.forceDelete, .note("b"), in: zone)
        try device.save(.forceDelete, .note("a"), in: zone)
        #expect(try !exists("a"))
    }

    @Test("A parent comes in any order in the batch, and must be somewhere")
    func parent() throws {
        let results = try device.modify(
            [.init(.create, .note("child", parent: "top")), .init(.create, .note("top"))], in: zone)
        #expect(results.allSatisfy { $0.error == nil })
        #expect(try device.record("child", in: zone)?.parent == .reference(Reference(recordName: "top")))
        #expect(
            try device.failure(.create, .note("orphan", parent: "nobody"), in: zone)?.code == .validatingReferenceError)
    }

    @Test("A parent is deleted with its children, in any order, and not without them")
    func deleteParent() throws {
        _ = try device.modify(
            [.init(.create, .note("top")), .init(.create, .note("child", parent: "top"))], in: zone)
        #expect(try device.failure(.forceDelete, .note("top"), in: zone)?.code == .validatingReferenceError)
        let results = try device.modify(
            [.init(.forceDelete, .note("top")), .init(.forceDelete, .note("child"))], in: zone)
        #expect(results.allSatisfy { $0.error == nil })
    }

    @Test("Not atomic: a chain of new records falls with its missing top, the others are saved")
    func orphanedChain() throws {
        let results = try device.modify(
            [
                .init(.create, .note("c", parent: "b")), .init(.create, .note("b", parent: "a")),
                .init(.create, .note("a", parent: "nobody")), .init(.create, .note("alone")),
            ], in: zone, atomic: false)
        #expect(
            results.map { $0.error?.code } == [
                .validatingReferenceError, .validatingReferenceError, .validatingReferenceError, nil,
            ])
        #expect(try exists("alone"))
        #expect(try !exists("c"))
    }

    @Test("Not atomic: deletions up a chain fail together when the lowest has a child outside of the batch")
    func deletionChain() throws {
        _ = try device.modify(
            [
                .init(.create, .note("a")), .init(.create, .note("b", parent: "a")),
                .init(.create, .note("c", parent: "b")), .init(.create, .note("d", parent: "c")),
                .init(.create, .note("other")),
            ], in: zone)
        let results = try device.modify(
            ["a", "b", "c", "other"].map { .init(.forceDelete, .note($0)) }, in: zone, atomic: false)
        #expect(results.map { $0.error == nil } == [false, false, false, true])
        #expect(try exists("a"))
        #expect(try !exists("other"))
    }

    @Test("A parent can be changed and removed")
    func reparent() throws {
        _ = try device.modify(
            [
                .init(.create, .note("one")), .init(.create, .note("two")),
                .init(.create, .note("child", parent: "one")),
            ], in: zone)
        try device.save(.forceUpdate, .note("child", parent: "two"), in: zone)
        try device.save(.forceDelete, .note("one"), in: zone)
        var orphaned = Record.note("child")
        orphaned.parent = .none
        try device.save(.forceUpdate, orphaned, in: zone)
        try device.save(.forceDelete, .note("two"), in: zone)
        #expect(try device.record("child", in: zone)?.parent == Record.ParentChange.unchanged)
    }

    @Test("Records that own each other are refused as a whole")
    func cycle() throws {
        let error = try device.error(
            .recordsModify(
                .init(
                    operations: [
                        .init(.create, .note("a", parent: "b")),
                        .init(.create, referring("b", to: "a", .deleteSelf)),
                    ], zoneID: zone)))
        #expect(error?.reason == "Invalid list of records: Cycle detected in record graph")
        let own = try device.error(
            .recordsModify(.init(operations: [.init(.create, .note("x", parent: "x"))], zoneID: zone)))
        #expect(own?.code == .badRequest)
    }

    @Test(
        "References that do something stay in their zone",
        arguments: [
            (Reference.Action.deleteSelf, false), (.validate, false), (.none, true),
        ])
    func foreignZone(action: Reference.Action, isAllowed: Bool) throws {
        let record = Record.note(
            "a", [("target", .reference(Reference(recordName: "b", zoneID: ZoneID(), action: action)))])
        let error = try device.failure(.create, record, in: zone)
        #expect(error?.reason == (isAllowed ? nil : "ZoneId provided doesn't match target zone"))
    }

    @Test("A record has at most 750 children and 750 DELETE_SELF sources", arguments: [true, false])
    func sourceLimit(byParent: Bool) throws {
        try device.save(.create, .note("top"), in: zone)
        func source(_ number: Int) -> RecordsModify.Operation {
            .init(
                .create,
                byParent ? .note("n\(number)", parent: "top") : referring("n\(number)", to: "top", .deleteSelf))
        }
        for start in stride(from: 0, to: 750, by: 250) {
            let results = try device.modify((start..<start + 250).map(source), in: zone)
            #expect(results.allSatisfy { $0.error == nil })
        }
        let error = try device.modify([source(750)], in: zone).first?.error
        #expect(error?.extensionCode == .limitExceeded)
        // One goes, one may come.
        try device.save(.forceDelete, .note("n0"), in: zone)
        #expect(try device.modify([source(750)], in: zone).first?.error == nil)
    }
}
