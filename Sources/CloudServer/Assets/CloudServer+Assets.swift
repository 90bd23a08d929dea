import CloudStore
import Dispatch
import Foundation
import Glibc
import SchemaLanguage
import WebServices

/// An address of a file: `/stratus/assets/{upload|file}/{container}/{environment}/{token}[/{name}]`.
package struct AssetPath: Hashable, Sendable {
    package enum Action: Sendable { case upload, download }

    package var action: Action
    package var container: String
    package var environment: CloudEnvironment
    package var token: String
    /// The name that the client put in the place of `${f}`.
    package var fileName: String?

    /// - Parameter components: of the path, percent-decoded.
    package init?(_ components: [String]) {
        guard components.count >= 6, components[0] == "stratus", components[1] == "assets",
            let environment = CloudEnvironment(rawValue: components[4])
        else { return nil }
        switch (components[2], components.count) {
        case (AssetAddress.uploadAction, 6): action = .upload
        case (AssetAddress.downloadAction, 7): action = .download
        default: return nil
        }
        container = components[3]
        self.environment = environment
        token = components[5]
        fileName = components.count == 7 ? components[6] : nil
    }

    var realm: PushRealm { PushRealm(container: container, environment: environment) }
    var tenant: Tenant { Tenant(container: container, environment: environment.rawValue) }
}

// MARK: - Sending

extension CloudServer {
    /// Begins to take a file, for whoever was given the address.
    ///
    /// - Parameter contentType: of the body; what is wrapped in `multipart/form-data` is unwrapped.
    func beginUpload(_ path: AssetPath, contentType: String? = nil) throws -> AssetUpload {
        guard path.action == .upload, let permit = UploadPermit(path.token, path.realm, secret) else {
            throw ServerError(.notFound, "There is no such upload address")
        }
        guard permit.expires > clock.now() else {
            throw ServerError(.accessDenied, "The upload address has expired", extensionCode: .assetNotAvailable)
        }
        let started = clock.ticks()
        try checkLoad(path.tenant, now: started)
        let place = try uploads.place(for: .init(tenant: path.tenant, user: permit.user))
        return try AssetUpload(
            permit, path.realm, try openContainer(path.container, path.environment), contentType: contentType,
            started: started, place, meter: meter(of: path.tenant))
    }

    /// Measures what work costs, for the tenant whose it is.
    private func meter(of tenant: Tenant) -> AssetUpload.Meter {
        AssetUpload.Meter(ticks: clock.ticks) { [weak self] in self?.spent($0, tenant) }
    }

    /// Keeps a file that has come whole. Blocks until it is on the disk.
    ///
    /// - Returns: the value of its field.
    func finish(_ upload: AssetUpload) throws -> Asset {
        try upload.meter.measure { try keep(upload) }
    }

    private func keep(_ upload: AssetUpload) throws -> Asset {
        let digest = try upload.digest()
        let size = upload.file.size
        guard size <= configuration.assets.maximumSize else { throw tooLarge() }
        let (owner, container) = (upload.permit.owner, upload.container)
        let id = random.bytes(AssetRow.idLength)
        let row = AssetRow(
            id: id, scope: owner.scope, owner: owner.name, digest: digest, size: size,
            expires: clock.now() + configuration.assets.unusedLife)
        // A file comes before its row, so that a crash leaves no row without one.
        try container.assets.keep(upload.file, as: id)
        let kept: AssetRow
        do {
            let configuration = configuration
            kept = try container.writeAndWait { writer in
                if try writer.asset(scope: owner.scope, owner: owner.name, digest: digest) == nil {
                    try configuration.checkRoom(for: size, of: owner, writer)
                }
                return try writer.insertAsset(row)
            }
        } catch {
            container.assets.remove([id])
            throw error
        }
        if kept.id != id {
            // The same content was there. Should its file have been lost, here it is again.
            if try container.assets.contains(kept.id) {
                container.assets.remove([id])
            } else {
                try container.assets.move(id, to: kept.id)
            }
        }
        let receipt = AssetReceipt(
            asset: kept.id, size: size, checksum: StoredAsset.checksum(digest: digest), owner: owner,
            field: upload.permit.field, user: upload.permit.user)
        return receipt.descriptor(upload.realm, secret)
    }

    func tooLarge() -> ServerError {
        .badRequest("A file has at most \(configuration.assets.maximumSize) bytes", .limitExceeded)
    }

    /// What a failure of the folder means for whoever sends a file.
    func uploadError(_ error: any Error) -> ServerError {
        guard let failure = error as? StoreError, failure.kind == .full else { return serverError(error, "an upload") }
        let uuid = random.uuid()
        log.write(.error, "an upload failed: \(failure) [\(uuid)]")
        return ServerError(.tryAgainLater, "The server has no room for files just now.", retryAfter: 60, uuid: uuid)
    }
}

// MARK: - Fetching

/// A file that somebody may read now.
struct ReadableAsset {
    /// The reader's to close.
    var descriptor: Int32
    var size: Int64
    /// Hexadecimal digits of the content's hash.
    var tag: String
    /// Milliseconds until the address is good no more.
    var remaining: Int64
    var reader: String?
}

