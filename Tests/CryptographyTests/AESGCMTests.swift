import Cryptography
import Testing
import WebServices

@Suite("AES-GCM")
struct AESGCMTests {
    private let key = [UInt8](repeating: 0, count: 32)
    private let nonce = [UInt8](repeating: 0, count: 12)

    @Test("It gives the ciphertext and tag of the specification's test cases 13, 14 and 16")
    func vectors() throws {
        #expect(
            Hex.encode(try AESGCM.seal([], key: key, nonce: nonce, authenticating: []))
                == "530f8afbc74536b9a963b4f1c4cb738b")
        #expect(
            Hex.encode(try AESGCM.seal([UInt8](repeating: 0, count: 16), key: key, nonce: nonce, authenticating: []))
                == "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919")
        let message = try #require(
            Hex.decode(
                "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
            ))
        let sealed = try AESGCM.seal(
            message, key: try #require(Hex.decode("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308")),
            nonce: try #require(Hex.decode("cafebabefacedbaddecaf888")),
            authenticating: try #require(Hex.decode("feedfacedeadbeeffeedfacedeadbeefabaddad2")))
        #expect(
            Hex.encode(sealed)
                == "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662"
                + "76fc6ece0f4e1768cddf8853bb2d551b")
    }

    @Test("What was sealed opens, and nothing that was changed does")
    func tampering() throws {
        let message = Array("only for us".utf8)
        let sealed = try AESGCM.seal(message, key: key, nonce: nonce, authenticating: [1, 2])
        #expect(try AESGCM.open(sealed[...], key: key, nonce: nonce, authenticating: [1, 2]) == message)
        #expect(throws: AESGCM.Failure.notAuthentic) {
            try AESGCM.open(sealed[...], key: key, nonce: nonce, authenticating: [1, 3])
        }
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(throws: AESGCM.Failure.notAuthentic) {
                try AESGCM.open(changed[...], key: key, nonce: nonce, authenticating: [1, 2])
            }
        }
        #expect(throws: AESGCM.Failure.notAuthentic) {
            try AESGCM.open([1, 2, 3], key: key, nonce: nonce, authenticating: [])
        }
        #expect(throws: AESGCM.Failure.invalidInput) {
            try AESGCM.seal(message, key: [1], nonce: nonce, authenticating: [])
        }
    }
}
