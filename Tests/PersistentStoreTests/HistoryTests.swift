import Foundation
import PersistentStore
import Testing

@Suite("The history tells what each write changed")
struct HistoryTests {
    let folder: TemporaryFolder
    let store: PersistentStore

    init() throws {
        folder = try TemporaryFolder()
        store = try PersistentStore(at: folder.file(), model: Library.model)
    }

    @Test("Inserts, updates and deletes with their author, properties and preserved values")
    func changes() throws {
        let token = UUID()
        let (book, first) = try store.write(author: "me", context: "c") { writer in
            try writer.insert(store.entity("Book"), ["title": .string("A"), "token": .uuid(token)])
        }
        try store.write(author: "you") { writer in
            _ = try writer.set(book, ["title": .string("B")])
            _ = try writer.set(book, ["pages": .integer(1)])
        }
        try store.write { _ = try $0.delete(book, expecting: nil) }
        let history = try store.history()
        #expect(history.map(\.number) == [1, 2, 3] && first.transaction == 1)
        #expect(history.map(\.author) == ["me", "you", nil])
        #expect(history[0].context == "c")
        #expect(history.map { $0.changes.map(\.kind) } == [[.insert], [.update], [.delete]])
        #expect(history.allSatisfy { $0.changes[0].row == book })
        let changed: PropertySet = [store.index("Book", "title"), store.index("Book", "pages")]
        #expect(history[1].changes[0].updatedProperties == changed)
        #expect(history[2].changes[0].tombstone == ["token": .uuid(token)])
        #expect(abs(history[0].timestamp.timeIntervalSinceNow) < 3600)
    }

    @Test("A row that comes and goes in one write leaves nothing, and a changed new row is new")
    func coalesced() throws {
        let (row, commit) = try store.write { writer in
            let gone = try writer.insert(store.entity("Tag"), [:])
            let kept = try writer.insert(store.entity("Tag"), [:])
            _ = try writer.set(kept, ["name": .string("x")])
            _ = try writer.delete(gone, expecting: nil)
            return kept
        }
        #expect(commit.inserted == [row] && commit.updated.isEmpty && commit.deleted.isEmpty)
        #expect(try store.history().flatMap(\.changes).map(\.row) == [row])
    }

    @Test("A write without changes leaves no transaction")
    func nothing() throws {
        let commit = try store.write { _ in }.1
        #expect(commit.isEmpty && commit.transaction == 0)
        #expect(try store.history().isEmpty)
    }

    @Test("Parts of the history are found by number, author and time")
    func queries() throws {
        for number in 0..<6 { _ = try store.insert("Tag", [:], author: number.isMultiple(of: 2) ? "even" : nil) }
        #expect(try store.history(HistoryQuery(after: 4)).map(\.number) == [5, 6])
        #expect(try store.history(HistoryQuery(after: 1, through: 3)).map(\.number) == [2, 3])
        #expect(try store.history(HistoryQuery(limit: 2)).map(\.number) == [1, 2])
        var query = HistoryQuery()
        query.authors = ["even"]
        #expect(try store.history(query).map(\.number) == [1, 3, 5])
        query.authors = [""]
        query.isAscending = false
        #expect(try store.history(query).map(\.number) == [6, 4, 2])
        #expect(try store.history(HistoryQuery(since: Date(timeIntervalSinceNow: 3600))).isEmpty)
    }

    @Test("A token whose successors were trimmed has expired; later ones go on")
    func trimming() throws {
        for _ in 0..<5 { _ = try store.insert("Tag", [:]) }
        try store.deleteHistory(through: 3)
        #expect(throws: PersistentStoreError.historyExpired(oldest: 4)) { try store.history(HistoryQuery(after: 2)) }
        #expect(try store.history(HistoryQuery(after: 3)).map(\.number) == [4, 5])
        #expect(try store.history().map(\.number) == [4, 5])
        try store.deleteHistory(through: 5)
        #expect(try store.history(HistoryQuery(after: 5)).isEmpty)
        #expect(throws: PersistentStoreError.historyExpired(oldest: nil)) { try store.history(HistoryQuery(after: 4)) }
        _ = try store.insert("Tag", [:])
        #expect(try store.history(HistoryQuery(after: 5)).map(\.number) == [6])
    }

