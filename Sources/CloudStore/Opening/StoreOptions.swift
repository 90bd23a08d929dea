#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import Glibc
import SQL

/// Where the store's work runs.
package enum StoreExecution: Sendable {
    /// A writer thread for each file, which commits waiting requests together.
    case threads
    /// Everything on the caller's thread, each write its own transaction: for a simulation, where one thing happens after another.
    case inline
}

/// How a store is opened.
package struct StoreOptions: Sendable {
    package var execution: StoreExecution = .threads
    /// `.full` unless a test wants to see what is lost without it.
    package var synchronous: SQLiteOptions.Synchronous = .full
    /// The virtual file system of SQLite files; nil is the system's.
    package var fileSystem: String?
    /// Bounds of one commit: requests, bytes of records, and milliseconds since its first request began.
    package var groupRequests: Int = 256
    package var groupBytes: Int = 8 << 20
    package var groupMilliseconds: Int64 = 20
    /// The most container files that stay open; the one that was idle longest closes first.
    package var openFiles: Int = 256
    /// The most read connections that a file keeps; further readers get one for the moment.
    package var keptReaders: Int = 4
    /// PostgreSQL: connections that write, and connections that read.
    package var postgresWriters: Int = 16
    package var postgresReaders: Int = 16
    /// Where files of assets lie; nil beside the containers' databases. A store in PostgreSQL has none without it, and all
    /// servers of one share it.
    package var assetFolder: URL?
    /// Bytes of the disk that uploads of assets leave to the databases.
    package var keptFree: Int64 = 64 << 20
    /// How many bytes the disk of a folder has left; nil where nobody knows.
    package var freeSpace: @Sendable (String) -> Int64? = Self.freeSpaceOfDisk
    /// Milliseconds since 1970: names restores and, on PostgreSQL, new rows. A simulation hands in its own.
    package var now: @Sendable () -> Int64 = StoreClock.system

    package init() {}

    package init(execution: StoreExecution) {
        self.execution = execution
    }

    package static let freeSpaceOfDisk: @Sendable (String) -> Int64? = { folder in
        var disk = statvfs()
        guard statvfs(folder, &disk) == 0 else { return nil }
        let (free, isHuge) = Int64(clamping: disk.f_bavail).multipliedReportingOverflow(
            by: Int64(clamping: disk.f_frsize))
        return isHuge ? .max : free
    }
}
