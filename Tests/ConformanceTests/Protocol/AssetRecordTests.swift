import Behaviours
import CloudKitTesting
import CloudServer
import Foundation
import SchemaLanguage
import Testing
import WebServices

@Suite("Assets: records that have files")
struct AssetRecordTests {
    private static let bytes = Array("a photo of a bird".utf8)
    private static let day: Int64 = 24 * 3600

    /// A client with a record whose field `x` is a file.
    private func saved(_ wire: Wire) throws -> (Client, Record) {
        let client = try Service(wire).signIn()
        try client.zone(.create)
        return (client, try client.create("a", ["x": .asset(client.upload(Self.bytes, in: .notes))], in: .notes))
    }

    @Test(
        "A saved asset is read with an address that gives the file", .behaviour("asset.saved", "asset.download"),
        arguments: Wire.allCases)
    func read(_ wire: Wire) throws {
        let (client, record) = try saved(wire)
        for asset in [
            record.asset(), try client.record("a", in: .notes)?.asset(),
            try client.page(in: .notes).records.first?.record?.asset(), try client.changes().records.first?.asset(),
        ] {
            let asset = try #require(asset)
            #expect(asset.receipt == nil)
            let url = try #require(asset.downloadURL)
            #expect(url.hasSuffix("/${f}"))
            #expect(url.hasPrefix(wire == .http ? "http://localhost:\(client.service.port)/" : "/"))
            #expect(try client.fetch(url) == Self.bytes)
            #expect(try client.fetch(url, named: "x") == Self.bytes)
        }
        let without = try client.lookup(["a"], in: .notes, desiredKeys: [])
        #expect(without[0].record?.fields.isEmpty == true)
    }

    @Test("A download takes ranges and validators", .behaviour("asset.range"))
    func ranges() throws {
        let (client, record) = try saved(.http)
        let url = try #require(record.asset()?.downloadURL).replacingOccurrences(of: "${f}", with: "b%C3%A4r.jpg")
        let path = String(url.dropFirst("http://localhost:\(client.service.port)".count))
        let http = HTTPClient(port: client.service.port)
        let whole = try http.send("GET", path)
        #expect(whole.headers["content-length"] == "17")
        #expect(whole.headers["content-disposition"] == "attachment; filename=\"b__r.jpg\"")
        #expect(whole.headers["access-control-allow-origin"] == "*")
        let part = try http.send("GET", path, headers: [("Range", "bytes=2-6")])
        #expect(part.status == 206)
        #expect(part.body == Array("photo".utf8))
        #expect(part.headers["content-range"] == "bytes 2-6/17")
        #expect(try http.send("GET", path, headers: [("Range", "bytes=17-")]).status == 416)
        let head = try http.send("HEAD", path)
        #expect(head.headers["content-length"] == "17")
        #expect(head.body.isEmpty)
        let tag = try #require(whole.headers["etag"])
        #expect(try http.send("GET", path, headers: [("If-None-Match", tag)]).status == 304)
        #expect(try http.send("GET", path, headers: [("Range", "bytes=2-6"), ("If-Range", tag)]).status == 206)
        #expect(try http.send("DELETE", path).status == 405)
    }

    @Test("A list of assets keeps them all", .behaviour("asset.lists"), arguments: Wire.allCases)
    func lists(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        let files = [[1], [2, 2], [1]] as [[UInt8]]
        let list = FieldValue.list(try files.map { .asset(try client.upload($0, for: "all")) }, of: .asset)
        let saved = try client.create("a", ["all": list])
        for record in [saved, try #require(try client.record("a"))] {
            guard case .list(let elements, .asset)? = record.fields["all"] else { throw UnexpectedAnswer() }
            let found = try elements.map { element in
                guard case .asset(let asset) = element, let url = asset.downloadURL else { throw UnexpectedAnswer() }
                return try client.fetch(url)
            }
            #expect(found == files)
        }
    }

