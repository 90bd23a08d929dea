import FieldNotesCloud
import FieldNotesModel
import Foundation

struct NoteCommand: Sendable {
    var options: Set<String> = []
    var run: @Sendable (NoteStore, CommandLineWords) async throws -> Void
}

let commands: [String: NoteCommand] = [
    "add": NoteCommand(options: ["body", "tag", "notebook", "place", "photo", "pin"], run: add),
    "edit": NoteCommand(options: ["title", "body", "append", "tag", "untag", "notebook", "place", "photo"], run: edit),
    "list": NoteCommand(options: ["tag", "notebook", "sort", "json"], run: list),
    "show": NoteCommand(run: show),
    "search": NoteCommand(options: ["cloud", "json"], run: search),
    "pin": NoteCommand { store, line in try await setPinned(true, store, line) },
    "unpin": NoteCommand { store, line in try await setPinned(false, store, line) },
    "delete": NoteCommand(run: delete),
    "sync": NoteCommand(options: ["watch"], run: sync),
    "status": NoteCommand(run: status),
    "publish": NoteCommand(options: ["cover"], run: publish),
    "guides": NoteCommand(options: ["covers"], run: guides),
]

@Sendable private func add(_ store: NoteStore, _ line: CommandLineWords) async throws {
    let note = Note(
        title: try line.text("the note's title"), body: line.value("body") ?? "", tags: line.values("tag"),
        isPinned: line.has("pin"), notebook: line.value("notebook"), place: line.value("place"),
        photos: try photos(line, store))
    try await store.save(note)
    print("Added   \(summary(note))")
}

@Sendable private func edit(_ store: NoteStore, _ line: CommandLineWords) async throws {
    var note = try await find(line, in: store)
    let before = note
    let added = try photos(line, store)
    note.edit { note in
        if let title = line.value("title") { note.title = title }
        if let body = line.value("body") { note.body = body }
        if let text = line.value("append") { note.body += (note.body.isEmpty ? "" : "\n") + text }
        if let notebook = line.value("notebook") { note.notebook = notebook.isEmpty ? nil : notebook }
        if let place = line.value("place") { note.place = place.isEmpty ? nil : place }
        note.photos += added
        note.tags += line.values("tag").filter { !note.tags.contains($0) }
        note.tags.removeAll { line.values("untag").contains($0) }
    }
    guard note != before else { return print("Nothing changed.") }
    try await store.save(note)
    print("Edited  \(summary(note))")
}

@Sendable private func list(_ store: NoteStore, _ line: CommandLineWords) async throws {
    let name = line.value("sort") ?? NoteSortOrder.newest.rawValue
    guard let order = NoteSortOrder(rawValue: name) else {
        let names = NoteSortOrder.allCases.map(\.rawValue).joined(separator: ", ")
        throw Complaint("--sort is one of \(names).", code: 2)
    }
    let filter = NoteFilter(tag: line.value("tag"), notebook: line.value("notebook"))
    let notes = try await store.notes()
    printNotes(order.sorted(notes.filter(filter.matches)), asJSON: line.has("json"))
}

@Sendable private func show(_ store: NoteStore, _ line: CommandLineWords) async throws {
    let note = try await find(line, in: store)
    print(summary(note))
    print("  created \(note.createdAt.formatted(.iso8601)), changed \(note.modifiedAt.formatted(.iso8601))")
    if let place = note.place { print("  seen at \(place)") }
    for photo in note.photos { print("  photo \(store.file(of: photo).path)") }
    if !note.body.isEmpty { print(note.body.split(separator: "\n").map { "  \($0)" }.joined(separator: "\n")) }
}

@Sendable private func search(_ store: NoteStore, _ line: CommandLineWords) async throws {
    let text = try line.text("what to search for")
    if line.has("cloud") {
        try await printNotes(store.searchCloud(text), asJSON: line.has("json"))
    } else {
        let found = try await store.notes().filter(NoteFilter(text: text).matches)
        printNotes(NoteSortOrder.newest.sorted(found), asJSON: line.has("json"))
    }
}

private func setPinned(_ isPinned: Bool, _ store: NoteStore, _ line: CommandLineWords) async throws {
    var note = try await find(line, in: store)
    note.edit { $0.isPinned = isPinned }
    try await store.save(note)
    print("\(isPinned ? "Pinned  " : "Unpinned") \(summary(note))")
}

@Sendable private func delete(_ store: NoteStore, _ line: CommandLineWords) async throws {
    let note = try await find(line, in: store)
    try await store.delete(note.id)
    print("Deleted \(note.title)")
}

