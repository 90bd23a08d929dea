import Foundation
import PersistentStore
import Synchronization
import Testing

@Suite("Many threads use one file")
struct ThreadTests {
    @Test(
        "Eight threads read and write one file through two stores; every save is kept and every conflict is told",
        arguments: RowTests.Place.allCases)
    func threads(_ place: RowTests.Place) throws {
        let folder = try TemporaryFolder()
        let location = place == .file ? folder.file() : .memory
        let one = try PersistentStore(at: location, model: Library.model)
        let stores = place == .file ? [one, try PersistentStore(at: location, model: Library.model)] : [one]
        let counter = try one.insert("Book", ["pages": .integer(0)])
        let index = one.index("Book", "pages")
        let failures = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            let store = stores[thread % stores.count]
            for _ in 0..<25 {
                do {
                    var isDone = false
                    while !isDone {
                        // Read in one transaction and written in another, so that others come between.
                        guard let row = try store.read({ try $0.storedRow(counter) }),
                            case .integer(let pages) = row.values[index]
                        else { throw PersistentStoreError.closed }
                        let outcome = try store.write { writer in
                            let outcome = try writer.set(
                                counter, ["pages": .integer(pages + 1)], expecting: row.version)
                            if case .done = outcome {
                                _ = try writer.insert(store.entity("Tag"), ["name": .string("\(thread)")])
                            }
                            return outcome
                        }.0
                        if case .done = outcome { isDone = true }
                    }
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
            }
        }
        #expect(failures.withLock { $0 } == [])
        #expect(try one.value(counter, "pages") == .integer(200))
        #expect(try one.all("Tag").count == 200)
        #expect(try one.history().count == 201)
    }

    @Test(
        "A read inside a read and a write inside a read work; a write inside a write is refused",
        arguments: RowTests.Place.allCases)
    func nesting(_ place: RowTests.Place) throws {
        let folder = try TemporaryFolder()
        let store = try PersistentStore(at: place == .file ? folder.file() : .memory, model: Library.model)
        for _ in 0..<3 { _ = try store.insert("Tag", [:]) }
        var seen = 0
        try store.read { reader in
            let cursor = try reader.rows(StoreQuery(entity: "Tag"))
            while try cursor.next(), seen < 3 {
                seen += 1
                _ = try store.value(cursor.row.id, "name")
                _ = try store.insert("Shelf", [:])
            }
        }
        #expect(try store.all("Shelf").count == 3)
        #expect(throws: PersistentStoreError.self) { try store.write { _ in _ = try store.insert("Tag", [:]) } }
        #expect(try store.all("Tag").count == 3)
    }

    @Test("A file that is opened by many at once is made once")
    func opening() throws {
        let folder = try TemporaryFolder()
        let location = folder.file()
        let identifiers = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            let found = (try? PersistentStore(at: location, model: Library.model).identifier) ?? "none"
            identifiers.withLock { $0.append(found) }
        }
        let all = identifiers.withLock { $0 }
        #expect(Set(all).count == 1 && !all.contains("none"))
    }
}
