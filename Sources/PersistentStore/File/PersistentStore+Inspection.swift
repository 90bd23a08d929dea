import Foundation
import SQL

extension PersistentStore {
    /// What a store's file says of itself, whoever made it.
    package struct Inspection: Sendable {
        package var identifier: String
        /// The model that the file was made for: its own word where it has it, else what its tables tell. There, columns of
        /// subentities are their root's, names are lower-cased, and a to-one that may lead to one entity only is a number.
        package var model: StoreModel
        /// The file has the model in this module's own form.
        package var namesItsModel: Bool
        package var versionIdentifiers: [String]
    }

    /// Reads a file's description without changing anything; nil when there is no file or it is empty.
    package static func inspect(_ url: URL) throws -> Inspection? {
        guard FileManager.default.fileExists(atPath: url.path) else { return nil }
        var options = PersistentStoreOptions()
        options.isReadOnly = true
        let session = try StoreDatabase.open(
            url.path, options, ExternalFiles(storeAt: url), forReading: false)
        defer {
            session.forgetStatements()
            session.connection.close()
        }
        return try inspect(session)
    }

    private static func inspect(_ session: StoreSession) throws(PersistentStoreError) -> Inspection? {
        let structure = try FileStructure(reading: session)
        guard !structure.tables.isEmpty else { return nil }
        try StoreContents.check(structure, path: session.path)
        var identifier = ""
        var list: Data?
        try session.rows("SELECT Z_UUID, Z_PLIST FROM Z_METADATA") { row in
            identifier = row.optionalText(0) ?? identifier
            list = Data(row.blob(1))
        }
        let properties = list.flatMap { try? PropertyListSerialization.propertyList(from: $0, format: nil) }
        let versions =
            (properties as? [String: Any])?["NSStoreModelVersionIdentifiers"] as? [String] ?? []
        if let model = try session.storedModel() {
            return Inspection(
                identifier: identifier, model: model, namesItsModel: true, versionIdentifiers: model.versionIdentifiers)
        }
        let reading = try FileModel(
            session: session, structure: structure, numbers: try session.entityNumbers())
        let model = reading.model()
        try StoreContents.check(model, path: session.path)
        return Inspection(
            identifier: identifier, model: model, namesItsModel: false, versionIdentifiers: versions)
    }
}
