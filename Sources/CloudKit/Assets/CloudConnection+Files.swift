import Foundation
import WebServices

extension CloudConnection {
    /// Sends a file to an address that `assets/upload` gave, after as many attempts as the policy allows.
    func sendFile(
        _ file: URL, to url: String, options: RequestOptions, progress: @escaping @Sendable (Int64) -> Void
    ) async throws(CKError) -> Asset {
        try await retrying(options) { () async throws(CKError) in
            try await self.fileAnswer { () async throws(TransportError) in
                try await self.transport.sendFile(file, to: url, limits: options.limits, progress: progress)
            }
        }
    }

    /// Fetches a file from the address of an asset.
    ///
    /// - Returns: How many bytes it has.
    func fetchFile(
        from url: String, to file: URL, options: RequestOptions, progress: @escaping @Sendable (Int64) -> Void
    ) async throws(CKError) -> Int64 {
        try await retrying(options) { () async throws(CKError) in
            try await self.fileAnswer { () async throws(TransportError) in
                try await self.transport.fetchFile(from: url, to: file, limits: options.limits, progress: progress)
            }
        }
    }

    private func fileAnswer<Value>(
        _ body: () async throws(TransportError) -> Result<Value, ServerError>
    ) async throws(CKError) -> Value {
        let result: Result<Value, ServerError>
        do throws(TransportError) {
            result = try await body()
        } catch {
            // Sending a file twice does no harm.
            throw CKError(error, changesState: false)
        }
        do throws(ServerError) { return try result.get() } catch { throw CKError(error) }
    }
}