extension CloudServer {
    /// Opens a file for whoever was given the address, if that person may still read where it is from.
    func openAsset(_ path: AssetPath) throws -> ReadableAsset {
        guard path.action == .download, let pass = DownloadPass(path.token, path.realm, secret) else {
            throw ServerError(.notFound, "There is no such file", extensionCode: .assetNotAvailable)
        }
        let now = clock.now()
        guard pass.expires > now else {
            throw ServerError(
                .accessDenied, "The address of the file has expired: fetch the record again",
                extensionCode: .assetNotAvailable)
        }
        let began = clock.ticks()
        try checkLoad(path.tenant, now: began)
        defer { spent(clock.ticks() &- began, path.tenant) }
        let container = try openContainer(path.container, path.environment)
        let schemas = schemas.cache(of: container)
        let row = try container.read { reader -> AssetRow? in
            guard try mayRead(pass, reader, schemas) else { return nil }
            return try reader.asset(pass.asset)
        }
        guard let row else {
            throw ServerError(.notFound, "There is no such file", extensionCode: .assetNotAvailable)
        }
        guard let descriptor = try container.assets.open(row.id) else {
            let uuid = random.uuid()
            log.write(.error, "the file of an asset is missing: \(Hex.encode(row.id)) in \(path.container) [\(uuid)]")
            throw ServerError(
                .notFound, "The file is missing on the server", extensionCode: .assetNotAvailable, uuid: uuid)
        }
        return ReadableAsset(
            descriptor: descriptor, size: row.size, tag: Hex.encode(row.digest), remaining: pass.expires - now,
            reader: pass.reader)
    }

    /// Counts the sending of so many bytes to their tenant. The kernel sends them, so nobody measures it: a gigabyte in a
    /// second is what one processor sends.
    func spentSending(_ bytes: Int64, _ path: AssetPath) {
        spent(UInt64(max(bytes, 0)), path.tenant)
    }

    /// An address outlives no permission: a zone that is gone, a role that was taken away. A private record that was
    /// changed or deleted since still shows its owner the file that the address was for.
    private func mayRead(_ pass: DownloadPass, _ reader: ContainerReader, _ schemas: SchemaCache) throws -> Bool {
        switch pass.scope {
        case .private:
            guard let zone = try reader.zone(id: pass.zone) else { return false }
            return zone.key.owner == pass.reader
        case .public:
            guard let row = try reader.record(zone: pass.zone, id: pass.record), !row.deleted else { return false }
            let schema = try schemas.schema(reader)
            return try PublicAccess(user: pass.reader, schema, reader).permissions(for: row, schema).contains(.read)
        }
    }

    private func openContainer(_ container: String, _ environment: CloudEnvironment) throws -> ContainerStore {
        try openContainer(
            Call(container: container, environment: environment, database: .private, operation: .zonesList))
    }
}

// MARK: - In the same process

extension CloudServer {
    /// Takes a file of this machine, as though it had come over HTTP.
    ///
    /// - Parameter progress: told of bytes so far.
    package func receiveFile(
        at file: String, sentTo url: String, progress: (Int64) -> Void
    ) -> Result<Asset, ServerError> {
        do {
            let upload = try beginUpload(try Self.path(of: url))
            let descriptor = open(file, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw ServerError.badRequest("The file cannot be read") }
            defer { close(descriptor) }
            var sent: Int64 = 0
            try Self.copy(from: descriptor) { part in
                sent += Int64(part.count)
                if sent > configuration.assets.maximumSize { throw tooLarge() }
                _ = upload.write(part)
                progress(sent)
            }
            return .success(try finish(upload))
        } catch {
            return .failure(uploadError(error))
        }
    }

    /// Copies a file to a new one of this machine, as though it had gone over HTTP.
    package func sendFile(from url: String, to file: String, progress: (Int64) -> Void) -> Result<Int64, ServerError> {
        do {
            let path = try Self.path(of: url)
            let asset = try openAsset(path)
            defer { close(asset.descriptor) }
            spentSending(asset.size, path)
            let target = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
            guard target >= 0 else { throw ServerError.badRequest("The file cannot be written") }
            defer { close(target) }
            var sent: Int64 = 0
            try Self.copy(from: asset.descriptor) { part in
                guard write(target, part.baseAddress, part.count) == part.count else {
                    throw ServerError.badRequest("The file cannot be written")
                }
                sent += Int64(part.count)
                progress(sent)
            }
            return .success(sent)
        } catch {
            return .failure(serverError(error, "a download"))
        }
    }

    private static func path(of url: String) throws(ServerError) -> AssetPath {
        let start = url.range(of: AssetAddress.prefix)?.lowerBound ?? url.startIndex
        guard let path = AssetPath(url[start...].split(separator: "/").map(String.init)) else {
            throw ServerError(.notFound, "There is no such file", extensionCode: .assetNotAvailable)
        }
        return path
    }

    private static func copy(from descriptor: Int32, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        var buffer = [UInt8](repeating: 0, count: 256 << 10)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count >= 0 else { throw ServerError(.internalError, "The file cannot be read") }
            if count == 0 { return }
            try buffer.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0.prefix(count))) }
        }
    }
}
