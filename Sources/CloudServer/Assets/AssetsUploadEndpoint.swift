import CloudStore
import SchemaLanguage
import WebServices

/// `POST assets/upload`: where to send files, for whoever may save them. [Apple:UploadAssets]
struct AssetsUploadEndpoint: ReadingEndpoint {
    private let request: AssetsUpload.Request

    init(_ request: AssetsUpload.Request) {
        self.request = request
    }

    func run(_ context: RequestContext, _ reader: ContainerReader) throws -> Answer {
        guard request.tokens.count <= context.limits.items else {
            throw ServerError.tooManyItems(request.tokens.count, limit: context.limits.items)
        }
        var zones = ZoneLookups()
        _ = try zones.zone(request.zoneID, context, reader)
        let zone = try context.zoneKey(for: request.zoneID)
        let owner = AssetOwner(zone)
        let schema = try context.schemas.schema(reader)
        let access = context.database == .public ? try PublicAccess(context, schema, reader) : nil
        try context.checkRoom(for: 1, of: owner, reader)
        let addresses = try request.tokens.map { token in
            try check(token, schema, access, context)
            let permit = UploadPermit(
                owner: owner, field: AssetField(recordType: token.recordType, name: token.fieldName),
                user: context.userRecordName, expires: context.now + context.configuration.assets.uploadLife)
            let path = AssetAddress.upload(
                container: context.container, environment: context.environment,
                token: permit.text(context.realm, context.secret))
            return AssetsUpload.Address(
                recordName: token.recordName ?? context.random.uuid(), fieldName: token.fieldName,
                url: context.root + path)
        }
        return .assetsUpload(AssetsUpload.Response(tokens: addresses))
    }

    /// What a save would refuse anyway is refused before a file travels in vain.
    private func check(
        _ token: AssetsUpload.Token, _ schema: Schema, _ access: PublicAccess?, _ context: RequestContext
    ) throws(ServerError) {
        if let name = token.recordName, name.utf8.count > Limits.nameLength {
            throw .badRequest("A record name has at most \(Limits.nameLength) bytes")
        }
        guard !token.recordType.isEmpty, token.recordType.utf8.count <= Limits.nameLength else {
            throw .badRequest("A record type's name has from 1 to \(Limits.nameLength) bytes")
        }
        let type = schema.type(named: token.recordType)
        if let field = type?.field(named: token.fieldName) {
            guard field.type == .asset || field.type == .assetList else {
                throw .badRequest(
                    "invalid attempt to set value type ASSETID for field '\(token.fieldName)' for type "
                        + "'\(token.recordType)', defined to be: \(field.typeName)")
            }
        } else {
            guard FieldRules.isFieldName(token.fieldName) else {
                throw .badRequest("Invalid field name '\(token.fieldName.prefix(Limits.nameLength))'")
            }
            guard context.mayGrowSchema else {
                throw type == nil
                    ? .badRequest("Did not find record type: \(token.recordType)")
                    : .badRequest("Field \(token.fieldName) not found in \(token.recordType)")
            }
        }
        guard let access else { return }
        // Who creates a record may write it.
        let granted = access.permissions(schema.grants(ofType: token.recordType), isCreator: access.user != nil)
        guard granted.contains(.create) || granted.contains(.write) else { throw .notPermitted("WRITE") }
    }
}

extension RequestContext {
    /// - Throws: `QUOTA_EXCEEDED` where an owner has no room for so many more bytes of files, those counted that no record
    ///   refers to yet.
    func checkRoom(for bytes: Int64, of owner: AssetOwner, _ reader: ContainerReader) throws {
        try configuration.checkRoom(for: bytes, of: owner, reader)
    }
}

extension ServerConfiguration {
    func checkRoom(for bytes: Int64, of owner: AssetOwner, _ reader: ContainerReader) throws {
        guard let quota = owner.scope == .private ? accountQuota : publicQuota else { return }
        let used = try reader.ownerUsage(scope: owner.scope, owner: owner.name)
        let unused = try reader.unusedAssetBytes(scope: owner.scope, owner: owner.name)
        guard used + unused + bytes <= quota else { throw ServerError(.quotaExceeded, "Quota exceeded") }
    }
}
