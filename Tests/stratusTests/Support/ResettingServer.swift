import CTLS
import Foundation

/// A TLS server that reads one request and resets the connection, as a machine does that was restarted meanwhile.
enum ResettingServer {
    /// Serves one client. The files are in PEM form.
    ///
    /// - Returns: Its port on 127.0.0.1.
    static func start(certificate: String, key: String) throws -> UInt16 {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { general in
                bind(listener, general, size) == 0 && listen(listener, 1) == 0
                    && getsockname(listener, general, &size) == 0
            }
        }
        guard isListening else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        Thread.detachNewThread { serve(listener, certificate: certificate, key: key) }
        return UInt16(bigEndian: address.sin_port)
    }

    private static func serve(_ listener: Int32, certificate: String, key: String) {
        defer { close(listener) }
        let context = SSL_CTX_new(TLS_server_method())
        defer { SSL_CTX_free(context) }
        SSL_CTX_use_certificate_file(context, certificate, SSL_FILETYPE_PEM)
        SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM)
        let session = SSL_new(context)
        defer { SSL_free(session) }
        let client = accept(listener, nil, nil)
        SSL_set_fd(session, client)
        var request = [UInt8](repeating: 0, count: 16_384)
        if SSL_accept(session) == 1 { SSL_read(session, &request, Int32(request.count)) }
        // A close that does not linger is a reset.
        var lingering = linger(l_onoff: 1, l_linger: 0)
        setsockopt(client, SOL_SOCKET, SO_LINGER, &lingering, socklen_t(MemoryLayout<linger>.size))
        close(client)
    }
}
