import CHTTPServer
import Synchronization

/// One request and its answer.
///
/// All but `answer` and `requestForRefusal` happens on the thread of the connection.
// Unchecked: what is not behind the lock belongs to the thread of the connection alone.
final class MicroHTTPExchange: @unchecked Sendable {
    enum Phase {
        case headers, body
        /// The handler has been called.
        case answering
    }

    private enum Answer {
        case awaited
        /// Awaited, and the connection is suspended meanwhile.
        case suspended
        case given(HTTPResponse)
        /// It is on its way, or the connection is gone.
        case done
    }

    private(set) var phase = Phase.headers
    let peer: HTTPPeer?
    private let connection: OpaquePointer
    private let target: String
    private let answer = Mutex(Answer.awaited)

    private var method = ""
    private var headers = HTTPHeaders()
    private var body: [UInt8] = []
    /// Takes the body in the place of `body`.
    private var sink: (any HTTPBodySink)?
    private var sinkLimit = 0
    /// Bytes of the memory for all bodies.
    private var bodyMemory = 0
    /// Why the rest of the body is read in vain.
    private var bodyRefusal: HTTPRefusal?
    private var discarded = 0
    /// Bytes that went to the sink.
    private var received = 0

    /// Whether it began before the server's end.
    private let isHandled: Bool

    init(connection: OpaquePointer, target: String, peer: HTTPPeer?, isHandled: Bool) {
        self.connection = connection
        self.target = target
        self.peer = peer
        self.isHandled = isHandled
    }

    var requestForRefusal: HTTPRequest {
        HTTPRequest(refusedTarget: target, method: method, headers: headers, remoteAddress: peer?.address)
    }
}

// MARK: - Reading

extension MicroHTTPExchange {
    func readHeaders(method: String, for server: MicroHTTPServer) -> MHD_Result {
        phase = .body
        self.method = method
        withUnsafeMutablePointer(to: &headers) { headers in
            _ = MHD_get_connection_values_n(connection, .HEADER_KIND, Self.collectHeader, headers)
        }
        let lengths = headers.values(of: "Content-Length")
        // Two opinions on where the body ends let a request hide inside another one.
        if lengths.count > 1 || (!lengths.isEmpty && headers["Transfer-Encoding"] != nil) {
            return refuseUnread(.malformed("its length is given twice"), for: server)
        }
        guard let text = lengths.first else {
            // A body in chunks says no length.
            if headers["Transfer-Encoding"] != nil, let refusal = chooseDestination(for: server) {
                return refuseUnread(refusal, for: server)
            }
            return .YES
        }
        guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }) else {
            return refuseUnread(.malformed("its length is no number"), for: server)
        }
        if let refusal = chooseDestination(for: server) { return refuseUnread(refusal, for: server) }
        let limit = bodyLimit(server)
        // Digits that are no Int are too many.
        guard let length = Int(text), length <= limit else {
            return refuseUnread(.bodyTooLarge(limit: limit), for: server)
        }
        // What is announced need not come, so memory for long bodies is taken as they arrive.
        if sink == nil { body.reserveCapacity(min(length, 64 << 10)) }
        return .YES
    }

    func readBody(_ part: UnsafeRawBufferPointer, for server: MicroHTTPServer) -> MHD_Result {
        let limit = bodyLimit(server)
        if let sink, bodyRefusal == nil {
            received += part.count
            if received <= limit {
                if sink.write(part) { return .YES }
                // The sink knows what is wrong with it; the handler answers.
                return discard(part, for: server)
            }
            bodyRefusal = .bodyTooLarge(limit: limit)
            self.sink = nil
        } else if bodyRefusal == nil {
            if part.count > limit - body.count {
                bodyRefusal = .bodyTooLarge(limit: limit)
            } else if server.activity.takeBodyMemory(part.count, limit: server.configuration.bodyMemory) {
                bodyMemory += part.count
                body.append(contentsOf: part)
                return .YES
            } else {
                bodyRefusal = .crowded
            }
        }
        // It cannot be answered before it ends, so the rest is let pass, within limits.
        body = []
        giveBodyMemory(to: server)
        return discard(part, for: server)
    }

    private func discard(_ part: UnsafeRawBufferPointer, for server: MicroHTTPServer) -> MHD_Result {
        discarded += part.count
        return discarded <= max(bodyLimit(server), server.configuration.maximumBodySize) ? .YES : .NO
    }

    private func bodyLimit(_ server: MicroHTTPServer) -> Int {
        sink == nil ? server.configuration.maximumBodySize : sinkLimit
    }

    /// Asks where a long body goes.
    ///
    /// - Returns: why it goes nowhere.
    private func chooseDestination(for server: MicroHTTPServer) -> HTTPResponse? {
        guard let path = server.configuration.uploadPath, target.contains(path),
            let request = HTTPRequest(
                method: method, target: target, headers: headers, remoteAddress: peer?.address)
        else { return nil }
        switch server.configuration.bodyDestination(request) {
        case .memory: return nil
        case .refusal(let response): return response
        case .sink(let sink, let limit):
            self.sink = sink
            sinkLimit = limit
            peer?.beginsUpload()
            return nil
        }
    }

    private func giveBodyMemory(to server: MicroHTTPServer) {
        server.activity.giveBodyMemory(bodyMemory)
        bodyMemory = 0
    }

    /// Answers before the body is read; the connection cannot go on after that.
    private func refuseUnread(_ refusal: HTTPRefusal, for server: MicroHTTPServer) -> MHD_Result {
        refuseUnread(server.configuration.refusal(refusal, requestForRefusal), for: server)
    }

    private func refuseUnread(_ response: HTTPResponse, for server: MicroHTTPServer) -> MHD_Result {
        var response = response
        response.headers.append(("Connection", "close"))
        return queue(response, for: server)
    }

    private static let collectHeader:
        @convention(c) (
            UnsafeMutableRawPointer?, MHD_ValueKind, UnsafePointer<CChar>?, Int, UnsafePointer<CChar>?, Int
        ) -> MHD_Result = { context, _, name, nameLength, value, valueLength in
            guard let headers = context?.assumingMemoryBound(to: HTTPHeaders.self), let name else { return .NO }
            let nameBytes = UnsafeRawBufferPointer(start: name, count: nameLength)
            let valueBytes = UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : valueLength)
            headers.pointee.append(
                name: nameBytes.assumingMemoryBound(to: UInt8.self),
                value: valueBytes.assumingMemoryBound(to: UInt8.self))
            return .YES
        }
}

