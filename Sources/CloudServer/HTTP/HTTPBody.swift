import Glibc

/// Where a request's body goes as it arrives.
package enum HTTPBodyDestination: Sendable {
    /// Into the request.
    case memory
    /// Into a sink, at most so many bytes of it.
    case sink(any HTTPBodySink, limit: Int)
    /// Nowhere: this is the answer, and the connection ends with it.
    case refusal(HTTPResponse)
}

/// Takes a body piece by piece, on the thread of its connection. The request brings it to the handler when the body is
/// whole; a request that breaks off just lets go of it, and what it holds has to go with it.
package protocol HTTPBodySink: AnyObject, Sendable {
    /// False when it can take no more. The rest of the body is let pass, and the handler is called all the same.
    func write(_ part: UnsafeRawBufferPointer) -> Bool
}

/// A part of an open file: the body of an answer that never lies in memory.
package final class HTTPFile: Sendable {
    let descriptor: Int32
    let offset: Int64
    package let length: Int64

    /// - Parameter descriptor: of a regular file; becomes this object's, which closes it.
    package init(descriptor: Int32, offset: Int64, length: Int64) {
        self.descriptor = descriptor
        self.offset = offset
        self.length = length
    }

    deinit { close(descriptor) }
}
