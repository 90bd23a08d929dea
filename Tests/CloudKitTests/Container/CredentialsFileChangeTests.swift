import Foundation
import Testing

@testable import CloudKit

@Suite("Sign-ins and sign-outs through the credentials file", .timeLimit(.minutes(1)))
struct CredentialsFileChangeTests {
    /// A credentials file of the test's own, in a folder that is not there yet.
    private final class Place: Sendable {
        private let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("account-\(UUID().uuidString)")
        let connections = CloudConnections()

        var file: URL { folder.appendingPathComponent("a/b/credentials.json") }

        func connection(_ variables: [String: String] = [:]) throws -> CloudConnection {
            try connections.connectionToSurroundings(
                variables.merging(["STRATUS_CREDENTIALS": file.path]) { first, _ in first })
        }

        func write(_ account: String?, _ token: String?, url: String = "http://one") throws {
            try CredentialsFile(url: url, apiToken: "t", account: account, webAuthToken: token).write(to: file)
        }

        func remove() throws { try FileManager.default.removeItem(at: file) }

        deinit { try? FileManager.default.removeItem(at: folder) }
    }

    /// The changes of an account, waited for one by one.
    private final class Changes: Sendable {
        private let stream: AsyncStream<Void>

        init(of connection: CloudConnection) {
            let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
            self.stream = stream
            connection.account.observe { continuation.yield() }
        }

        func next() async {
            var iterator = stream.makeAsyncIterator()
            await iterator.next()
        }
    }

    @Test("The file signs in and out; a refreshed token changes nobody")
    func asked() throws {
        let place = Place()
        try place.write("alice", "w1")
        let first = try place.connection()
        first.account.userRecordName = "_alice"
        try place.write("alice", "w2")
        #expect(try place.connection() === first)
        #expect(first.account.userRecordName == "_alice", "still the same account")
        try place.write("bob", "w3")
        #expect(try place.connection() === first)
        #expect(first.account.userRecordName == nil, "another account")
        try place.remove()
        #expect(try place.connection() === first, "the server is known, and its public database can be read")
        #expect(first.account.status == .noAccount)
        try place.write("bob", "w3")
        #expect(try place.connection() === first)
        #expect(first.account.status == .available)
    }

    @Test("While nobody makes a request, the file is watched")
    func watched() async throws {
        let place = Place()
        try place.write("alice", "w1")
        let connection = try place.connection()
        let changes = Changes(of: connection)
        try place.remove()
        await changes.next()
        #expect(connection.account.status == .noAccount)
        try place.write("bob", "w2")
        await changes.next()
        #expect(connection.account.status == .available)
        // The whole folder goes and comes back.
        try FileManager.default.removeItem(at: place.file.deletingLastPathComponent().deletingLastPathComponent())
        await changes.next()
        #expect(connection.account.status == .noAccount)
        try place.write("carol", "w3")
        await changes.next()
        #expect(connection.account.status == .available)
        #expect(connection.account.revision == 4)
    }

    @Test("The first sign-in is a change where a server was named before, and where none was")
    func firstSignIn() async throws {
        let place = Place()
        #expect(throws: CKError.self) { try place.connection() }
        let (posted, continuation) = AsyncStream.makeStream(of: Void.self)
        let observer = NotificationCenter.default.addObserver(forName: .CKAccountChanged, object: nil, queue: nil) {
            _ in continuation.yield()
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        try place.write("alice", "w1")
        // Other tests' accounts may change too.
        var iterator = posted.makeAsyncIterator()
        #expect(await iterator.next() != nil)
        #expect(try place.connection().account.status == .available)

        let named = Place()
        let connection = try named.connection(["STRATUS_URL": "http://one", "STRATUS_API_TOKEN": "t"])
        #expect(connection.account.status == .noAccount)
        let changes = Changes(of: connection)
        try named.write("alice", "w1")
        await changes.next()
        #expect(connection.account.status == .available)
    }

    @Test("A file that names another cloud signs out of the one before")
    func anotherCloud() throws {
        let place = Place()
        try place.write("alice", "w1")
        let first = try place.connection()
        try place.write("alice", "w2", url: "http://two")
        let second = try place.connection()
        #expect(second !== first && second.account.status == .available)
        #expect(first.account.status == .noAccount)
        try place.write("alice", "w3")
        #expect(try place.connection() === first)
        #expect(first.account.status == .available && second.account.status == .noAccount)
    }

    @Test("An account that the environment names is not the file's to change")
    func environment() throws {
        let place = Place()
        let variables = [
            "STRATUS_URL": "http://one", "STRATUS_API_TOKEN": "t", "STRATUS_WEB_AUTH_TOKEN": "x",
        ]
        let connection = try place.connection(variables)
        try place.write("alice", "w1")
        #expect(try place.connection(variables) === connection)
        try place.remove()
        #expect(try place.connection(variables) === connection)
        #expect(connection.account.revision == 0 && connection.account.status == .available)
    }
}
