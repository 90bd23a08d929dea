import Behaviours
import CloudKitTesting
import CloudServer
import Foundation
import SchemaLanguage
import Testing
import WebServices

@Suite("Assets: sending files")
struct AssetUploadTests {
    private static let bytes = Array("a photo of a bird".utf8)

    @Test(
        "Each field gets an address, and a record without a name one", .behaviour("asset.upload-address"),
        arguments: Wire.allCases)
    func addresses(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        let addresses = try client.addresses([
            .init(recordName: "a", recordType: "Note", fieldName: "x"), .init(recordType: "Note", fieldName: "y"),
        ])
        #expect(addresses.map(\.fieldName) == ["x", "y"])
        #expect(addresses[0].recordName == "a")
        #expect(addresses[1].recordName.utf8.count == 36)
        #expect(addresses[0].url != addresses[1].url)
        #expect(addresses[0].url.hasPrefix(wire == .http ? "http://localhost:\(client.service.port)/" : "/"))
        let bare = try client.send("assets/upload", #"{"tokens":[{"recordType":"Note"}]}"#)
        #expect(bare.error?.reason == "BadRequestException: missing required field 'fieldName'")
    }

    @Test("More than 200 tokens are refused", .behaviour("asset.upload-items"), arguments: Wire.allCases)
    func tooMany(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        let token = AssetsUpload.Token(recordType: "Note", fieldName: "x")
        #expect(try client.addresses(Array(repeating: token, count: 200)).count == 200)
        let error = try client.refusal(.assetsUpload(.init(tokens: Array(repeating: token, count: 201))))
        #expect(error.code == .badRequest)
        #expect(error.extensionCode == .limitExceeded)
    }

    @Test(
        "An address for a field of another type, or in a zone that is not there, is refused",
        .behaviour("asset.upload-type", "asset.upload-zone"), arguments: Wire.allCases)
    func wrongField(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        try client.create("a", ["title": "text"])
        let token = AssetsUpload.Token(recordType: "Note", fieldName: "title")
        let error = try client.refusal(.assetsUpload(.init(tokens: [token])))
        #expect(
            error.reason
                == "invalid attempt to set value type ASSETID for field 'title' for type 'Note', defined to be: STRING")
        let elsewhere = AssetsUpload.Request(tokens: [token], zoneID: ZoneID(zoneName: "Nowhere"))
        #expect(try client.refusal(.assetsUpload(elsewhere)).code == .zoneNotFound)
        let odd = AssetsUpload.Token(recordType: "Note", fieldName: "_ _")
        #expect(try client.refusal(.assetsUpload(.init(tokens: [odd]))).code == .badRequest)
        let production = client.with { $0.environment = .production }
        let unknown = try production.refusal(.assetsUpload(.init(tokens: [token])))
        #expect(unknown.reason == "Did not find record type: Note")
    }

    @Test(
        "In the public database an address is for whoever may save", .behaviour("asset.upload-grants"),
        arguments: Wire.allCases)
    func grants(_ wire: Wire) throws {
        let service = try Service(wire)
        try service.administration.createContainer(Service.container)
        try service.administration.importSchema(
            try SchemaDefinition(
                text: """
                    DEFINE SCHEMA RECORD TYPE Note (x ASSET, GRANT READ TO "_world", GRANT CREATE TO "_icloud");
                    RECORD TYPE Law (x ASSET, GRANT READ TO "_world");
                    """), into: Service.container)
        let request = AssetsUpload.Request(tokens: [.init(recordType: "Note", fieldName: "x")])
        #expect(try service.visitor().refusal(.assetsUpload(request), in: .public).code == .accessDenied)
        let anna = try service.signIn()
        _ = try anna.address(database: .public)
        let law = AssetsUpload.Request(tokens: [.init(recordType: "Law", fieldName: "x")])
        #expect(try anna.refusal(.assetsUpload(law), in: .public).code == .accessDenied)
    }

