/// A file that can be asked to close.
protocol OpenFile: AnyObject, Sendable {
    func closeIfIdle() -> Bool
}

/// Which container files are open, so that their number stays bounded.
final class OpenFiles: @unchecked Sendable {  // what changes is inside `lock`
    private let limit: Int
    private let lock = Condition()
    private var clock: UInt64 = 0
    private var files: [ObjectIdentifier: (file: any OpenFile, used: UInt64)] = [:]

    init(limit: Int) { self.limit = max(limit, 1) }

    /// Counts a file as open, after closing the one that was idle longest when there are too many.
    /// When all of them are busy the limit is passed for a while.
    func makeRoom(for file: any OpenFile) {
        lock.locked {
            if files.count >= limit {
                for (id, entry) in files.sorted(by: { $0.value.used < $1.value.used }) where entry.file.closeIfIdle() {
                    files[id] = nil
                    if files.count < limit { break }
                }
            }
            clock += 1
            files[ObjectIdentifier(file)] = (file, clock)
        }
    }

    func touch(_ file: any OpenFile) {
        lock.locked {
            clock += 1
            files[ObjectIdentifier(file)]?.used = clock
        }
    }

    func forget(_ file: any OpenFile) {
        lock.locked { files[ObjectIdentifier(file)] = nil }
    }

    var count: Int { lock.locked { files.count } }
}
