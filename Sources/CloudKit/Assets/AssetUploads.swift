import Foundation
import WebServices

/// Sends the files of records that are about to be saved in one zone, one after the other.
struct AssetUploads: Sendable {
    private struct Upload: Sendable {
        /// Which of the records.
        var record: Int
        var place: AssetPlace
        var file: LocalFile
    }

    private let records: [CKRecord]
    private var uploads: [Upload] = []

    /// The files of records, by the records' positions.
    ///
    /// - Parameters:
    ///   - records: Copies that nobody else changes.
    ///   - failures: Gets the records whose files are not there.
    init(_ records: [(position: Int, record: CKRecord)], _ keys: KeysToSend, failures: inout [Int: CKError]) {
        self.records = records.map(\.record)
        for (index, (position, record)) in records.enumerated() {
            do throws(CKError) {
                let found = try record.assetsToUpload(keys).map { place, asset throws(CKError) in
                    Upload(record: index, place: place, file: try LocalFile(asset.fileURL, named: place.key))
                }
                uploads += found
            } catch {
                failures[position] = error
            }
        }
    }

    var isEmpty: Bool { uploads.isEmpty }

    /// Sends the files and lets the records have what the server says of them.
    ///
    /// - Parameters:
    ///   - zoneID: The zone of all records.
    ///   - progress: Told of the position in `records` and the part of its bytes that has gone out.
    /// - Returns: The records, by their position, whose files could not be sent for a reason of their own.
    /// - Throws: What fails as a whole: no network, no account, no room.
    func perform(
        in zoneID: CKRecordZone.ID, _ session: DatabaseSession, progress: @escaping @Sendable (Int, Double) -> Void
    ) async throws(CKError) -> [Int: CKError] {
        var failures: [Int: CKError] = [:]
        var sent: [Int: Int64] = [:]
        let totals = uploads.reduce(into: [Int: Int64]()) { $0[$1.record, default: 0] += max($1.file.size, 1) }
        var rest = uploads[...]
        while !rest.isEmpty {
            // Few at a time, so that no address expires before its turn.
            let some = Array(rest.prefix(Self.addressesTogether))
            rest = rest.dropFirst(some.count)
            let addresses = try await addresses(for: some, zoneID, session)
            for (upload, address) in zip(some, addresses) where failures[upload.record] == nil {
                let before = sent[upload.record] ?? 0
                let total = Double(totals[upload.record] ?? 1)
                do throws(CKError) {
                    let asset = try await send(upload, to: address.url, session) { bytes in
                        // The whole is told when the record is saved.
                        progress(upload.record, min(Double(before + bytes) / total, 0.999))
                    }
                    records[upload.record].replace([
                        upload.place: CKAsset(descriptor: asset, fileURL: upload.file.url)
                    ])
                    sent[upload.record] = before + max(upload.file.size, 1)
                } catch {
                    guard error.concernsOneFile else { throw error }
                    failures[upload.record] = error
                }
            }
        }
        return failures
    }

    private static let addressesTogether = 50

    private func addresses(
        for uploads: [Upload], _ zoneID: CKRecordZone.ID, _ session: DatabaseSession
    ) async throws(CKError) -> [AssetsUpload.Address] {
        let tokens = uploads.map { upload in
            AssetsUpload.Token(
                recordName: records[upload.record].recordID.recordName,
                recordType: records[upload.record].recordType, fieldName: upload.place.key)
        }
        let request = AssetsUpload.Request(tokens: tokens, zoneID: ZoneID(zoneID))
        guard case .assetsUpload(let response) = try await session.answer(to: .assetsUpload(request)),
            response.tokens.count == tokens.count
        else { throw CKError.unexpectedAnswer }
        return response.tokens
    }

    private func send(
        _ upload: Upload, to url: String, _ session: DatabaseSession, progress: @escaping @Sendable (Int64) -> Void
    ) async throws(CKError) -> Asset {
        let asset = try await session.core.connection().sendFile(
            upload.file.url, to: url, options: session.options, progress: progress)
        try upload.file.checkUnchanged(named: upload.place.key)
        // A file whose bytes changed while its dates did not shows here.
        let isWhole =
            asset.size == upload.file.size
            && (!url.contains(AssetAddress.prefix) || FileChecksum.of(upload.file.url) == asset.fileChecksum)
        guard isWhole else { throw LocalFile.modified(upload.file.url, upload.place.key) }
        return asset
    }
}

extension CKError {
    /// Whether it says something about the file, rather than about network, account or server.
    fileprivate var concernsOneFile: Bool {
        switch code {
        case .assetFileNotFound, .assetFileModified, .assetNotAvailable, .limitExceeded, .invalidArguments,
            .serverRejectedRequest, .unknownItem, .permissionFailure:
            true
        default: false
        }
    }
}
