// A process of an app whose models are kept by SwiftData.
//
//     SwiftDataProbe write FILE COUNT     inserts notes by eight contexts at once and prints each title once it was saved;
//                                         a COUNT of 0 goes on until it is killed
//     SwiftDataProbe share GROUP [TITLE]  adds a note to the group's store and remembers it in the group's defaults;
//                                         without TITLE prints the notes, and what the defaults remember

import Dispatch
import Foundation
import SwiftData

@Model
final class Note {
    @Attribute(.unique) var title: String
    var notebook: Notebook?

    init(title: String) { self.title = title }
}

@Model
final class Notebook {
    @Attribute(.unique) var name: String
    /// How many notes were saved: changed by every context of every process.
    var count = 0
    @Relationship(inverse: \Note.notebook) var notes: [Note] = []

    init(name: String) { self.name = name }
}

func say(_ text: String) {
    // One write to the pipe, without a buffer that would die with the process.
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
}

/// Each thread has a notebook of its own and a context of its own.
func write(_ file: URL, count: Int) throws {
    let container = try ModelContainer(for: Note.self, configurations: ModelConfiguration(url: file))
    let run = UUID().uuidString
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
        let context = ModelContext(container)
        let notebook = Notebook(name: "\(run) \(thread)")
        context.insert(notebook)
        for number in 0..<(count == 0 ? Int.max : count) {
            let note = Note(title: "\(run) \(thread) \(number)")
            note.notebook = notebook
            notebook.count += 1
            context.insert(note)
            do {
                try context.save()
                say(note.title)
            } catch {
                return say("error \(error)")
            }
        }
    }
}

func share(_ group: String, _ title: String?) throws {
    let container = try ModelContainer(
        for: Note.self, configurations: ModelConfiguration(groupContainer: .identifier(group)))
    let context = ModelContext(container)
    guard let defaults = UserDefaults(suiteName: group) else { return say("error: no defaults") }
    if let title {
        context.insert(Note(title: title))
        try context.save()
        defaults.set(title, forKey: "newest")
        defaults.synchronize()
        return
    }
    for note in try context.fetch(FetchDescriptor<Note>(sortBy: [SortDescriptor(\.title)])) { say(note.title) }
    say("newest: \(defaults.string(forKey: "newest") ?? "none")")
}

let arguments = CommandLine.arguments
switch arguments.dropFirst().first {
case "write" where arguments.count == 4:
    try write(URL(fileURLWithPath: arguments[2]), count: Int(arguments[3]) ?? 0)
case "share" where arguments.count == 3 || arguments.count == 4:
    try share(arguments[2], arguments.count == 4 ? arguments[3] : nil)
default:
    say("usage: SwiftDataProbe write FILE COUNT | share GROUP [TITLE]")
    exit(64)
}