// MARK: - Answering

extension MicroHTTPExchange {
    /// Calls the handler, and sends its answer or suspends the connection until there is one.
    func dispatch(to server: MicroHTTPServer) -> MHD_Result {
        phase = .answering
        peer?.hasSentRequest()
        if let bodyRefusal {
            return queue(server.configuration.refusal(bodyRefusal, requestForRefusal), for: server)
        }
        guard isHandled, server.activity.handlesRequests else {
            return queue(server.configuration.refusal(.stopping, requestForRefusal), for: server)
        }
        guard server.activity.hasRoomForAnswer(limit: server.configuration.answerMemory) else {
            return queue(server.configuration.refusal(.crowded, requestForRefusal), for: server)
        }
        let request = HTTPRequest(
            method: method, target: target, headers: headers, body: body, remoteAddress: peer?.address)
        guard var request else {
            let refusal = HTTPRefusal.malformed("its path or query is not percent-encoded UTF-8")
            return queue(server.configuration.refusal(refusal, requestForRefusal), for: server)
        }
        body = []
        request.bodySink = sink
        sink = nil
        server.handler(request) { self.answer($0) }
        return sendOrSuspend(for: server)
    }

    /// Goes on after the connection was suspended.
    func resume(for server: MicroHTTPServer) -> MHD_Result { sendOrSuspend(for: server) }

    /// Takes the answer, from any thread. Only the first one counts, and none when the connection is gone.
    func answer(_ response: HTTPResponse) {
        answer.withLock { answer in
            switch answer {
            case .awaited:
                answer = .given(response)
            case .suspended:
                answer = .given(response)
                // Under the lock: once it is released, the end of the exchange may free the connection.
                MHD_resume_connection(connection)
            case .given, .done:
                break
            }
        }
    }

    /// Nobody waits for an answer any longer.
    func end(on server: MicroHTTPServer) {
        answer.withLock { $0 = .done }
        giveBodyMemory(to: server)
        if let peer { server.activity.endAnswer(peer) }
        sink = nil
    }

    private func sendOrSuspend(for server: MicroHTTPServer) -> MHD_Result {
        let response: HTTPResponse? = answer.withLock { answer in
            switch answer {
            case .given(let response):
                answer = .done
                return response
            case .awaited, .suspended:
                guard server.activity.suspend(self) else {
                    answer = .done
                    return server.configuration.refusal(.stopping, requestForRefusal)
                }
                answer = .suspended
                // Under the lock, so that no answer can resume before this.
                MHD_suspend_connection(connection)
                return nil
            case .done:
                return nil
            }
        }
        return response.map { queue($0, for: server) } ?? .YES
    }

    private func queue(_ response: HTTPResponse, for server: MicroHTTPServer) -> MHD_Result {
        // Answered already, as far as anybody else is concerned.
        answer.withLock { $0 = .done }
        var response = response
        var made = (200...599).contains(response.status) ? MicroHTTPResponse.make(response) : nil
        if made == nil {
            response = server.configuration.refusal(.invalidAnswer, requestForRefusal)
            made = MicroHTTPResponse.make(response)
        }
        guard let made else { return .NO }
        defer { MHD_destroy_response(made) }
        if let peer {
            server.activity.beginAnswer(
                peer, memory: MicroHTTPResponse.memory(of: response), isFile: response.file != nil)
        }
        if server.activity.isDraining { MHD_add_response_header(made, "Connection", "close") }
        return MHD_queue_response(connection, UInt32(clamping: response.status), made)
    }
}
