import CloudStore
import Testing
import WebServices

@testable import CloudServer

@Suite("Limits")
struct LimitTests {
    let cloud: TestCloud

    init() throws {
        cloud = try TestCloud()
    }

    private func operations(_ count: Int) -> [RecordsModify.Operation] {
        (0..<count).map { .init(.create, .note("n\($0)")) }
    }

    @Test("A web client sends 200 operations, a native one 400, and no more", arguments: [(false, 200), (true, 400)])
    func operationCount(native: Bool, limit: Int) throws {
        let device = try cloud.device(native: native)
        #expect(try device.modify(operations(limit)).allSatisfy { $0.error == nil })
        let error = try device.error(.recordsModify(.init(operations: operations(limit + 1))))
        #expect(error?.code == .badRequest)
        #expect(error?.extensionCode == .limitExceeded)
        let lookup = (0...limit).map { RecordsLookup.Item(recordName: "n\($0)") }
        #expect(try device.error(.recordsLookup(.init(records: lookup)))?.extensionCode == .limitExceeded)
        #expect(try device.error(.recordsLookup(.init(records: Array(lookup.dropLast())))) == nil)
    }

    @Test("A record of more than a megabyte fails alone")
    func recordSize() throws {
        let device = try cloud.device()
        let large = Record.note("large", [("f", .string(String(repeating: "x", count: 1 << 20)))])
        let results = try device.modify([.init(.create, large), .init(.create, .note("small"))])
        #expect(results.map { $0.error?.extensionCode } == [.limitExceeded, nil])
        // Also when it only grows beyond it by an update.
        let half = FieldValue.string(String(repeating: "x", count: 600_000))
        try device.save(.create, .note("grows", [("a", half)]))
        #expect(try device.failure(.forceUpdate, .note("grows", [("b", half)]))?.extensionCode == .limitExceeded)
    }

    @Test("A native client's request has at most two megabytes")
    func requestSize() throws {
        let device = try cloud.device(native: true)
        let large = FieldValue.string(String(repeating: "x", count: 900_000))
        let three = (0..<3).map { RecordsModify.Operation(.create, .note("n\($0)", [("f", large)])) }
        #expect(try device.error(.recordsModify(.init(operations: three)))?.extensionCode == .limitExceeded)
        #expect(try device.modify(Array(three.dropLast())).allSatisfy { $0.error == nil })
    }

    @Test("One record twice in a request is refused as a whole")
    func duplicates() throws {
        let device = try cloud.device()
        let error = try device.error(
            .recordsModify(.init(operations: [.init(.create, .note("a")), .init(.forceDelete, .note("a"))])))
        #expect(error?.code == .badRequest)
        #expect(error?.extensionCode == .duplicateRecord)
        // The same zone under its three names is one zone.
        let owner = try device.user().userRecordName
        let zones: [ZoneID?] = [nil, ZoneID(ownerRecordName: owner), ZoneID(ownerRecordName: "__defaultOwner__")]
        let same = zones.map { zone in
            var record = Record.note("a")
            record.zoneID = zone
            return RecordsModify.Operation(.create, record)
        }
        #expect(try device.error(.recordsModify(.init(operations: same)))?.extensionCode == .duplicateRecord)
    }

    @Test(
        "A full quota refuses what grows, and takes it again after a deletion",
        arguments: [DatabaseScope.private, .public])
    func quota(database: DatabaseScope) throws {
        let cloud = try TestCloud {
            $0.accountQuota = 3000
            $0.publicQuota = 3000
        }
        let device = try cloud.device()
        func note(_ name: String) -> Record { .note(name, [("f", .string(String(repeating: "x", count: 1200)))]) }
        try device.save(.create, note("a"), database: database)
        try device.save(.create, note("b"), database: database)
        #expect(try device.failure(.create, note("c"), database: database)?.code == .quotaExceeded)
        try device.save(.forceUpdate, .note("a", [("f", .string("short"))]), database: database)
        try device.save(.create, note("c"), database: database)
        try device.save(.forceDelete, .note("b"), database: database)
        try device.save(.create, note("d"), database: database)
    }

