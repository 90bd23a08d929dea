import SQL

/// Writes a file's write-ahead log back into the file while its writer goes on.
///
/// SQLite does that inside the commit that made the log too long, and whoever waits for that commit waits for thousands of
/// pages and two more syncs of the disk. Here a connection on a thread of its own writes back what was committed so far; when
/// it is done, the writer writes back the little that came meanwhile, after it has told its callers, and the log begins anew.
final class LogCheckpoint: @unchecked Sendable {  // what changes is inside `condition`
    private enum State {
        case idle, wanted, done
    }

    /// The length of the log at which it is to be written back, in pages of 4 KB.
    private static let pages = 2000
    /// The length at which the writer waits for that: a disk that cannot keep up must not be buried.
    private static let mostPages = 16_000

    private let open: @Sendable () throws -> SQLiteConnection
    private let condition = Condition()
    private var state = State.idle
    private var thread: StoreThread?
    private var isClosing = false

    /// - Parameter open: makes another connection to the writer's file.
    init(of writer: SQLiteConnection, open: @escaping @Sendable () throws -> SQLiteConnection) {
        self.open = open
        writer.takeOverCheckpoints()
    }

    /// To be called after a commit, on the writer's thread.
    func committed(_ writer: SQLiteConnection) {
        let isLong = writer.logPages >= Self.pages
        let isWritersTurn = condition.locked {
            if state == .wanted, writer.logPages >= Self.mostPages {
                while state == .wanted { condition.wait() }
            }
            switch state {
            case .wanted:
                return false
            case .done:
                state = .idle
                return isLong
            case .idle:
                guard isLong, !isClosing else { return false }
                state = .wanted
                if thread == nil { thread = StoreThread { self.run() } }
                condition.broadcast()
                return false
            }
        }
        // What cannot be written back stays in the log, where it is safe, and the next round tries again.
        if isWritersTurn { try? writer.checkpoint() }
    }

    private func run() {
        var connection: SQLiteConnection?
        while waitForWork() {
            connection = connection ?? (try? open())
            try? connection?.checkpoint()
            condition.locked {
                state = .done
                condition.broadcast()
            }
        }
    }

    /// False when there is nothing more to do, ever.
    private func waitForWork() -> Bool {
        condition.locked {
            while state != .wanted {
                if isClosing { return false }
                condition.wait()
            }
            return true
        }
    }

    /// To be called when the writer has ended.
    func close() {
        let thread: StoreThread? = condition.locked {
            isClosing = true
            condition.broadcast()
            defer { self.thread = nil }
            return self.thread
        }
        thread?.join()
    }
}