    @Test(
        "An upload is answered with a descriptor, whose checksum stands for the content",
        .behaviour("asset.upload-answer", "asset.checksum"), arguments: Wire.allCases)
    func answer(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        let asset = try client.upload(Self.bytes)
        #expect(asset.size == 17)
        #expect(asset.receipt?.isEmpty == false)
        #expect(asset.referenceChecksum?.isEmpty == false)
        #expect(asset.wrappingKey?.isEmpty == false)
        let checksum = try #require(Base64.decode(asset.fileChecksum))
        #expect(checksum.count == 21)
        #expect(checksum[0] == 1)
        #expect(try client.upload(Self.bytes, for: "y").fileChecksum == asset.fileChecksum)
        #expect(try client.upload(Self.bytes + [0]).fileChecksum != asset.fileChecksum)
        #expect(try client.upload([]).size == 0)
    }

    @Test("Any Content-Type is taken, and multipart is unwrapped", .behaviour("asset.content-type"))
    func contentTypes() throws {
        let client = try Service(.http).signIn()
        let plain = try client.send(Self.bytes, to: client.address(), contentType: "application/x-www-form-urlencoded")
        #expect(plain.size == 17)
        let head = "--sep\r\nContent-Disposition: form-data; name=\"files\"; filename=\"a\"\r\n\r\n"
        let body = Array(head.utf8) + Self.bytes + Array("\r\n--sep--\r\n".utf8)
        let wrapped = try client.send(
            body, to: client.address(), contentType: "multipart/form-data; boundary=\"sep\"")
        #expect(wrapped.fileChecksum == plain.fileChecksum)
        #expect(wrapped.size == 17)
        let cut = client.assetError {
            try client.send(
                Array(body.dropLast(9)), to: client.address(), contentType: "multipart/form-data; boundary=sep")
        }
        #expect(cut?.code == .badRequest)
    }

    @Test("A page of any origin may use the address of a file, which is a secret", .behaviour("asset.cross-origin"))
    func crossOrigin() throws {
        let client = try Service(.http).signIn()
        let url = try client.address()
        let path = String(url.dropFirst("http://localhost:\(client.service.port)".count))
        let http = HTTPClient(port: client.service.port)
        let page = [("Origin", "https://notes.example.com")]
        let preflight = try http.send("OPTIONS", path, headers: page)
        #expect(preflight.status == 200)
        #expect(preflight.headers["access-control-allow-origin"] == "*")
        #expect(preflight.headers["access-control-allow-methods"] == "POST, PUT, OPTIONS")
        #expect(preflight.headers["access-control-allow-headers"]?.contains("Content-Type") == true)
        let sent = try http.send("PUT", path, headers: page, body: Self.bytes)
        #expect(sent.status == 200)
        #expect(sent.headers["access-control-allow-origin"] == "*")
        #expect(try http.send("GET", path, headers: page).status == 405)
    }

    @Test("An upload address is good for 15 minutes", .behaviour("asset.upload-expiry"), arguments: Wire.allCases)
    func expiry(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        let url = try client.address()
        client.service.clock.advance(by: .seconds(14 * 60))
        #expect(try client.send(Self.bytes, to: url).size == 17)
        client.service.clock.advance(by: .seconds(2 * 60))
        #expect(client.assetError { try client.send(Self.bytes, to: url) }?.code == .accessDenied)
    }

    @Test(
        "An address that the server did not make takes nothing", .behaviour("asset.upload-forged"),
        arguments: Wire.allCases)
    func forged(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        let url = try client.address()
        for bad in [
            String(url.dropLast(3)) + "AAA", url.replacingOccurrences(of: "development", with: "production"),
        ] {
            #expect(client.assetError { try client.send(Self.bytes, to: bad) } != nil)
        }
        let other = client.assetError { try client.send(Self.bytes, to: String(url.dropLast(3)) + "AAA") }
        #expect(other?.code == .notFound)
    }

    @Test("A file that is too large is refused", .behaviour("asset.size"), arguments: Wire.allCases)
    func tooLarge(_ wire: Wire) throws {
        let service = try Service(wire) { $0.assets.maximumSize = 1000 }
        let client = try service.signIn()
        #expect(try client.upload(Array(repeating: 1, count: 1000)).size == 1000)
        let error = client.assetError { try client.upload(Array(repeating: 1, count: 1001)) }
        #expect(error?.extensionCode == .limitExceeded)
        #expect(ServerConfiguration().assets.maximumSize == 50 << 20)
    }
}