    @Test("Trimming stops at what a consumer has yet to read")
    func consumers() throws {
        for _ in 0..<5 { _ = try store.insert("Tag", [:]) }
        try store.write { try $0.setHistoryPosition(2, of: "mirror") }
        try store.trimHistory(before: Date(timeIntervalSinceNow: 3600))
        #expect(try store.history().map(\.number) == [3, 4, 5])
        #expect(try store.read { try $0.historyPosition(of: "mirror") } == 2)
        try store.write { try $0.setHistoryPosition(nil, of: "mirror") }
        try store.trimHistory(before: Date(timeIntervalSinceNow: -3600))
        #expect(try store.history().count == 3)
        try store.trimHistory(before: Date(timeIntervalSinceNow: 3600))
        #expect(try store.history().isEmpty)
    }

    @Test("A store that tracks none has none, and hears of its own commits all the same")
    func untracked() throws {
        var options = PersistentStoreOptions()
        options.tracksHistory = false
        let store = try PersistentStore(at: .memory, model: Library.model, options: options)
        let heard = Heard()
        let observation = store.observeCommits { heard.add($0) }
        let tag = try store.insert("Tag", [:])
        #expect(try store.history().isEmpty)
        #expect(heard.commits.map(\.inserted) == [[tag]])
        observation.cancel()
        _ = try store.insert("Tag", [:])
        #expect(heard.commits.count == 1)
    }

    @Test("Observers hear each commit once, own ones at once and those of another store of the file soon")
    func observing() throws {
        let other = try PersistentStore(at: folder.file(), model: Library.model)
        let heard = Heard()
        let observation = store.observeCommits { heard.add($0) }
        let origin = UUID()
        let (mine, _) = try store.write(author: "a", origin: origin) { try $0.insert(store.entity("Tag"), [:]) }
        #expect(heard.commits.map(\.origin) == [origin])
        let theirs = try other.insert("Tag", [:], author: "b")
        #expect(heard.wait { $0.count == 2 })
        let (last, _) = try store.write { try $0.insert(store.entity("Tag"), [:]) }
        #expect(heard.wait { $0.count >= 3 })
        #expect(heard.commits.map(\.inserted) == [[mine], [theirs], [last]])
        #expect(heard.commits.map(\.author) == ["a", "b", nil])
        observation.cancel()
    }

    @Test("Own commits are heard before the write returns, whatever the watch over the file does meanwhile")
    func atOnce() throws {
        let heard = Heard()
        let observation = store.observeCommits { commit in
            // A slow observer: who takes a commit from its thread is still at it when the write returns.
            usleep(300)
            heard.add(commit)
        }
        let late = try (1...500).filter { count in
            _ = try store.insert("Tag", [:])
            return heard.commits.count != count
        }
        #expect(late.isEmpty)
        observation.cancel()
    }

    @Test("Erasing leaves no row, no history and no file, and keeps the store's identity")
    func erasing() throws {
        let book = try store.insert("Book", ["cover": .data(Data(count: 300_000))])
        try store.erase()
        #expect(try store.all("Book").isEmpty)
        #expect(try store.history().isEmpty)
        #expect(throws: PersistentStoreError.historyExpired(oldest: nil)) { try store.history(HistoryQuery(after: 1)) }
        #expect(try store.insert("Book", [:]).key == book.key + 1)
        let files = FileManager.default.enumerator(atPath: folder.url.path)?.compactMap { $0 as? String } ?? []
        #expect(files.filter { $0.contains("_EXTERNAL_DATA/") }.isEmpty)
        store.close()
        try PersistentStore.remove(at: folder.url.appendingPathComponent("Library.store"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
    }
}

/// Commits as an observer heard them.
final class Heard: @unchecked Sendable {  // under the condition's lock
    private let condition = NSCondition()
    private var list: [Commit] = []

    func add(_ commit: Commit) {
        condition.lock()
        list.append(commit)
        condition.broadcast()
        condition.unlock()
    }

    var commits: [Commit] {
        condition.lock()
        defer { condition.unlock() }
        return list
    }

    /// Waits until it holds; false after a minute.
    func wait(_ holds: ([Commit]) -> Bool) -> Bool {
        condition.lock()
        defer { condition.unlock() }
        let limit = Date(timeIntervalSinceNow: 60)
        while !holds(list) {
            if !condition.wait(until: limit) { return holds(list) }
        }
        return true
    }
}
