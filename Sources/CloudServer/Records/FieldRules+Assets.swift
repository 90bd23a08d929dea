import CloudStore
import WebServices

// A record refers to files that were sent for it, and to those that it has already; never to one that a client made up.
extension FieldRules {
    /// What is kept of a descriptor.
    ///
    /// - Parameter stored: the record's fields as they are.
    func kept(_ asset: Asset, named name: String) throws(ServerError) -> Asset {
        if let text = asset.receipt, let receipt = AssetReceipt(text, context.realm, context.secret) {
            let field = AssetField(recordType: recordType, name: name)
            guard receipt.owner == owner, receipt.user == context.userRecordName, receipt.field ?? field == field,
                receipt.checksum == asset.fileChecksum, receipt.size == asset.size
            else { throw .foreignReceipt(name, recordType) }
            return StoredAsset(receipt).asset
        }
        // A descriptor as it was read says which of the field's files stays.
        if let entry = stored.entry(named: name),
            let same = stored.assets(of: entry).first(where: {
                $0.checksum == asset.fileChecksum && $0.size == asset.size
            })
        {
            return same.asset
        }
        throw .foreignReceipt(name, recordType)
    }
}

extension ServerError {
    fileprivate static func foreignReceipt(_ field: String, _ type: String) -> ServerError {
        .badRequest(
            "Invalid receipt in the asset of field '\(field)' in record type '\(type)': upload the file, or rereference it, "
                + "for this field")
    }

    static func missingAsset(_ record: String) -> ServerError {
        .badRequest(
            "A file of record '\(record)' was not saved in time and is gone: upload it again", .assetNotAvailable)
    }
}
