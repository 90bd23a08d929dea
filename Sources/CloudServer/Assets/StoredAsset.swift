import CloudStore
import WebServices

/// What a record keeps of an asset: checksum, size and, in the place of the receipt, the id of the asset's row.
///
/// Where to fetch it is worked out for each reader, never stored.
struct StoredAsset: Hashable, Sendable {
    var id: [UInt8]
    var checksum: String
    var size: Int64

    init(_ receipt: AssetReceipt) {
        id = receipt.asset
        checksum = receipt.checksum
        size = receipt.size
    }

    /// nil for what no upload made.
    init?(_ asset: Asset) {
        guard let text = asset.receipt, let id = Base64.decode(text), id.count == AssetRow.idLength else { return nil }
        self.id = id
        checksum = asset.fileChecksum
        size = asset.size
    }

    var asset: Asset { Asset(fileChecksum: checksum, size: size, receipt: Base64.encode(id)) }

    /// The wire's `fileChecksum`: base64 of a version and 20 bytes that stand for the content.
    static func checksum(digest: [UInt8]) -> String { Base64.encode([1] + digest.prefix(20)) }
}

extension Fields {
    /// Whether looking for assets is worth it.
    var holdAssets: Bool { contains { $0.kind == Kind(.asset) || $0.kind == Kind(.assetList) } }

    /// The stored assets of one field.
    func assets(of entry: Entry) -> [StoredAsset] {
        guard entry.kind == Kind(.asset) || entry.kind == Kind(.assetList) else { return [] }
        return switch value(of: entry) {
        case .asset(let asset): StoredAsset(asset).map { [$0] } ?? []
        case .list(let elements, _):
            elements.compactMap { if case .asset(let asset) = $0 { StoredAsset(asset) } else { nil } }
        default: []
        }
    }

    /// All stored assets, each once.
    var assets: Set<StoredAsset> {
        var all: Set<StoredAsset> = []
        for entry in self { all.formUnion(assets(of: entry)) }
        return all
    }

    /// What a record's files count as, for quotas and sums.
    var assetBytes: Int64 { holdAssets ? assets.reduce(0) { $0 &+ $1.size } : 0 }

    /// The fields with each asset in another form.
    func mappingAssets(_ transform: (Asset) -> Asset) -> Fields {
        guard holdAssets else { return self }
        var builder = FieldsBuilder(capacity: jsonLength * 2)
        for entry in self {
            switch value(of: entry, if: entry.kind == Kind(.asset) || entry.kind == Kind(.assetList)) {
            case .asset(let asset):
                builder.append(name(of: entry), .asset(transform(asset)))
            case .list(let elements, let type):
                let changed = elements.map { element in
                    if case .asset(let asset) = element { FieldValue.asset(transform(asset)) } else { element }
                }
                builder.append(name(of: entry), .list(changed, of: type))
            default:
                builder.append(copying: entry, of: self)
            }
        }
        return builder.finish()
    }

    private func value(of entry: Entry, if isWanted: Bool) -> FieldValue? { isWanted ? value(of: entry) : nil }
}

extension RequestContext {
    var realm: PushRealm { PushRealm(container: container, environment: environment) }

    /// The fields as their reader gets them: with addresses to fetch files from, good for a while and for this reader.
    func withAddresses(_ fields: Fields, of row: RecordRow, in zone: ZoneKey) -> Fields {
        fields.mappingAssets { stored in
            guard let known = StoredAsset(stored) else { return stored }
            let pass = DownloadPass(
                asset: known.id, scope: zone.scope, zone: row.zone, record: row.id, reader: caller.user?.recordName,
                expires: now + configuration.assets.downloadLife)
            var asset = stored
            asset.receipt = nil
            asset.downloadURL =
                root
                + AssetAddress.download(
                    container: container, environment: environment, token: pass.text(realm, secret))
            return asset
        }
    }
}
