import CHTTPServer

// What libmicrohttpd calls, on its own threads. One connection is always served by the same thread.

extension MicroHTTPServer {
    typealias Connection = OpaquePointer

    /// A connection was opened or closed.
    static let notifyConnection:
        @convention(c) (
            UnsafeMutableRawPointer?, Connection?, UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
            MHD_ConnectionNotificationCode
        ) -> Void = { context, connection, slot, code in
            guard let context, let connection, let slot else { return }
            let server = Unmanaged<MicroHTTPServer>.fromOpaque(context).takeUnretainedValue()
            if code == .CONNECTION_NOTIFY_STARTED {
                let address = chttp_connection_address(connection).flatMap { HTTPAddress($0) }
                let peer = HTTPPeer(socket: chttp_connection_socket(connection), address: address)
                server.activity.add(peer)
                slot.pointee = Unmanaged.passRetained(peer).toOpaque()
            } else if let opaque = slot.pointee {
                slot.pointee = nil
                // Before the socket is closed, so that nobody shuts down its successor.
                server.activity.remove(Unmanaged<HTTPPeer>.fromOpaque(opaque).takeRetainedValue())
            }
        }

    /// A request line was read.
    static let begin:
        @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, Connection?) -> UnsafeMutableRawPointer? = {
            context, target, connection in
            guard let context, let target, let connection else { return nil }
            let server = Unmanaged<MicroHTTPServer>.fromOpaque(context).takeUnretainedValue()
            let peer = chttp_connection_context(connection).map {
                Unmanaged<HTTPPeer>.fromOpaque($0).takeUnretainedValue()
            }
            peer?.beginsRequest()
            let exchange = MicroHTTPExchange(
                connection: connection, target: String(cString: target), peer: peer,
                isHandled: server.activity.begin())
            return Unmanaged.passRetained(exchange).toOpaque()
        }

    /// Headers were read, then each part of the body, then everything; or a suspended connection was resumed.
    static let handle:
        @convention(c) (
            UnsafeMutableRawPointer?, Connection?, UnsafePointer<CChar>?, UnsafePointer<CChar>?, UnsafePointer<CChar>?,
            UnsafePointer<CChar>?, UnsafeMutablePointer<Int>?, UnsafeMutablePointer<UnsafeMutableRawPointer?>?
        ) -> MHD_Result = { context, _, _, method, _, upload, uploadSize, slot in
            guard let context, let method, let uploadSize, let opaque = slot?.pointee else { return .NO }
            let server = Unmanaged<MicroHTTPServer>.fromOpaque(context).takeUnretainedValue()
            let exchange = Unmanaged<MicroHTTPExchange>.fromOpaque(opaque).takeUnretainedValue()
            switch exchange.phase {
            case .headers:
                return exchange.readHeaders(method: String(cString: method), for: server)
            case .body where uploadSize.pointee > 0:
                let part = UnsafeRawBufferPointer(start: upload, count: uploadSize.pointee)
                uploadSize.pointee = 0
                return exchange.readBody(part, for: server)
            case .body:
                return exchange.dispatch(to: server)
            case .answering:
                return exchange.resume(for: server)
            }
        }

    /// A request has ended, well or not.
    static let complete:
        @convention(c) (
            UnsafeMutableRawPointer?, Connection?, UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
            MHD_RequestTerminationCode
        ) -> Void = { context, _, slot, _ in
            guard let context, let slot, let opaque = slot.pointee else { return }
            slot.pointee = nil
            let server = Unmanaged<MicroHTTPServer>.fromOpaque(context).takeUnretainedValue()
            let exchange = Unmanaged<MicroHTTPExchange>.fromOpaque(opaque).takeRetainedValue()
            exchange.end(on: server)
            exchange.peer?.isIdle()
            server.activity.end(exchange)
        }

    static let log: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?) -> Void = { context, message in
        guard let context, let message else { return }
        let server = Unmanaged<MicroHTTPServer>.fromOpaque(context).takeUnretainedValue()
        var text = String(cString: message)
        while text.last?.isWhitespace == true { text.removeLast() }
        server.activity.lastComplaint = text
        server.configuration.log(text)
    }
}
