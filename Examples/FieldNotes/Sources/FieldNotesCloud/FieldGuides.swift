import CloudKit
import FieldNotesModel
import Foundation

/// A notebook that somebody published for everybody to read.
public struct FieldGuide: Sendable, Equatable, Identifiable {
    /// The name of its record.
    public let id: String
    public var title: String
    public var noteTitles: [String]
    public var placeNames: [String]
}

/// Field guides in the app's public database. Reading them needs no account.
public struct FieldGuides: Sendable {
    private let container: CKContainer
    private var database: CKDatabase { container.publicCloudDatabase }

    public init(container: CKContainer = CKContainer(identifier: NoteStore.containerIdentifier)) {
        self.container = container
    }

    /// Publishes a notebook, or its newest state where this person has published it before.
    ///
    /// - Throws: `SyncError.noAccount`, or a `CKError`.
    @discardableResult
    public func publish(_ notebook: String, notes: [Note], cover: URL? = nil) async throws -> FieldGuide {
        guard try await container.accountStatus() == .available else { throw SyncError.noAccount }
        let recordID = try await published(notebook) ?? CKRecord.ID(recordName: UUID().uuidString)
        let record = CKRecord(recordType: "FieldGuide", recordID: recordID)
        record["title"] = notebook
        // An empty list has no type, and a field without a type cannot come into being.
        record["noteTitles"] = notes.isEmpty ? nil : notes.map(\.title)
        let places = notes.compactMap(\.place).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        record["placeNames"] = places.isEmpty ? nil : places
        if let cover { record["cover"] = CKAsset(fileURL: cover) }
        let (results, _) = try await database.modifyRecords(saving: [record], deleting: [], savePolicy: .changedKeys)
        return FieldGuide(record: try results[recordID]?.get() ?? record)
    }

    /// The newest guides that mention a place.
    public func mentioning(_ place: String) async throws -> [FieldGuide] {
        let query = CKQuery(recordType: "FieldGuide", predicate: NSPredicate(format: "placeNames CONTAINS %@", place))
        query.sortDescriptors = [NSSortDescriptor(key: "creationDate", ascending: false)]
        return try await guides(query, desiredKeys: ["title", "noteTitles", "placeNames"])
    }

    /// Copies a guide's cover image to a file.
    ///
    /// - Returns: Whether it has one.
    public func saveCover(of guide: FieldGuide.ID, to file: URL) async throws -> Bool {
        let found = try await database.records(for: [CKRecord.ID(recordName: guide)], desiredKeys: ["cover"])
        let record = try found[CKRecord.ID(recordName: guide)]?.get()
        guard let image = (record?["cover"] as? CKAsset)?.fileURL else { return false }
        try FileManager.default.copyItem(at: image, to: file)
        return true
    }

    /// The record of a notebook that this person has published.
    private func published(_ notebook: String) async throws -> CKRecord.ID? {
        let user = try await container.userRecordID()
        let query = CKQuery(
            recordType: "FieldGuide",
            predicate: NSPredicate(
                format: "title == %@ AND creatorUserRecordID == %@", notebook,
                CKRecord.Reference(recordID: user, action: .none)))
        return try await guides(query, desiredKeys: []).first.map { CKRecord.ID(recordName: $0.id) }
    }

    private func guides(_ query: CKQuery, desiredKeys: [String]) async throws -> [FieldGuide] {
        do {
            let (results, _) = try await database.records(matching: query, desiredKeys: desiredKeys, resultsLimit: 25)
            return results.compactMap { try? $0.1.get() }.map(FieldGuide.init(record:))
        } catch let error as CKError where error.code == .unknownItem {
            // Nobody has published anything, so there is no such record type yet.
            return []
        }
    }
}

extension FieldGuide {
    fileprivate init(record: CKRecord) {
        self.init(
            id: record.recordID.recordName, title: record["title"] as? String ?? "",
            noteTitles: record["noteTitles"] as? [String] ?? [], placeNames: record["placeNames"] as? [String] ?? [])
    }
}
