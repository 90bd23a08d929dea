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
