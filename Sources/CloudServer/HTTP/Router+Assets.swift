import CloudStore
import Glibc
import WebServices

/// Files: `POST` or `PUT /stratus/assets/upload/…`, `GET /stratus/assets/file/…/{name}`. An address is a secret of its own,
/// so any page may use it.
extension Router {
    private static let anyOrigin: [(String, String)] = [
        ("Access-Control-Allow-Origin", "*"), ("X-Content-Type-Options", "nosniff"),
    ]

    /// Where a request's body goes: `HTTPServerConfiguration.bodyDestination`.
    package func bodyDestination(_ request: HTTPRequest) -> HTTPBodyDestination {
        guard let path = AssetPath(request.pathComponents), path.action == .upload,
            request.method == "POST" || request.method == "PUT"
        else { return .memory }
        do {
            // A little more for what multipart/form-data wraps around it.
            let limit = Int(clamping: server.configuration.assets.maximumSize)
            let isWrapped = MultipartBody(contentType: request.headers["Content-Type"]) != nil
            let upload = try server.beginUpload(path, contentType: request.headers["Content-Type"])
            return .sink(upload, limit: isWrapped ? limit + (4 << 10) : limit)
        } catch {
            return .refusal(refused(server.uploadError(error), path, "upload"))
        }
    }

    func asset(_ request: HTTPRequest, _ respond: @escaping @Sendable (HTTPResponse) -> Void) {
        guard let path = AssetPath(request.pathComponents) else { return respond(noHandler(Self.anyOrigin)) }
        let methods = path.action == .upload ? ["POST", "PUT"] : ["GET", "HEAD"]
        if request.method == "OPTIONS" { return respond(options(methods, Self.anyOrigin)) }
        guard methods.contains(request.method) else {
            return respond(wrongMethod(methods + ["OPTIONS"], Self.anyOrigin))
        }
        switch path.action {
        case .upload: upload(request, path, respond)
        case .download: respond(download(request, path))
        }
    }

    // MARK: - Sending

    private func upload(
        _ request: HTTPRequest, _ path: AssetPath, _ respond: @escaping @Sendable (HTTPResponse) -> Void
    ) {
        let upload: AssetUpload
        do {
            // An HTTP server without sinks has the body in memory, within its limit.
            upload =
                try request.bodySink as? AssetUpload
                ?? server.beginUpload(path, contentType: request.headers["Content-Type"])
            if request.bodySink == nil { request.body.withUnsafeBytes { _ = upload.write($0) } }
        } catch {
            return respond(refused(server.uploadError(error), path, "upload"))
        }
        server.keeping.add(path.tenant) { [self] in
            do {
                let body = AssetsUpload.Receipt(singleFile: try server.finish(upload)).encode()
                server.noteAsset(
                    "upload", path, user: upload.permit.user, started: upload.started, requestBytes: upload.file.size)
                respond(.json(body, headers: Self.anyOrigin))
            } catch {
                respond(refused(server.uploadError(error), path, "upload"))
            }
        }
    }

    // MARK: - Fetching

    private func download(_ request: HTTPRequest, _ path: AssetPath) -> HTTPResponse {
        let started = server.clock.ticks()
        do {
            let asset = try server.openAsset(path)
            let headers =
                Self.anyOrigin + [
                    ("Content-Type", "application/octet-stream"),
                    ("Content-Disposition", Self.disposition(path.fileName)),
                    ("Cache-Control", "private, max-age=\(max(asset.remaining / 1000, 0))"),
                    ("Access-Control-Expose-Headers", "Content-Range, ETag"),
                ]
            let answer = HTTPResponse.file(request, size: asset.size, tag: asset.tag, headers: headers) {
                HTTPFile(descriptor: dup(asset.descriptor), offset: $0, length: $1)
            }
            close(asset.descriptor)
            server.spentSending(request.method == "HEAD" ? 0 : answer?.file?.length ?? 0, path)
            guard let answer else { throw ServerError(.tryAgainLater, "The file cannot be opened now", retryAfter: 1) }
            server.noteAsset(
                "file", path, user: asset.reader ?? "", started: started, responseBytes: answer.file?.length ?? 0,
                status: answer.status)
            return answer
        } catch {
            return refused(server.serverError(error, "a download"), path, "file")
        }
    }

    /// The name that the client chose, as far as it can stand in a header.
    private static func disposition(_ name: String?) -> String {
        let plain = (name ?? "").utf8.prefix(Limits.nameLength).map { byte -> UInt8 in
            byte.isASCIILetter || byte.isASCIIDigit || [UInt8]("._- ".utf8).contains(byte) ? byte : UInt8(ascii: "_")
        }
        return "attachment; filename=\"\(String(decoding: plain, as: UTF8.self))\""
    }

    private func refused(_ error: ServerError, _ path: AssetPath, _ action: String) -> HTTPResponse {
        let response = failure(error, headers: Self.anyOrigin)
        server.noteAsset(action, path, user: "", started: server.clock.ticks(), status: response.status, error: error)
        return response
    }
}
