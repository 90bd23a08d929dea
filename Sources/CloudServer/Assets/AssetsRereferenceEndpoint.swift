import CloudStore
import SchemaLanguage
import WebServices

/// `POST assets/rereference`: receipts for assets of records that the caller may read. One bad entry fails all of it.
/// [Apple:RereferenceAssets]
struct AssetsRereferenceEndpoint: ReadingEndpoint {
    private let request: AssetsRereference.Request

    init(_ request: AssetsRereference.Request) {
        self.request = request
    }

    func run(_ context: RequestContext, _ reader: ContainerReader) throws -> Answer {
        guard request.assets.count <= context.limits.items else {
            throw ServerError.tooManyItems(request.assets.count, limit: context.limits.items)
        }
        var zones = ZoneLookups()
        let zone = try zones.zone(request.zoneID, context, reader)
        let targetID = request.targetZoneID ?? request.zoneID
        _ = try zones.zone(targetID, context, reader)
        let source = AssetOwner(try context.zoneKey(for: request.zoneID))
        let target = AssetOwner(try context.zoneKey(for: targetID))
        // A file belongs to one owner's zones; between owners it has to travel.
        guard source == target else {
            throw ServerError.badRequest("An asset cannot be shared with records of another owner's zones")
        }
        let schema = try context.schemas.schema(reader)
        let access = context.database == .public ? try PublicAccess(context, schema, reader) : nil
        var assets: [Asset] = []
        for item in request.assets {
            guard let zone, let row = try reader.record(zone: zone.id, name: item.recordName), !row.deleted,
                access.map({ $0.permissions(for: row, schema).contains(.read) }) ?? true
            else {
                throw ServerError.badRequest("Record '\(item.recordName.prefix(Limits.nameLength))' not found")
            }
            let fields = Fields(stored: row.body) ?? Fields()
            let found = fields.entry(named: item.fieldName).map(fields.assets) ?? []
            guard !found.isEmpty else {
                throw ServerError.badRequest(
                    "Record '\(row.name)' has no asset in field '\(item.fieldName.prefix(Limits.nameLength))'")
            }
            for stored in found {
                let receipt = AssetReceipt(
                    asset: stored.id, size: stored.size, checksum: stored.checksum, owner: target, field: nil,
                    user: context.userRecordName)
                assets.append(receipt.descriptor(context.realm, context.secret))
            }
        }
        return .assetsRereference(AssetsRereference.Response(assets: assets))
    }
}

extension AssetReceipt {
    /// The descriptor that a record is saved with. Its last two members are for clients whose models have them: files
    /// are not encrypted apart here.
    func descriptor(_ realm: PushRealm, _ secret: ServerSecret) -> Asset {
        let code = secret.code(.asset, [0] + asset)
        return Asset(
            fileChecksum: checksum, size: size, receipt: text(realm, secret),
            referenceChecksum: Base64.encode([1] + code.prefix(20)), wrappingKey: Base64.encode(code.suffix(16)))
    }
}
