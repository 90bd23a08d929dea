import Cryptography
import Testing
import WebServices

@testable import CloudServer

extension TokenKey {
    static func test(_ container: String = "iCloud.test", secret: UInt8 = 7) -> TokenKey {
        let code = HMACSHA256(key: Array(repeating: secret, count: 32))
        return TokenKey(container: container, environment: "development") { code.authenticationCode(for: $0) }
    }
}

extension ZoneHistory {
    static func test(
        id: Int64 = 3, incarnation: Int64 = 1, sequence: Int64 = 100, horizon: Int64 = 0
    ) -> ZoneHistory {
        ZoneHistory(id: id, incarnation: incarnation, sequence: sequence, horizon: horizon)
    }
}

@Suite("Zone tokens")
struct ZoneTokenTests {
    let key = TokenKey.test()

    @Test(
        "Every shape of a token survives its text",
        arguments: [
            ZoneToken(zone: 1, incarnation: 1, position: 0), ZoneToken(zone: 900, incarnation: 2, position: 1 << 40),
            ZoneToken(zone: 3, incarnation: 1, position: 5, skipThrough: 90),
            ZoneToken(
                zone: 3, incarnation: 1, position: 5, skipThrough: 90, reverse: .init(ceiling: 100, next: 101)),
        ])
    func roundTrip(token: ZoneToken) throws {
        #expect(try ZoneToken(token.text(key), key) == token)
        #expect(token.text(key) == token.text(key))
        #expect(token.text(key).count <= 60)
    }

    @Test("A token is refused for what it is not", arguments: ["bm8gdG9rZW4gYXQgYWxs", "AAAA", "U1o="])
    func noToken(text: String) {
        let error = #expect(throws: ServerError.self) { _ = try ZoneToken(text, key) }
        #expect(error?.code == .badRequest)
    }

    @Test("Base64 that is no token, text that is no base64, and a cut token have the real service's reasons")
    func reasons() {
        func reason(_ text: String) -> String? {
            #expect(throws: ServerError.self) { _ = try ZoneToken(text, key) }?.reason
        }
        let text = ZoneToken(zone: 1, incarnation: 1, position: 70).text(key)
        #expect(reason("aGVsbG8gd29ybGQ=") == "Unknown sync continuation type")
        #expect(reason("%%%") == "Invalid continuation format")
        #expect(reason(String(text.dropLast(4))) == "Invalid continuation format")
        #expect(reason(String(text.dropLast(3))) == "Invalid continuation format")
        let database = DatabaseToken(zones: [1: .init(incarnation: 1, sequence: 1)]).text(database: "", key)
        #expect(reason(database) == "Unknown sync continuation type")
    }

    @Test("No changed bit of a token goes unnoticed, and none traps")
    func bitFlips() throws {
        let token = ZoneToken(
            zone: 3, incarnation: 1, position: 5, skipThrough: 90, reverse: .init(ceiling: 100, next: 101))
        let bytes = try #require(Base64.decode(token.text(key)))
        for bit in 0..<bytes.count * 8 {
            var damaged = bytes
            damaged[bit / 8] ^= 1 << (bit % 8)
            let error = #expect(throws: ServerError.self) { _ = try ZoneToken(Base64.encode(damaged), key) }
            #expect(error?.code == .badRequest || (16..<48).contains(bit))
        }
        for length in 0..<bytes.count {
            #expect(throws: ServerError.self) { _ = try ZoneToken(Base64.encode(bytes.prefix(length)), key) }
        }
    }

    @Test("A token of another container or another server is expired, so that the client starts again")
    func foreign() {
        let text = ZoneToken.caughtUp(.test()).text(key)
        for other in [TokenKey.test("iCloud.other"), .test(secret: 8)] {
            #expect(throws: ServerError.changeTokenExpired("The token belongs to another database or another server")) {
                _ = try ZoneToken(text, other)
            }
        }
    }

    @Test(
        "A token is good or expired by the zone's row",
        arguments: [
            (ZoneToken(zone: 3, incarnation: 1, position: 40), ZoneHistory.test(), true),
            // Another zone, or the same name deleted and made again.
            (ZoneToken(zone: 2, incarnation: 1, position: 40), .test(), false),
            // Restored since: the client may have saved what is gone now. Or to an older backup yet.
            (ZoneToken(zone: 3, incarnation: 1, position: 40), .test(incarnation: 2), false),
            (ZoneToken(zone: 3, incarnation: 3, position: 1), .test(incarnation: 2), false),
            (ZoneToken(zone: 3, incarnation: 1, position: 101), .test(), false),
            // Tombstones cleaned up.
            (ZoneToken(zone: 3, incarnation: 1, position: 49), .test(horizon: 50), false),
            (ZoneToken(zone: 3, incarnation: 1, position: 50), .test(horizon: 50), true),
            (ZoneToken(zone: 3, incarnation: 1, position: 0), .test(horizon: 50), false),
            // A first read would have skipped them.
            (ZoneToken(zone: 3, incarnation: 1, position: 10, skipThrough: 60), .test(horizon: 50), true),
            (ZoneToken(zone: 3, incarnation: 1, position: 10, skipThrough: 40), .test(horizon: 50), false),
        ] as [(ZoneToken, ZoneHistory, Bool)])
    func validity(token: ZoneToken, zone: ZoneHistory, good: Bool) {
        if good {
            #expect(throws: Never.self) { _ = try token.validated(against: zone) }
        } else {
            #expect(
                #expect(throws: ServerError.self) { _ = try token.validated(against: zone) }?.code
                    == .changeTokenExpired)
        }
    }
}

@Suite("Database tokens")
struct DatabaseTokenTests {
    let key = TokenKey.test()

    @Test("A database token survives its text with any number of zones", arguments: [0, 1, 7, 500])
    func roundTrip(count: Int) throws {
        var token = DatabaseToken()
        for zone in 0..<count {
            token.zones[Int64(zone * zone + 1)] = .init(incarnation: 1, sequence: Int64(zone) << 20)
        }
        #expect(try DatabaseToken.read(token.text(database: "d", key), database: "d", key) == .inline(token))
    }

    @Test("A database token of another account is expired; a zone token is a bad request")
    func foreign() {
        let text = DatabaseToken().text(database: "2/a", key)
        #expect(
            #expect(throws: ServerError.self) { _ = try DatabaseToken.read(text, database: "2/b", key) }?.code
                == .changeTokenExpired)
        let zone = ZoneToken.caughtUp(.test()).text(key)
        #expect(
            #expect(throws: ServerError.self) { _ = try DatabaseToken.read(zone, database: "2/a", key) }?.code
                == .badRequest)
    }

    @Test("Bytes that are no list of zones are refused without a trap")
    func damagedBytes() {
        let bytes = DatabaseToken(zones: [9: .init(incarnation: 1, sequence: 300)]).bytes
        for length in 0..<bytes.count { #expect(DatabaseToken(bytes: bytes[..<length]) == nil) }
        #expect(DatabaseToken(bytes: [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01]) == nil)
        #expect(DatabaseToken(bytes: Array(repeating: 0xFF, count: 40)[...]) == nil)
    }
}
