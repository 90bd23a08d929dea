import Synchronization
import WebServices

/// Where an asset stands in a record.
struct AssetPlace: Hashable, Sendable {
    var key: String
    /// In a list.
    var position: Int?
}

extension CKRecord {
    /// The assets among values of some keys; nil for all keys.
    func assets(of keys: Set<String>? = nil) -> [(place: AssetPlace, asset: CKAsset)] {
        let values = state.withLock { $0.plain.values }
        var found: [(AssetPlace, CKAsset)] = []
        for (key, value) in values.sorted(by: { $0.key < $1.key }) where keys?.contains(key) ?? true {
            switch value {
            case .asset(let asset): found.append((AssetPlace(key: key), asset))
            case .list(let elements):
                for (position, element) in elements.enumerated() {
                    if case .asset(let asset) = element {
                        found.append((AssetPlace(key: key, position: position), asset))
                    }
                }
            default: break
            }
        }
        return found
    }

    /// Puts other assets in the places of those that stand for the same file; what the record says of changes stays.
    func replace(_ assets: [AssetPlace: CKAsset]) {
        if assets.isEmpty { return }
        state.withLock { state in
            for (place, asset) in assets {
                switch (state.plain.values[place.key], place.position) {
                case (.asset, nil):
                    state.plain.values[place.key] = .asset(asset)
                case (.list(var elements), let position?) where elements.indices.contains(position):
                    elements[position] = .asset(asset)
                    state.plain.values[place.key] = .list(elements)
                default: break
                }
            }
        }
    }

    /// Takes the files that another state of the record has of the same content.
    func takeFiles(from other: CKRecord) {
        var known: [String: CKAsset] = [:]
        for (_, asset) in other.assets() where asset.fileURL != nil {
            if let checksum = asset.descriptor?.fileChecksum { known[checksum] = asset }
        }
        if known.isEmpty { return }
        var replaced: [AssetPlace: CKAsset] = [:]
        for (place, asset) in assets() where asset.fileURL == nil {
            guard let descriptor = asset.descriptor, let file = known[descriptor.fileChecksum]?.fileURL else {
                continue
            }
            replaced[place] = CKAsset(descriptor: descriptor, fileURL: file)
        }
        replace(replaced)
    }

    /// The assets whose files have to travel before the record can be saved.
    func assetsToUpload(_ keys: KeysToSend) -> [(place: AssetPlace, asset: CKAsset)] {
        let fields = state.withLock { $0.plain }
        let wanted: Set<String>? = if case .changedKeys = keys { fields.changedKeys } else { nil }
        return assets(of: wanted).filter { place, asset in
            guard let descriptor = asset.descriptor else { return true }
            // Uploaded already, or as it came from the server: of the same field, which the server takes as it is.
            if descriptor.receipt != nil || !fields.changedKeys.contains(place.key) { return false }
            return !(fields.originalValues[place.key]?.checksums.contains(descriptor.fileChecksum) ?? false)
        }
    }
}

extension RecordValue {
    /// Those of the assets in it that the server knows.
    fileprivate var checksums: Set<String> {
        switch self {
        case .asset(let asset): asset.descriptor.map { [$0.fileChecksum] } ?? []
        case .list(let elements): elements.reduce(into: []) { $0.formUnion($1.checksums) }
        default: []
        }
    }
}
