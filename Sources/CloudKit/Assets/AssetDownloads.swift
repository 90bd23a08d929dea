import Foundation
import WebServices

extension DatabaseSession {
    /// The records of an answer with the files of their assets, each a file of its own.
    ///
    /// A record whose file cannot be fetched fails alone.
    /// - Parameters:
    ///   - progress: Told of the position and the part of its files' bytes that has come.
    /// - Throws: `.operationCancelled`, since then most files are missing.
    func records(
        from results: [RecordResult], in zoneIDs: [CKRecordZone.ID], currentUser: String?,
        progress: (@Sendable (Int, Double) -> Void)? = nil
    ) async throws(CKError) -> [Result<CKRecord, CKError>] {
        var records = zip(results, zoneIDs).map { $0.record(in: $1, currentUser: currentUser) }
        let withFiles = records.indices.filter { (try? records[$0].get())?.hasFilesToFetch ?? false }
        if withFiles.isEmpty { return records }
        await withTaskGroup(of: (Int, Result<CKRecord, CKError>).self) { group in
            var waiting = withFiles[...]
            func begin() {
                guard let index = waiting.popFirst(), case .success(let record) = records[index] else { return }
                group.addTask {
                    do throws(CKError) {
                        return (index, .success(try await complete(record, currentUser) { progress?(index, $0) }))
                    } catch {
                        return (index, .failure(error))
                    }
                }
            }
            for _ in 0..<Self.fetchesTogether { begin() }
            for await (index, result) in group {
                records[index] = result
                begin()
            }
        }
        guard !Task.isCancelled else { throw CKError(.operationCancelled, reason: "The operation was cancelled") }
        return records
    }

    /// The record with its files. Addresses are good for a while only, and a page of large files may take longer: then the
    /// record is asked for again, in whatever state it is by now.
    private func complete(
        _ record: CKRecord, _ currentUser: String?, progress: @escaping @Sendable (Double) -> Void
    ) async throws(CKError) -> CKRecord {
        do throws(CKError) {
            try await fetchFiles(of: record, progress: progress)
            return record
        } catch {
            guard error.code == .assetNotAvailable else { throw error }
            let zoneID = record.recordID.zoneID
            let request = RecordsLookup.Request(
                records: [RecordsLookup.Item(recordName: record.recordID.recordName)], zoneID: ZoneID(zoneID),
                desiredKeys: record.allKeys())
            guard case .recordsLookup(let response) = try await answer(to: .recordsLookup(request)),
                case .success(let again)? = response.records.first?.record(in: zoneID, currentUser: currentUser)
            else { throw error }
            try await fetchFiles(of: again, progress: progress)
            return again
        }
    }

    /// Files of so many records come at once.
    private static let fetchesTogether = 4

    /// Fetches the files of a record that nobody else has yet.
    func fetchFiles(of record: CKRecord, progress: @escaping @Sendable (Double) -> Void) async throws(CKError) {
        let missing = record.assets().filter { $0.asset.isToBeFetched }
        let total = Double(max(missing.reduce(0) { $0 + ($1.asset.descriptor?.size ?? 0) }, 1))
        var came: Int64 = 0
        var fetched: [AssetPlace: CKAsset] = [:]
        for (place, asset) in missing {
            guard let descriptor = asset.descriptor, let url = descriptor.downloadURL else { continue }
            let before = came
            let file = try await fetch(descriptor, from: url) { bytes in
                progress(min(Double(before + bytes) / total, 0.999))
            }
            came += descriptor.size
            fetched[place] = CKAsset(descriptor: descriptor, fileURL: file)
        }
        record.replace(fetched)
    }

    private func fetch(
        _ asset: Asset, from url: String, progress: @escaping @Sendable (Int64) -> Void
    ) async throws(CKError) -> URL {
        let file = try AssetCache.shared.newFile()
        do throws(CKError) {
            // The name is the client's to choose; the server's own would say nothing.
            let address = url.replacingOccurrences(of: AssetAddress.namePlaceholder, with: file.lastPathComponent)
            let size = try await core.connection().fetchFile(
                from: address, to: file, options: options, progress: progress)
            let isWhole =
                size == asset.size
                && (!url.contains(AssetAddress.prefix) || FileChecksum.of(file) == asset.fileChecksum)
            guard isWhole else {
                throw CKError(.assetNotAvailable, reason: "The file that came is not the one that was saved")
            }
            return file
        } catch {
            try? FileManager.default.removeItem(at: file)
            throw error
        }
    }
}

extension CKRecord {
    fileprivate var hasFilesToFetch: Bool { assets().contains { $0.asset.isToBeFetched } }
}

extension CKAsset {
    fileprivate var isToBeFetched: Bool { fileURL == nil && descriptor?.downloadURL != nil }
}
