import Foundation
import WebServices

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension HTTPTransport {
    package func sendFile(
        _ file: URL, to url: String, limits: RequestLimits, progress: @escaping @Sendable (Int64) -> Void
    ) async throws(TransportError) -> Result<Asset, ServerError> {
        var request = try fileRequest(url, limits)
        request.httpMethod = "POST"
        request.setValue("application/octet-stream", forHTTPHeaderField: "Content-Type")
        let answer = try await files.transfers.send(file, request, on: files.session, progress: progress)
        do throws(ServerError) {
            return .success(try AssetsUpload.Receipt(body: answer.body).singleFile)
        } catch {
            return .failure(try refusal(error, answer))
        }
    }

    package func fetchFile(
        from url: String, to file: URL, limits: RequestLimits, progress: @escaping @Sendable (Int64) -> Void
    ) async throws(TransportError) -> Result<Int64, ServerError> {
        let request = try fileRequest(url, limits)
        let answer = try await files.transfers.fetch(request, to: file, on: files.session, progress: progress)
        if answer.status == 200 { return .success(answer.byteCount) }
        let error = (try? JSONDocument(parsing: answer.body).root).flatMap { ServerError($0) } ?? .unexpectedInput
        return .failure(try refusal(error, answer))
    }

    /// A server of ours is asked under the root that this client knows it by, and another one where it says.
    private func fileRequest(_ url: String, _ limits: RequestLimits) throws(TransportError) -> URLRequest {
        var address = url
        if let start = url.range(of: AssetAddress.prefix)?.lowerBound { address = rootPath + url[start...] }
        guard let url = URL(string: address) else { throw .unreachable("Not an address: \(address)") }
        var request = URLRequest(url: url, timeoutInterval: limits.timeout)
        request.allowsCellularAccess = limits.allowsCellularAccess
        return request
    }

    private func refusal(_ error: ServerError, _ answer: FileTransfers.Answer) throws(TransportError) -> ServerError {
        guard error == .unexpectedInput else { return error }
        throw .notUnderstood(
            status: answer.status, "The address of a file answered \(answer.status) with something that is no file")
    }
}
