/// How a SQLite file is opened.
package struct SQLiteOptions: Sendable {
    /// When a commit waits for the disk.
    package enum Synchronous: String, Sendable {
        /// Every commit is on the disk before it is acknowledged.
        case full = "FULL"
        /// The newest commits may be lost with the power; the file stays sound.
        case normal = "NORMAL"
        /// Anything may be lost with the power.
        case off = "OFF"
    }

    package var synchronous: Synchronous
    /// Write-ahead log: readers and the writer do not wait for each other. False for a database in memory.
    package var writeAheadLog: Bool
    /// The most that the page cache may grow to.
    package var cacheKilobytes: Int
    package var mappedBytes: Int
    /// The length of the write-ahead log, in pages of 4 KB, at which a commit writes it back into the file. With SQLite's own
    /// 1000 a busy writer does that after every few commits and waits for the disk three times instead of once: saves of
    /// single records were 1.5 to 2 times slower.
    package var checkpointPages: Int
    /// How long a statement waits for a lock that another connection holds.
    package var busyMilliseconds: Int32
    /// False: opening a file that does not exist is an error.
    package var creates: Bool
    /// True: nothing can be written, and no log is begun.
    package var readOnly = false
    /// The name of a registered virtual file system; nil is the system's own.
    package var fileSystem: String?

    package init(
        synchronous: Synchronous = .full, writeAheadLog: Bool = true, cacheKilobytes: Int = 2000, mappedBytes: Int = 0,
        checkpointPages: Int = 4000, busyMilliseconds: Int32 = 5000, creates: Bool = true, fileSystem: String? = nil
    ) {
        self.synchronous = synchronous
        self.writeAheadLog = writeAheadLog
        self.cacheKilobytes = cacheKilobytes
        self.mappedBytes = mappedBytes
        self.checkpointPages = checkpointPages
        self.busyMilliseconds = busyMilliseconds
        self.creates = creates
        self.fileSystem = fileSystem
    }
}
