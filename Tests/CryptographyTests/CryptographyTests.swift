import Cryptography
import Testing
import WebServices

@Suite("Cryptography")
struct CryptographyTests {
    @Test(
        "SHA-256 gives the published answers",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ])
    func sha256(text: String, hash: String) {
        #expect(Hex.encode(SHA256.hash(text)) == hash)
        #expect(Hex.encode(SHA256.hash(Array(text.utf8))) == hash)
        var hasher = SHA256()
        for byte in text.utf8 { hasher.update([byte]) }
        #expect(Hex.encode(hasher.finish()) == hash)
    }

    @Test("SHA-256 of a million letters, in pieces")
    func longSHA256() {
        var hasher = SHA256()
        for _ in 0..<1000 { hasher.update([UInt8](repeating: UInt8(ascii: "a"), count: 1000)) }
        #expect(Hex.encode(hasher.finish()) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    @Test(
        "HMAC gives the answers of RFC 4231",
        arguments: [
            (
                String(repeating: "0b", count: 20), Hex.encode("Hi There".utf8),
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
            ),
            (
                Hex.encode("Jefe".utf8), Hex.encode("what do ya want for nothing?".utf8),
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            (
                String(repeating: "aa", count: 20), String(repeating: "dd", count: 50),
                "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
            ),
            (
                String(repeating: "aa", count: 131),
                Hex.encode("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
        ])
    func hmac(key: String, message: String, code: String) throws {
        let hmac = HMACSHA256(key: try #require(Hex.decode(key)))
        let message = try #require(Hex.decode(message))
        let code = try #require(Hex.decode(code))
        // Twice, since the prepared key must stay as it was.
        for _ in 0..<2 {
            #expect(hmac.authenticationCode(for: message) == code)
            #expect(hmac.isValid(code, for: message))
        }
        #expect(!hmac.isValid(code, for: message + [0]))
        #expect(!hmac.isValid(Array(code.dropLast()), for: message))
        #expect(!hmac.isValid(code.dropLast() + [code[31] ^ 1], for: message))
        #expect(!hmac.isValid([], for: message))
    }

    @Test("An empty key and an empty message are as good as any")
    func emptyHMAC() {
        #expect(
            Hex.encode(HMACSHA256(key: []).authenticationCode(for: []))
                == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
    }

    @Test("Secrets are equal when every byte is")
    func constantTime() {
        #expect(ConstantTime.areEqual([], []))
        #expect(ConstantTime.areEqual([1, 2], [1, 2]))
        #expect(!ConstantTime.areEqual([1, 2], [1, 3]))
        #expect(!ConstantTime.areEqual([1, 2], [1]))
        #expect(!ConstantTime.areEqual([], [0]))
    }

    @Test("Random bytes are as many as asked for and never the same")
    func random() {
        #expect(SystemRandom.bytes(0).isEmpty)
        #expect(SystemRandom.bytes(-1).isEmpty)
        #expect(Set((0..<100).map { _ in SystemRandom.bytes(16) }).count == 100)
        #expect(SystemRandom.bytes(1000).count == 1000)
    }
}

@Suite("Password hashes")
struct PasswordHashTests {
    @Test("A password matches its own hash only", arguments: ["correct horse", "", "pässwörd\0😀"])
    func roundTrip(password: String) throws {
        let hash = try PasswordHash.make(password)
        #expect(hash.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$"))
        #expect(PasswordHash.verify(password, against: hash))
        #expect(!PasswordHash.verify(password + "x", against: hash))
    }

    @Test("The same password never gives the same hash")
    func salt() throws {
        #expect(try PasswordHash.make("secret") != PasswordHash.make("secret"))
    }

    @Test("No account and a damaged hash match no password")
    func noAccount() {
        #expect(!PasswordHash.verify("no account has this password", against: nil))
        for hash in ["", "secret", "$argon2id$v=19$m=19456,t=2,p=1$", String(repeating: "x", count: 500)] {
            #expect(!PasswordHash.verify("secret", against: hash))
        }
    }

    @Test("A hash that another program made is verified")
    func published() {
        // From the reference implementation's tests of Argon2id: 64 MiB, two passes.
        let hash =
            "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
        #expect(PasswordHash.verify("password", against: hash))
    }

    @Test("Many at once all get their answer")
    func flood() async throws {
        let hash = try PasswordHash.make("secret")
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<8 {
                group.addTask { PasswordHash.verify(number == 3 ? "secret" : "guess", against: hash) }
            }
            var matches = 0
            for await isMatch in group where isMatch { matches += 1 }
            #expect(matches == 1)
        }
    }
}