@Sendable private func sync(_ store: NoteStore, _ line: CommandLineWords) async throws {
    if line.has("watch") { return try await watch(store) }
    let report = try await store.sync()
    let waiting = try await store.pendingCount
    if report.isOffline {
        throw Complaint("The cloud cannot be reached; \(counted(waiting, "change")) will be sent later.", code: 3)
    }
    let parts = [
        (report.sent, "sent"), (report.deleted, "deleted in the cloud"), (report.received, "received"),
        (report.removed, "removed here"), (report.merged, "merged"),
    ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    print(parts.isEmpty ? "Synced: nothing new" : "Synced: " + parts.joined(separator: ", "))
}

@Sendable private func status(_ store: NoteStore, _ line: CommandLineWords) async throws {
    let count = try await store.notes().count
    let waiting = try await store.pendingCount
    print("\(counted(count, "note")), \(counted(waiting, "change")) not in the cloud yet")
}

// MARK: - Field guides

@Sendable private func publish(_ store: NoteStore, _ line: CommandLineWords) async throws {
    let notebook = try line.text("which notebook")
    let notes = NoteSortOrder.title.sorted(try await store.notes().filter(NoteFilter(notebook: notebook).matches))
    guard !notes.isEmpty else { throw Complaint("No note here is in a notebook “\(notebook)”.", code: 4) }
    let cover = try line.value("cover").map(readableFile)
    let guide = try await FieldGuides().publish(notebook, notes: notes, cover: cover)
    print("Published \(guide.title): \(counted(notes.count, "note"))")
}

@Sendable private func guides(_ store: NoteStore, _ line: CommandLineWords) async throws {
    let found = try await FieldGuides().mentioning(try line.text("which place"))
    if found.isEmpty { print("No guide mentions it.") }
    for guide in found {
        print("\(guide.title)  (\(guide.placeNames.joined(separator: ", ")))")
        for title in guide.noteTitles { print("          \(title)") }
        guard let folder = line.value("covers").map({ URL(fileURLWithPath: $0, isDirectory: true) }) else { continue }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appendingPathComponent("\(guide.id).cover")
        if try await FieldGuides().saveCover(of: guide.id, to: file) { print("          cover \(file.path)") }
    }
}

private func photos(_ line: CommandLineWords, _ store: NoteStore) throws -> [Photo] {
    try line.values("photo").map { try store.addPhoto(readableFile($0)) }
}

private func readableFile(_ path: String) throws -> URL {
    guard FileManager.default.isReadableFile(atPath: path) else {
        throw Complaint("There is no file \(path).", code: 4)
    }
    return URL(fileURLWithPath: path)
}

// MARK: - Finding and printing

private func find(_ line: CommandLineWords, in store: NoteStore) async throws -> Note {
    let text = try line.text("which note").lowercased()
    let notes = try await store.notes()
    let exact = notes.filter { $0.title.lowercased() == text || $0.id.uuidString.lowercased() == text }
    let close = notes.filter { note in
        note.title.lowercased().hasPrefix(text) || (text.count >= 4 && note.id.uuidString.lowercased().hasPrefix(text))
    }
    let found = exact.isEmpty ? close : exact
    guard let note = found.first else { throw Complaint("No note here is called “\(text)”.", code: 4) }
    guard found.count == 1 else {
        throw Complaint("Several notes fit “\(text)”: " + found.map(summary).sorted().joined(separator: "; "), code: 2)
    }
    return note
}

func counted(_ number: Int, _ word: String) -> String {
    "\(number) \(word)\(number == 1 ? "" : "s")"
}

func summary(_ note: Note) -> String {
    var text = "\(note.id.uuidString.prefix(8).lowercased())  \(note.isPinned ? "★ " : "")\(note.title)"
    if let notebook = note.notebook { text += "  (\(notebook))" }
    if !note.tags.isEmpty { text += "  " + note.tags.map { "#\($0)" }.joined(separator: " ") }
    return text
}

private func printNotes(_ notes: [Note], asJSON: Bool) {
    if asJSON {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .millisecondsSince1970
        let data = (try? encoder.encode(notes)) ?? Data("[]".utf8)
        return print(String(decoding: data, as: UTF8.self))
    }
    if notes.isEmpty { return print("No notes.") }
    for note in notes {
        print(summary(note))
        for bodyLine in note.body.split(separator: "\n") { print("          \(bodyLine)") }
    }
}
