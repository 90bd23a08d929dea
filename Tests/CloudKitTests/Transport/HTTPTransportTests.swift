import Foundation
import Testing
import WebServices

@testable import CloudKit

@Suite("HTTP: what a broken network looks like", .serialized) struct HTTPTransportTests {
    private let save = WebServices.Operation.recordsModify(
        RecordsModify.Request(operations: [.init(.create, Record(recordName: "a", recordType: "T"))]))

    private func failure(
        _ url: URL, _ operation: WebServices.Operation, timeout: Double = 30
    ) async -> TransportError? {
        let transport = HTTPTransport(root: url)
        let call = Call(container: "iCloud.test", database: .private, operation: operation)
        do throws(TransportError) {
            _ = try await transport.send(call, limits: RequestLimits(timeout: timeout))
            return nil
        } catch {
            return error
        }
    }

    @Test("Nobody listens: unreachable")
    func refused() async throws {
        let server = try RawServer(.closesAtOnce)
        server.stop()
        guard case .unreachable = await failure(server.url, save) else {
            Issue.record("not unreachable")
            return
        }
    }

    @Test("The connection breaks after the request: the answer is lost")
    func answerLost() async throws {
        let server = try RawServer(.closesAfterRequest)
        defer { server.stop() }
        let error = await failure(server.url, save)
        guard case .answerLost = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("No answer in time: timedOut")
    func timeout() async throws {
        let server = try RawServer(.silent)
        defer { server.stop() }
        #expect(await failure(server.url, save, timeout: 1) == .timedOut)
    }

    @Test("Cancelling the task ends the request")
    func cancel() async throws {
        let server = try RawServer(.silent)
        defer { server.stop() }
        let task = Task { await failure(server.url, save) }
        task.cancel()
        #expect(await task.value == .cancelled)
    }

    @Test("A proxy's page is no answer of the protocol", arguments: [502, 503, 200])
    func proxy(_ status: Int) async throws {
        let page = "<html>Bad gateway</html>"
        let server = try RawServer(
            .answers("HTTP/1.1 \(status) X\r\nContent-Length: \(page.utf8.count)\r\nConnection: close\r\n\r\n\(page)"))
        defer { server.stop() }
        let error = await failure(server.url, save)
        guard case .notUnderstood(let answered, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(answered == status)
    }

    @Test("An error dictionary is the server's word, whatever its status")
    func errorDictionary() async throws {
        let body = #"{"uuid":"U","serverErrorCode":"THROTTLED","reason":"slow down","retryAfter":4}"#
        let server = try RawServer(
            .answers(
                "HTTP/1.1 429 X\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n"
                    + "X-Apple-CloudKit-Web-Auth-Token: fresh\r\n\r\n\(body)"))
        defer { server.stop() }
        let call = Call(container: "iCloud.test", database: .private, operation: save)
        let reply = try await HTTPTransport(root: server.url).send(call, limits: RequestLimits())
        #expect(reply.webAuthToken == "fresh")
        guard case .failure(let error) = reply.result else {
            Issue.record("not an error")
            return
        }
        #expect(error.code == .throttled)
        #expect(error.retryAfter == 4)
    }
}