    @Test(
        "A record refers only to what was uploaded for it", .behaviour("asset.receipt"), arguments: Wire.allCases)
    func receipts(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        let asset = try client.upload(Self.bytes)
        var bad = [Asset(fileChecksum: "AQIDBAUGBwgJCgsMDQ4PEBESExQV", size: 17, receipt: "r")]
        bad.append(Asset(fileChecksum: asset.fileChecksum, size: 17))
        for change in [
            { $0.size = 18 }, { $0.fileChecksum = "AQIDBAUGBwgJCgsMDQ4PEBESExQV" },
            { $0.receipt = String(($0.receipt ?? "").dropLast()) + "A" },
        ] as [(inout Asset) -> Void] {
            var other = asset
            change(&other)
            bad.append(other)
        }
        for made in bad {
            let results = try client.modify([
                .init(.create, .note("a", ["x": .asset(made)])), .init(.forceUpdate, .note("b", ["title": "fine"])),
            ])
            #expect(results[0].error?.code == .badRequest)
            #expect(results[1].error == nil)
        }
        #expect(try client.failure(.create, .note("a", ["y": .asset(asset)])).code == .badRequest)
        #expect(try client.failure(.create, .note("a", type: "Page", ["x": .asset(asset)])).code == .badRequest)
        let ben = try client.service.signIn("ben")
        #expect(try ben.failure(.create, .note("a", ["x": .asset(asset)])).code == .badRequest)
        #expect(
            try client.failure(.create, .note("a", ["x": .asset(asset)]), database: .public).code == .badRequest)
        try client.create("a", ["x": .asset(asset)])
        // As often as it is good for: nothing is lost by a retry.
        try client.create("c", ["x": .asset(asset)])
    }

    @Test(
        "An asset as it was read stays in its field, and can be had nowhere else", .behaviour("asset.unchanged"),
        arguments: Wire.allCases)
    func unchanged(_ wire: Wire) throws {
        let (client, record) = try saved(wire)
        let asset = try #require(record.asset())
        let again = try client.change("a", ["x": .asset(asset), "title": "bird"], in: .notes)
        #expect(try client.fetch(try #require(again.asset()?.downloadURL)) == Self.bytes)
        #expect(
            try client.failure(.forceUpdate, .note("a", ["y": .asset(asset)]), in: .notes).code == .badRequest)
        #expect(try client.failure(.create, .note("b", ["x": .asset(asset)]), in: .notes).code == .badRequest)
        let untouched = try client.change("a", ["title": "birds"], in: .notes)
        #expect(try client.fetch(try #require(untouched.asset()?.downloadURL)) == Self.bytes)
    }

    @Test("An upload that nobody saves is removed", .behaviour("asset.unused"), arguments: Wire.allCases)
    func unused(_ wire: Wire) throws {
        let (client, record) = try saved(wire)
        let late = try client.upload([1, 2, 3])
        client.service.clock.advance(by: .seconds(Self.day + 1))
        try client.service.forgetOldDeletions()
        let again = try client.service.signIn()
        let error = try again.failure(.create, .note("b", ["x": .asset(late)]))
        #expect(error.code == .badRequest)
        #expect(error.extensionCode == .assetNotAvailable)
        // What a record refers to stays.
        #expect(record.asset()?.downloadURL != nil)
        let url = try #require(try again.record("a", in: .notes)?.asset()?.downloadURL)
        #expect(try again.fetch(url) == Self.bytes)
        try again.create("b", ["x": .asset(again.upload([1, 2, 3]))])
    }

    @Test(
        "A rereferenced asset is shared, and goes with the last record",
        .behaviour("asset.rereference", "asset.rereference-whole"), arguments: Wire.allCases)
    func rereference(_ wire: Wire) throws {
        let (client, _) = try saved(wire)
        let source = AssetsRereference.Source(recordName: "a", fieldName: "x")
        for bad in [
            AssetsRereference.Source(recordName: "none", fieldName: "x"), .init(recordName: "a", fieldName: "none"),
        ] {
            let request = AssetsRereference.Request(assets: [source, bad], zoneID: .notes)
            #expect(try client.refusal(.assetsRereference(request)).code == .badRequest)
        }
        let request = AssetsRereference.Request(assets: [source], zoneID: .notes)
        guard case .assetsRereference(let response) = try client.answer(.assetsRereference(request)) else {
            throw UnexpectedAnswer()
        }
        let shared = try #require(response.assets.first)
        let second = try client.create("b", ["cover": .asset(shared)], type: "Page", in: .notes)
        try client.delete("a", in: .notes)
        client.service.clock.advance(by: .seconds(2 * Self.day))
        try client.service.forgetOldDeletions()
        let again = try client.service.signIn()
        let url = try #require(try again.record("b", in: .notes)?.asset("cover")?.downloadURL)
        #expect(try again.fetch(url) == Self.bytes)
        #expect(second.asset("cover")?.fileChecksum == shared.fileChecksum)
        // The last one.
        try again.delete("b", in: .notes)
        again.service.clock.advance(by: .seconds(2 * Self.day))
        try again.service.forgetOldDeletions()
        let last = try again.service.signIn()
        #expect(
            try last.failure(.create, .note("c", ["x": .asset(shared)]), in: .notes).extensionCode == .assetNotAvailable
        )
    }

    @Test("A download address is for one reader, for a while", .behaviour("asset.reader"), arguments: Wire.allCases)
    func reader(_ wire: Wire) throws {
        let service = try Service(wire)
        let anna = try service.signIn()
        let record = try anna.create("a", ["x": .asset(anna.upload(Self.bytes, database: .public))], database: .public)
        let own = try #require(record.asset()?.downloadURL)
        let bens = try #require(try service.signIn("ben").record("a", database: .public)?.asset()?.downloadURL)
        #expect(own != bens)
        #expect(try anna.fetch(bens) == Self.bytes)
        // One letter of the reader's name, wherever it lies: the signature fits no longer.
        let token = try #require(own.split(separator: "/").dropLast().last).map { $0 }
        for position in stride(from: 0, to: token.count, by: 7) {
            var changed = token
            changed[position] = changed[position] == "A" ? "B" : "A"
            let url = own.replacingOccurrences(of: String(token), with: String(changed))
            #expect(anna.assetError { try anna.fetch(url) }?.code == .notFound)
        }
        service.clock.advance(by: .seconds(3500))
        #expect(try anna.fetch(own) == Self.bytes)
        service.clock.advance(by: .seconds(200))
        let expired = anna.assetError { try anna.fetch(own) }
        #expect(expired?.code == .accessDenied)
        #expect(expired?.extensionCode == .assetNotAvailable)
    }

    @Test(
        "A file is never readable without permission", .behaviour("asset.permission"), arguments: Wire.allCases)
    func permission(_ wire: Wire) throws {
        let (client, first) = try saved(wire)
        let url = try #require(first.asset()?.downloadURL)
        // The owner of the zone may see the file that the record had a moment ago.
        try client.delete("a", in: .notes)
        #expect(try client.fetch(url) == Self.bytes)
        try client.zone(.delete)
        #expect(client.assetError { try client.fetch(url) }?.code == .notFound)

        let service = try Service(wire)
        try service.administration.createContainer(Service.container)
        try service.administration.importSchema(
            try SchemaDefinition(
                text: """
                    DEFINE SCHEMA CREATE ROLE Editor;
                    RECORD TYPE Note (
                        x ASSET, GRANT CREATE TO "_icloud", GRANT READ, WRITE TO "_creator", GRANT READ TO Editor);
                    """), into: Service.container)
        let anna = try service.signIn()
        let record = try anna.create(
            "a", ["x": .asset(anna.upload(Self.bytes, database: .public))], database: .public)
        #expect(try anna.fetch(try #require(record.asset()?.downloadURL)) == Self.bytes)
        let ben = try service.signIn("ben")
        #expect(try ben.lookup(["a"], database: .public)[0].error?.code == .accessDenied)
        let source = AssetsRereference.Request(assets: [.init(recordName: "a", fieldName: "x")])
        #expect(try ben.refusal(.assetsRereference(source), in: .public).code == .badRequest)
        try service.administration.grantRole("Editor", to: "ben", in: Service.container, .development)
        let bens = try #require(try ben.record("a", database: .public)?.asset()?.downloadURL)
        #expect(try ben.fetch(bens) == Self.bytes)
        try service.administration.revokeRole("Editor", from: "ben", in: Service.container, .development)
        #expect(ben.assetError { try ben.fetch(bens) }?.code == .notFound)
        let own = try #require(try anna.record("a", database: .public)?.asset()?.downloadURL)
        try anna.delete("a", database: .public)
        #expect(anna.assetError { try anna.fetch(own) }?.code == .notFound)
    }

    @Test("Files count towards the quota", .behaviour("asset.quota"), arguments: Wire.allCases)
    func quota(_ wire: Wire) throws {
        let service = try Service(wire) { $0.accountQuota = 10_000 }
        let client = try service.signIn()
        let large = [UInt8](repeating: 1, count: 4000)
        let first = try client.upload(large)
        _ = try client.upload([2] + large)
        #expect(client.assetError { try client.upload([3] + large) }?.code == .quotaExceeded)
        // The same content again takes no room.
        #expect(try client.upload(large).fileChecksum == first.fileChecksum)
        try client.create("a", ["x": .asset(first)])
        try client.create("b", ["x": .asset(first)])
        #expect(try client.failure(.create, .note("c", ["x": .asset(first)])).code == .quotaExceeded)
        try client.change("a", ["x": nil])
        try client.delete("b")
        try client.create("c", ["x": .asset(first)])
        #expect(try service.signIn("ben").upload(large).size == 4000)
    }
}
