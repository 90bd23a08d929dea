import Foundation
import Testing
import WebServices

@Suite("Bytes as text")
struct BinaryEncodingsTests {
    @Test(
        "Base64 gives the answers of RFC 4648",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ])
    func base64(text: String, encoded: String) {
        #expect(Base64.encode(text.utf8) == encoded)
        #expect(Base64.decode(encoded) == Array(text.utf8))
    }

    @Test("Base64 for URLs has other characters and no padding")
    func base64URL() {
        let bytes: [UInt8] = [0xFB, 0xFF, 0xFE, 0x01]
        #expect(Base64.encode(bytes) == "+//+AQ==")
        #expect(Base64.encode(bytes, alphabet: .url) == "-__-AQ")
        #expect(Base64.decode("-__-AQ") == bytes)
        #expect(Base64.decode("+//+AQ") == bytes)
    }

    @Test(
        "Malformed base64 is refused",
        arguments: ["A", "A===", "Zh==", "Zm9=", "Z m8", "Zg==\n", "Zg=", "=", "====", "é", "Zg==Zg=="])
    func malformedBase64(text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test("Any bytes come back from base64 and hexadecimal as they were, as Foundation has them", arguments: 0..<70)
    func roundTrips(count: Int) {
        var random = SeededRandom(seed: UInt64(count))
        let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
        #expect(Base64.encode(bytes) == Data(bytes).base64EncodedString())
        #expect(Base64.decode(Base64.encode(bytes)) == bytes)
        #expect(Base64.decode(Base64.encode(bytes, alphabet: .url)) == bytes)
        #expect(Hex.decode(Hex.encode(bytes)) == bytes)
        #expect(Hex.encode(bytes) == bytes.map { String(format: "%02x", $0) }.joined())
    }

    @Test("Hexadecimal digits of either case are read and nothing else")
    func hex() {
        #expect(Hex.decode("00fFAb") == [0x00, 0xFF, 0xAB])
        #expect(Hex.decode("0") == nil)
        #expect(Hex.decode("0g") == nil)
        #expect(Hex.decode("é") == nil)
    }
}
