import CloudStore

extension Administration {
    /// A key that wraps keys of zones, or one that should.
    package struct WrappingKeySummary: Sendable, Hashable {
        package var id: String
        /// When it was made; nil where the file does not have the key.
        package var made: String?
        package var isInUse: Bool
        /// Zones whose keys it wraps, in all containers.
        package var zones: Int
    }

    /// The keys of the file, the newest last, and before them those that zones need and the file does not have.
    package func wrappingKeys(_ keys: EncryptionKeys) throws -> [WrappingKeySummary] {
        var zones: [String: Int] = [:]
        try forEachContainer { container in
            zones.merge(try container.read { try $0.zoneKeyCounts() }, uniquingKeysWith: +)
        }
        let known = try keys.all()
        let lost = zones.keys.filter { id in !known.contains { $0.id == id } }.sorted()
        return lost.map { WrappingKeySummary(id: $0, made: nil, isInUse: false, zones: zones[$0] ?? 0) }
            + known.map { id, made in
                WrappingKeySummary(id: id, made: made, isInUse: id == known.last?.id, zones: zones[id] ?? 0)
            }
    }

    /// Zones whose keys are wrapped anew in one transaction: a step that holds the writer for a few milliseconds.
    private static let zonesPerStep = 200

    /// Makes a new wrapping key and wraps the key of every zone by it, in steps between which others are served. Records
    /// are not touched: the keys that seal them stay the same.
    ///
    /// Where it is interrupted, all stays readable, and the next call finishes the work.
    ///
    /// - Returns: the new key, and how many zones' keys it wraps.
    @discardableResult
    package func rotateWrappingKey(_ keys: EncryptionKeys) throws -> (id: String, zones: Int) {
        let key = try keys.add(random, control, now: clock.now())
        var count = 0
        try forEachContainer { container in
            for old in try container.read({ try $0.zoneKeyCounts() }).keys where old != key.id {
                while true {
                    let some = try container.read { try $0.zoneKeys(wrappedBy: old, limit: Self.zonesPerStep) }
                    guard !some.isEmpty else { break }
                    var wrapped: [ZoneKeyRow] = []
                    for row in some {
                        let bare = try ZoneKeyring.unwrap(row, with: keys)
                        wrapped.append(try ZoneKeyring.wrap(bare, for: row.zone, by: key, random))
                    }
                    try container.writeAndWait { [wrapped] writer in
                        for row in wrapped { try writer.updateZoneKey(row) }
                    }
                    count += some.count
                }
            }
        }
        return (key.id, count)
    }

    /// Deletes the zones whose keys nothing can unwrap any more, with the reason `encryptedDataReset`: devices then make
    /// them again and upload what they have.
    ///
    /// - Returns: how many zones went.
    package func resetUnreadableZones(_ keys: EncryptionKeys) throws -> Int {
        let known = Set(try keys.all().map(\.id))
        let now = clock.now()
        var count = 0
        try forEachContainer { container in
            for lost in try container.read({ try $0.zoneKeyCounts() }).keys where !known.contains(lost) {
                while true {
                    let some = try container.read { try $0.zoneKeys(wrappedBy: lost, limit: Self.zonesPerStep) }
                    guard !some.isEmpty else { break }
                    try container.writeAndWait { writer in
                        for row in some {
                            guard let zone = try writer.lockZone(row.zone) else { continue }
                            try writer.deleteZone(
                                zone, reason: ZoneDeletionReason.encryptedDataReset.rawValue, at: now)
                        }
                    }
                    count += some.count
                }
            }
        }
        return count
    }

    private func forEachContainer(_ body: (ContainerStore) throws -> Void) throws {
        for (identifier, environment) in try store.containers() {
            if let container = try store.container(identifier, environment, create: false) { try body(container) }
        }
    }
}