    @Test("Lists too long to be indexed in one go are refused, and fit in several requests")
    func longLists() throws {
        let device = try cloud.device()
        let list = FieldValue.list((0..<1000).map { .int64($0) }, of: .int64)
        let records = (0..<52).map { RecordsModify.Operation(.create, .note("n\($0)", [("l", list)])) }
        let results = try device.modify(records)
        #expect(
            results.map { $0.error?.extensionCode } == Array(repeating: nil, count: 50) + [
                .limitExceeded, .limitExceeded,
            ])
        #expect(try device.modify(Array(records.suffix(2))).allSatisfy { $0.error == nil })
    }

    @Test("A record has at most 1,000 fields, and so has its type")
    func fieldCount() throws {
        let device = try cloud.device()
        func fields(_ numbers: Range<Int>) -> [(name: String, value: FieldValue?)] {
            numbers.map { ("f\($0)", .int64(1)) }
        }
        #expect(try device.failure(.create, .note("a", fields(0..<1001)))?.extensionCode == .limitExceeded)
        #expect(try device.record("a") == nil)
        try device.save(.create, .note("a", fields(0..<600)))
        #expect(try device.failure(.create, .note("b", fields(600..<1200)))?.extensionCode == .limitExceeded)
        try device.save(.create, .note("b", fields(600..<1000)))
        // Nulls are fields of a request too.
        let nulls = (0..<1001).map { (name: "g\($0)", value: FieldValue?.none) }
        #expect(try device.failure(.forceUpdate, .note("a", nulls))?.extensionCode == .limitExceeded)
    }

    @Test("A request brings at most 1,000 fields into being")
    func newFields() throws {
        let device = try cloud.device()
        let records = (0..<3).map { type in
            RecordsModify.Operation(
                .create, .note("n\(type)", type: "T\(type)", (0..<400).map { ("f\($0)", FieldValue.int64(1)) }))
        }
        #expect(try device.modify(records).map { $0.error?.extensionCode } == [nil, nil, .limitExceeded])
        #expect(try device.modify([records[2]]).allSatisfy { $0.error == nil })
    }

    @Test("A list of names in a request has at most 1,000", arguments: ["desiredKeys", "desiredRecordTypes"])
    func names(member: String) throws {
        func body(_ count: Int) -> [UInt8] {
            let names = (0..<count).map { "\"n\($0)\"" }.joined(separator: ",")
            return Array("{\"zones\":[],\"\(member)\":[\(names)]}".utf8)
        }
        #expect(try ServerOperation(path: "changes/zone", body: body(1000)) != nil)
        let error = #expect(throws: ServerError.self) {
            try ServerOperation(path: "changes/zone", body: body(1001))
        }
        #expect(error?.code == .badRequest && error?.extensionCode == .limitExceeded)
    }

    @Test("A request may add 5,000 references that do something")
    func references() throws {
        let device = try cloud.device()
        try device.save(.create, .note("target"))
        let records = (0..<6).map { number in
            let references = (0..<1000).map {
                FieldValue.reference(Reference(recordName: "t\($0)", action: .deleteSelf))
            }
            return RecordsModify.Operation(.create, .note("n\(number)", [("r", .list(references, of: .reference))]))
        }
        #expect(
            try device.modify(records).map { $0.error?.extensionCode } == [nil, nil, nil, nil, nil, .limitExceeded])
    }

    @Test("More than 5,000 cascaded deletions are refused, and nothing is gone")
    func cascade() throws {
        let device = try cloud.device(native: true)
        func save(_ names: [String], under target: String?) throws {
            for start in stride(from: 0, to: names.count, by: 400) {
                let batch = names[start..<min(start + 400, names.count)].map { name in
                    RecordsModify.Operation(
                        .create,
                        .note(
                            name,
                            target.map { [("t", .reference(Reference(recordName: $0, action: .deleteSelf)))] } ?? []))
                }
                #expect(try device.modify(batch).allSatisfy { $0.error == nil })
            }
        }
        try save(["top"], under: nil)
        try save((0..<7).map { "m\($0)" }, under: "top")
        for middle in 0..<7 { try save((0..<720).map { "l\(middle)-\($0)" }, under: "m\(middle)") }
        #expect(try device.failure(.forceDelete, .note("top"))?.extensionCode == .limitExceeded)
        #expect(try device.record("m0") != nil)
        try device.save(.forceDelete, .note("m0"))
        #expect(try device.record("l0-719") == nil)
        try device.save(.forceDelete, .note("top"))
        #expect(try device.record("l6-0") == nil)
    }
}
