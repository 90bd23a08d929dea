import Foundation

extension ServerBenchmark {
    /// Records with files of three sizes, there and back, and what the largest costs the server in memory.
    func files(_ stratus: Stratus, _ pocketBase: PocketBase, _ results: inout Results) throws {
        try stratus.ask(stratus.createZone("Files"))
        try pocketBase.makeFileCollection()
        let servers = [stratus.process, pocketBase.process]
        let before = servers.map(\.residentMemory)
        for server in servers { server.forgetPeakMemory() }
        // No more than a few gigabytes come together, however fast the machine is.
        for (name, size, connections, most) in [
            ("10K", 10_000, 8, 20_000), ("1M", 1_000_000, 4, 400), ("50M", 50_000_000, 1, 6),
        ] {
            let content = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
                for index in 0..<size { buffer[index] = UInt8(truncatingIfNeeded: index &* 31 >> 3) }
                count = size
            }
            let paths = Paths()
            let ours = try Load.work(
                connections: connections, seconds: seconds, atMost: most, port: stratus.process.port
            ) { thread, count, connection in
                let record = "f\(name)-\(thread)-\(count)"
                try stratus.saveFile(record, Self.distinct(content, thread, count), on: connection)
                if thread == 0, count == 0 { paths.ours = try stratus.filePath(record) }
            }
            let theirs = try Load.work(
                connections: connections, seconds: seconds, atMost: most, port: pocketBase.process.port
            ) { thread, count, connection in
                let path = try pocketBase.saveFile(Self.distinct(content, thread, count), on: connection)
                if thread == 0, count == 0 { paths.theirs = path }
            }
            results.add(
                .rate(
                    "asset/save/\(name)", "files/s", ours: ours.perSecond, peer: PocketBase.name,
                    theirs: theirs.perSecond))
            let (ourPath, theirPath) = (paths.ours, paths.theirs)
            let fetched = try Load.work(
                connections: connections, seconds: seconds, atMost: .max, port: stratus.process.port
            ) { _, _, connection in try connection.fetch(ourPath, size: size) }
            let fetchedThere = try Load.work(
                connections: connections, seconds: seconds, atMost: .max, port: pocketBase.process.port
            ) { _, _, connection in try connection.fetch(theirPath, size: size) }
            results.add(
                .rate(
                    "asset/fetch/\(name)", "files/s", ours: fetched.perSecond, peer: PocketBase.name,
                    theirs: fetchedThere.perSecond))
        }
        // A peak that was not reached is as good as a tenth of a megabyte.
        let rises = zip(servers, before).map { max($0.peakMemory - $1, 0.1) }
        results.add(.cost("asset/memory", "MB", ours: rises[0], peer: PocketBase.name, theirs: rises[1]))
    }

    /// Another file each time: one that is there already is not kept twice.
    private static func distinct(_ content: [UInt8], _ thread: Int, _ count: Int) -> [UInt8] {
        var content = content
        let mark = UInt64(thread) << 32 | UInt64(count)
        for byte in 0..<8 { content[byte] = UInt8(truncatingIfNeeded: mark >> (UInt64(byte) * 8)) }
        return content
    }
}

/// Where the first file of each server is.
// Unchecked: only the first connection of each run writes, and nobody reads before the run is over.
private final class Paths: @unchecked Sendable {
    var ours = ""
    var theirs = ""
}
