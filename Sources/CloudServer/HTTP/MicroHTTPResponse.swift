import CHTTPServer
import Glibc

/// Answers in the form of libmicrohttpd.
enum MicroHTTPResponse {
    /// Up to this size, copying a body is cheaper than keeping it.
    private static let copiedSize = 4096

    private final class Body {
        let bytes: [UInt8]
        init(_ bytes: [UInt8]) { self.bytes = bytes }
    }

    /// Bytes that an answer holds until it is sent, where that is worth counting.
    static func memory(of response: HTTPResponse) -> Int {
        response.file == nil && response.body.count > copiedSize ? response.body.count : 0
    }

    /// Nil when there is no memory or a header is not valid.
    static func make(_ response: HTTPResponse) -> OpaquePointer? {
        guard let made = response.file.map(make) ?? make(response.body) else { return nil }
        for (name, value) in response.headers where MHD_add_response_header(made, name, value) == .NO {
            MHD_destroy_response(made)
            return nil
        }
        return made
    }

    private static func make(_ file: HTTPFile) -> OpaquePointer? {
        // The library closes what it is given.
        let descriptor = dup(file.descriptor)
        guard descriptor >= 0 else { return nil }
        let made = MHD_create_response_from_fd_at_offset64(
            UInt64(max(file.length, 0)), descriptor, UInt64(max(file.offset, 0)))
        if made == nil { close(descriptor) }
        return made
    }

    private static func make(_ body: [UInt8]) -> OpaquePointer? {
        if body.count <= copiedSize {
            return body.withUnsafeBytes { bytes in
                // The library only reads it; the address of an empty array is nil, which it takes.
                MHD_create_response_from_buffer(
                    bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_MUST_COPY)
            }
        }
        let kept = Unmanaged.passRetained(Body(body))
        let made = body.withUnsafeBytes { bytes in
            // An array's elements do not move as long as somebody holds the array and nobody changes it, which `kept`
            // sees to.
            MHD_create_response_from_buffer_with_free_callback_cls(
                bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress),
                { context in
                    if let context { Unmanaged<Body>.fromOpaque(context).release() }
                }, kept.toOpaque())
        }
        if made == nil { kept.release() }
        return made
    }
}
