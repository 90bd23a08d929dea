import CloudStore
import Dispatch
import Synchronization
import Testing
import WebServices

@testable import CloudServer

/// The signatures were made by the openssl program, at the time that a test's clock shows.
@Suite("Server-to-server keys")
struct ServerKeyTests {
    let cloud: TestCloud
    let router: Router
    let key: String

    private static let pem = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEoQORne5MsYePpLNWfn2X0ahIuAiE
        DhDBsNHIVeain5vFEmJI8N8sfaRZrQNQzj/unu7bq4ND0Si4kIDPAH84Jw==
        -----END PUBLIC KEY-----
        """
    private static let root = "/database/1/\(TestCloud.container)/development"
    private static let date = "2027-01-15T08:00:00Z"
    private static let body =
        #"{"operations":[{"operationType":"create","record":{"recordName":"a","recordType":"Note","fields":{"title":{"value":"x"}}}}]}"#
    /// Of the path with its query `?x=%2F1&y`.
    private static let ofQuery =
        "MEYCIQCRPEpzHimZORfz+LI/XFeKTd+TLUXB44cgpWf4qfZxbgIhAPuQ6NryJ8iPY6s8/m8pyf+e3EF1nDiQpEoZV7GoyXan"
    private static let ofPath =
        "MEQCIH10atTMLyhffykfsGrdZiJ7Q2+vVrr63wbjhQQyOBC9AiB33ygMOzN3TBHXx9MHYNG0YPlB/8YAH7752rIKFG8Ymg=="
    /// Of `zones/list` with the hash of nothing, and with nothing in its place.
    private static let ofEmptyHash =
        "MEQCIFP+UFkZm5hnZyRxwvujyYptcFvKfxwJRPhI07D4hvsqAiBAbcQ6njrzUbZAtayT/IRtROEwVtbc9wId+lOTUEUk9w=="
    private static let ofNoHash =
        "MEYCIQD/WJP6ktS1qM24O395/9U3G/BacNWRK0U3eUBd1TXTdAIhAJ4C12s92G3WHZ0w7/kngByDLTO7KBay1yk8ZEXdhcfX"
    private static let ofPrivate =
        "MEUCIBQvWJHG3UGofZ9Bejugl5GT9DpLGXmAia0yZUHOUBPNAiEA35D7IHfxx2Mth8rQ4NKKLKbsJx3w/8OBJpCGMpRN7lU="
    private static let ofUsers =
        "MEYCIQCZEaXTOFz6/gBjOLUs2/C+RpyT1gMxUgljPzq5a5g4JAIhAPgFHY+Iq8cxrYlkhbSkuerxHUBKmxM0PJECkU+nHE/0"
    /// Ten minutes and a second before the clock's time.
    private static let old =
        "MEUCIQCwDNV6zqyCVTzx5b8+/mAvi2Jj74D7flgzbRjVIPLlzAIgH1ysaCk9lVKIw5XbcO36NumtM7Ue7TzgcFZ8sHboFXM="

    init() throws {
        cloud = try TestCloud()
        router = Router(server: cloud.server)
        let administration = Administration(store: cloud.server.store)
        try administration.createContainer(TestCloud.container)
        key = try administration.addServerKey(
            pem: Self.pem, container: TestCloud.container, environment: .development
        ).id
    }

    private func send(
        _ method: String, _ target: String, _ signature: String, body: String = "", date: String = Self.date,
        key: String? = nil
    ) throws -> (status: Int, text: String) {
        let headers = [
            ("X-Apple-CloudKit-Request-KeyID", key ?? self.key), ("X-Apple-CloudKit-Request-ISO8601Date", date),
            ("X-Apple-CloudKit-Request-SignatureV1", signature),
        ]
        let request = try #require(
            HTTPRequest(method: method, target: target, headers: HTTPHeaders(headers), body: Array(body.utf8)))
        let box = Mutex<HTTPResponse?>(nil)
        let answered = DispatchSemaphore(value: 0)
        router.handle(request) { response in
            box.withLock { $0 = response }
            answered.signal()
        }
        answered.wait()
        let response = try #require(box.withLock { $0 })
        return (response.status, String(decoding: response.body, as: UTF8.self))
    }

    @Test("A signed request saves to the public database, as a user of its own, whether it signs its query or not")
    func save() throws {
        let saved = try send("POST", "\(Self.root)/public/records/modify?x=%2F1&y", Self.ofQuery, body: Self.body)
        #expect(saved.status == 200 && saved.text.contains(#""recordName":"a""#), "\(saved.text)")
        let name = cloud.server.secret.userRecordName(
            account: Identity.serverAccount, container: TestCloud.container)
        #expect(saved.text.contains(name))
        let again = try send("POST", "\(Self.root)/public/records/modify?other=1", Self.ofPath, body: Self.body)
        #expect(again.status == 200 && again.text.contains("record to insert already exists"), "\(again.text)")
        #expect(try send("POST", "\(Self.root)/public/records/modify", Self.ofPath, body: Self.body).status == 200)
    }

    @Test("Without a body the hash of nothing is signed, or nothing")
    func emptyBody() throws {
        for signature in [Self.ofEmptyHash, Self.ofNoHash] {
            #expect(try send("GET", "\(Self.root)/public/zones/list", signature).status == 200)
        }
    }

    @Test("Whatever is wrong is the same 401")
    func refusals() throws {
        let modify = "\(Self.root)/public/records/modify"
        let wrong: [(String, String, String, String, String, String?)] = [
            ("POST", modify, Self.ofPath, Self.body + " ", Self.date, nil),
            ("POST", modify, Self.ofEmptyHash, Self.body, Self.date, nil),
            ("POST", modify, "", Self.body, Self.date, nil),
            ("POST", modify, "AAAA", Self.body, Self.date, nil),
            ("POST", modify, Self.ofPath, Self.body, "2027-01-15T08:00:01Z", nil),
            ("POST", modify, Self.ofPath, Self.body, "yesterday", nil),
            ("POST", modify, Self.old, Self.body, "2027-01-15T07:49:59Z", nil),
            ("POST", modify, Self.ofPath, Self.body, Self.date, String(repeating: "0", count: 64)),
            ("POST", modify, Self.ofPath, Self.body, Self.date, ""),
            ("POST", "\(modify)?ckAPIToken=\(TestCloud.apiToken)", Self.ofPath, Self.body, Self.date, nil),
            ("POST", "\(Self.root)/private/records/modify", Self.ofPrivate, Self.body, Self.date, nil),
            ("GET", "\(Self.root)/public/users/caller", Self.ofUsers, "", Self.date, nil),
            (
                "POST", modify.replacing("development", with: "production"), Self.ofPath, Self.body, Self.date, nil
            ),
        ]
        for (method, target, signature, body, date, key) in wrong {
            let answer = try send(method, target, signature, body: body, date: date, key: key)
            #expect(answer.status == 401, "\(target) \(date)")
            #expect(answer.text.contains(#""serverErrorCode":"AUTHENTICATION_FAILED""#))
        }
        // At the very edge of the ten minutes.
        cloud.clock.advance(milliseconds: -1000)
        #expect(try send("POST", modify, Self.old, body: Self.body, date: "2027-01-15T07:49:59Z").status == 200)
    }

    @Test("A key that is revoked is refused within five seconds; its list and its identifier say which it was")
    func revoke() throws {
        let administration = Administration(store: cloud.server.store)
        #expect(try administration.serverKeys(container: TestCloud.container).map(\.id) == [key])
        #expect(key.count == 64)
        #expect(throws: AdministrationError.keyExists(key)) {
            try administration.addServerKey(pem: Self.pem, container: TestCloud.container, environment: .development)
        }
        #expect(throws: AdministrationError.noKey("ffff0000")) { try administration.deleteServerKey("ffff0000") }
        #expect(try send("GET", "\(Self.root)/public/zones/list", Self.ofNoHash).status == 200)
        try administration.deleteServerKey(String(key.prefix(8)))
        cloud.clock.advance(milliseconds: 5001)
        #expect(try send("GET", "\(Self.root)/public/zones/list", Self.ofNoHash).status == 401)
    }

    @Test(
        "Only public keys of the curve P-256 are taken",
        arguments: [
            "", "no key", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----",
            "-----BEGIN EC PRIVATE KEY-----\nMHcC\n-----END EC PRIVATE KEY-----",
            """
            -----BEGIN PUBLIC KEY-----
            MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAEbm8Cp9dgGxKJ2VEjooV9edwR5ay2cMF4
            hv8CNRwFST2DHfMFI2pSnUzZrVXDRdblu5VxtRYihYDLdQNVvUFIjggT9CXzvYzE
            i7q2lPQUPs+04NrKFVJMwAeStzgLIMou
            -----END PUBLIC KEY-----
            """,
        ])
    func otherKeys(pem: String) {
        #expect(ServerKey(pem: pem) == nil)
        #expect(throws: AdministrationError.self) {
            try Administration(store: cloud.server.store).addServerKey(
                pem: pem, container: TestCloud.container, environment: .development)
        }
    }
}
