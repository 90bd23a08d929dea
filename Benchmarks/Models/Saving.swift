import Foundation
import SwiftData

/// Saves new objects into a new store. A round is all that an app does: the context, making the objects, inserting them, the save
/// with its history, and letting go of all.
enum Saving {
    static func container(_ url: URL) throws -> ModelContainer {
        try ModelContainer(
            for: Item.self, Order.self, User.self, School.self, Student.self, Grade.self,
            configurations: ModelConfiguration(url: url))
    }

    /// A store without objects, for the peer.
    static func create(_ url: URL) throws -> Rounds {
        _ = try container(url)
        return Rounds()
    }

    /// - Parameter folder: gets a store a round; the last one is left there as `0.store`.
    static func measure(
        _ folder: URL, _ count: Int, rounds: Int, _ insert: (ModelContext, Int) -> Void
    ) throws -> Rounds {
        var measured = Rounds()
        for round in (0..<rounds).reversed() {
            let url = folder.appendingPathComponent("\(round).store")
            do {
                let container = try container(url)
                try measured.measure {
                    let context = ModelContext(container)
                    context.autosaveEnabled = false
                    insert(context, count)
                    try context.save()
                }
            }
            guard round > 0 else { continue }
            for suffix in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: url.path + suffix)
            }
        }
        return measured
    }

    static func items(_ context: ModelContext, _ count: Int) {
        for row in 0..<count { context.insert(Item(row: row)) }
    }

    static func orders(_ context: ModelContext, _ count: Int) {
        for row in 0..<count { context.insert(Order(row: row)) }
    }

    static func users(_ context: ModelContext, _ count: Int) {
        for row in 0..<count { context.insert(User(row: row)) }
    }

    /// Students with three grades each, a hundred to a school.
    static func graph(_ context: ModelContext, _ count: Int) {
        var school = School(row: 0)
        for row in 0..<count {
            if row % 100 == 0 {
                school = School(row: row / 100)
                context.insert(school)
            }
            let student = Student(row: row, school: school)
            context.insert(student)
            for grade in row * 3..<row * 3 + 3 { context.insert(Grade(row: grade, student: student)) }
        }
    }
}
