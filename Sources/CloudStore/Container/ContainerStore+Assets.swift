import Glibc

extension ContainerStore {
    /// Removes assets that have expired, and files that a crash left without a row: one short step.
    ///
    /// - Parameters:
    ///   - now: milliseconds since 1970.
    ///   - strayAge: how old a file without a row has to be, in seconds of the machine's clock: an upload that is just being
    ///     kept has none yet.
    /// - Returns: whether there may be more to do at once.
    package func runAssetStep(now: Int64, limit: Int = 400, strayAge: Int64 = 3600) throws -> Bool {
        let expired = try writeAndWait { try $0.expireAssets(before: now, limit: limit) }
        assets.remove(expired)
        if expired.count >= limit { return true }
        // One part in 256 of the folder at each round.
        let shard = Int(assetCursor.take()) % AssetFolder.shards
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let old = Int64(time.tv_sec) - strayAge
        if shard == 0 { assets.removeAbandonedUploads(before: old) }
        try removeStrays(shard: shard, before: old)
        assetCursor.move(to: Int64(shard + 1))
        return false
    }

    /// How the files are that records refer to.
    package struct AssetExamination: Sendable, Equatable {
        package var count = 0
        package var bytes: Int64 = 0
        /// Files that are not there, or not as long as they were.
        package var damaged = 0

        package init(count: Int = 0, bytes: Int64 = 0, damaged: Int = 0) {
            self.count = count
            self.bytes = bytes
            self.damaged = damaged
        }
    }

    /// Compares rows and files; their contents are not read.
    package func examineAssets() throws -> AssetExamination {
        var examination = AssetExamination()
        var last: [UInt8] = []
        while true {
            let rows = try read { try $0.assets(after: last, limit: 1000) }
            for row in rows where row.referenceCount > 0 {
                examination.count += 1
                examination.bytes += row.size
                if try assets.size(of: row.id) != row.size { examination.damaged += 1 }
            }
            guard rows.count == 1000, let next = rows.last?.id else { return examination }
            last = next
        }
    }

    /// Looks at every file of the folder at once. For tests, and for a store that was just restored.
    package func removeAllStrayFiles(olderThan age: Int64) throws {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        assets.removeAbandonedUploads(before: Int64(time.tv_sec) - age)
        for shard in 0..<AssetFolder.shards { try removeStrays(shard: shard, before: Int64(time.tv_sec) - age) }
    }

    private func removeStrays(shard: Int, before: Int64) throws {
        let files = assets.oldFiles(shard: shard, before: before)
        if files.isEmpty { return }
        let strays = try read { reader in try files.filter { try reader.asset($0) == nil } }
        assets.remove(strays)
    }
}
