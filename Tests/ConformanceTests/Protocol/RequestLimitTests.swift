import Behaviours
import CloudServer
import Testing
import WebServices

@Suite("Limits")
struct RequestLimitTests {
    private func operations(_ count: Int) -> [RecordsModify.Operation] {
        (0..<count).map { .init(.create, .note("n\($0)")) }
    }

    @Test(
        "More than 200 operations refuse the request; the framework may send 400", .behaviour("modify.limit"),
        arguments: Wire.allCases)
    func operations(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        let error = try client.refusal(operations(201))
        #expect(error.code == .badRequest)
        #expect(error.extensionCode == .limitExceeded)
        #expect(error.reason.contains("200"))
        #expect(try client.record("n0") == nil)
        #expect(try client.modify(operations(200), desiredKeys: []).allSatisfy { $0.record != nil })
        let native = try client.native.refusal(operations(401))
        #expect(native.extensionCode == .limitExceeded)
        let batch = (0..<400).map { RecordsModify.Operation(.create, .note("m\($0)")) }
        #expect(try client.native.modify(batch, desiredKeys: []).allSatisfy { $0.record != nil })
    }

    @Test(
        "A record over 1 MB without assets is refused, that record alone", .behaviour("modify.record-size"),
        arguments: Wire.allCases)
    func recordSize(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        let half = FieldValue.string(String(repeating: "x", count: 600_000))
        let results = try client.modify(
            [
                .init(.create, .note("a", ["x": half, "y": half])), .init(.create, .note("b", ["x": half])),
            ], desiredKeys: [])
        #expect(results[0].error?.code == .badRequest)
        #expect(results[0].error?.extensionCode == .limitExceeded)
        #expect(results[1].record != nil)
        let grown = try client.modify([.init(.forceUpdate, .note("b", ["y": half]))], desiredKeys: [])
        #expect(grown[0].error?.extensionCode == .limitExceeded, "what is kept counts too")
    }

    @Test(
        "A request of the framework over 2 MB is limitExceeded", .behaviour("modify.request-size"),
        arguments: Wire.allCases)
    func requestSize(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        let text = FieldValue.string(String(repeating: "x", count: 900_000))
        let batch = (0..<3).map { RecordsModify.Operation(.create, .note("n\($0)", ["x": text]), desiredKeys: []) }
        #expect(try client.native.refusal(batch).extensionCode == .limitExceeded)
        #expect(try client.native.modify(Array(batch.prefix(2))).allSatisfy { $0.record != nil })
        #expect(try client.modify(batch).contains { $0.record != nil }, "the web protocol limits each record only")
    }

    @Test("More than 200 zones refuse the request", .behaviour("limit.zones"), arguments: Wire.allCases)
    func zones(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        let zones = (0..<201).map { ZoneID(zoneName: "Zone\($0)") }
        let calls: [ServerOperation] = [
            .zonesModify(.init(operations: zones.map { .init(.create, $0) })), .zonesLookup(.init(zones: zones)),
            .changesZone(.init(zones: zones.map { .init(zoneID: $0) })),
        ]
        for call in calls { #expect(try client.refusal(call).extensionCode == .limitExceeded) }
        #expect(try client.zones(.zonesList).count == 1)
    }

    @Test(
        "A full account is QUOTA_EXCEEDED; what is deleted makes room", .behaviour("error.quota"),
        arguments: Wire.allCases)
    func quota(_ wire: Wire) throws {
        let service = try Service(wire) {
            $0.accountQuota = 10_000
            $0.publicQuota = 10_000
        }
        let client = try service.signIn()
        let text = FieldValue.string(String(repeating: "x", count: 6000))
        for database in [DatabaseScope.private, .public] {
            try client.create("a", ["x": text], database: database)
            let full = try client.failure(.create, .note("b", ["x": text]), database: database)
            #expect(full.said == .init(.quotaExceeded, "Quota exceeded"))
            try client.change("a", ["small": 1], database: database)
            try client.delete("a", database: database)
            try client.create("b", ["x": text], database: database)
        }
        try service.signIn("ben").create("b", ["x": text])
    }

    @Test("A body over the limit is refused with 413, and the server goes on", .behaviour("error.body-size"))
    func bodySize() throws {
        let client = try Service(.http).signIn()
        let answer = try client.http("POST", "records/modify", [UInt8](repeating: 0x20, count: 5 << 20))
        #expect(answer.status == 413)
        #expect(answer.error?.extensionCode == .limitExceeded)
        #expect(try client.http("GET", "zones/list").status == 200)
    }
}
