import FieldNotesModel
import Foundation
import Testing

@Suite("Notes")
struct NoteTests {
    let notes = [
        Note(title: "Moss", body: "On the north wall", createdAt: Date(timeIntervalSince1970: 30), tags: ["plants"]),
        Note(title: "alder", createdAt: Date(timeIntervalSince1970: 20), tags: ["trees"], notebook: "River"),
        Note(title: "Wren", createdAt: Date(timeIntervalSince1970: 10), isPinned: true),
    ]

    @Test(
        "Pinned notes come first in every order",
        arguments: [
            (NoteSortOrder.newest, ["Wren", "Moss", "alder"]), (.oldest, ["Wren", "alder", "Moss"]),
            (.title, ["Wren", "alder", "Moss"]),
        ])
    func order(order: NoteSortOrder, titles: [String]) {
        #expect(order.sorted(notes).map(\.title) == titles)
    }

    @Test(
        "A search finds words in any field and any case",
        arguments: [
            ("NORTH wall", ["Moss"]), ("trees", ["alder"]), ("river", ["alder"]), ("wall trees", []),
            ("", ["Moss", "alder", "Wren"]),
        ])
    func search(text: String, titles: [String]) {
        #expect(notes.filter(NoteFilter(text: text).matches).map(\.title) == titles)
    }

    @Test("A note survives its JSON to the millisecond")
    func coding() throws {
        let note = Note(title: "Now", body: "a\nb", createdAt: Date(), tags: ["x"], notebook: "N")
        let decoded = try JSONDecoder().decode(Note.self, from: JSONEncoder().encode(note))
        #expect(decoded == note)
    }

    @Test("An edit moves the note's time forward even on a slow clock")
    func slowClock() {
        var note = Note(title: "A", createdAt: Date(timeIntervalSince1970: 100))
        note.edit(at: Date(timeIntervalSince1970: 50)) { $0.title = "B" }
        #expect(note.modifiedAt > Date(timeIntervalSince1970: 100))
        let before = note
        note.edit { $0.title = "B" }
        #expect(note == before)
    }
}
