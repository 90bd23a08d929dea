import FieldNotesModel
import Foundation
import Testing

@Suite("Notes that were edited apart")
struct NoteMergingTests {
    static let start = Date(timeIntervalSince1970: 1_800_000_000)
    let base = Note(
        title: "Heron", body: "Grey heron at the weir\nStill there at noon", createdAt: start, tags: ["birds", "river"])

    func edited(after seconds: TimeInterval, _ change: (inout Note) -> Void) -> Note {
        var note = base
        note.edit(at: Self.start.addingTimeInterval(seconds), change)
        return note
    }

    /// Both orders must give the same note: two devices then agree whoever merges.
    func merged(_ left: Note, _ right: Note, since base: Note?) -> Note {
        let one = left.merging(right, since: base)
        let other = right.merging(left, since: base)
        #expect(one.body == other.body)
        #expect(one.title == other.title)
        #expect(Set(one.tags) == Set(other.tags))
        return one
    }

    @Test("Changes to different fields both stay")
    func differentFields() {
        let result = merged(
            edited(after: 10) { $0.title = "Grey heron" }, edited(after: 20) { $0.isPinned = true }, since: base)
        #expect(result.title == "Grey heron")
        #expect(result.isPinned)
        #expect(result.modifiedAt == Self.start.addingTimeInterval(20))
    }

    @Test("Of two titles the later one stays")
    func sameField() {
        let result = merged(
            edited(after: 20) { $0.title = "Later" }, edited(after: 10) { $0.title = "Earlier" }, since: base)
        #expect(result.title == "Later")
    }

    @Test("Lines added at the end on both sides both stay, in the order of time")
    func bothAppended() {
        let result = merged(
            edited(after: 20) { $0.body += "\nSecond" }, edited(after: 10) { $0.body += "\nFirst" }, since: base)
        #expect(result.body == base.body + "\nFirst\nSecond")
    }

    @Test("Edits in different places of the body are both made")
    func differentLines() {
        let result = merged(
            edited(after: 10) { $0.body = "Two grey herons at the weir\nStill there at noon" },
            edited(after: 20) { $0.body = "Grey heron at the weir\nGone by noon" }, since: base)
        #expect(result.body == "Two grey herons at the weir\nGone by noon")
    }

    @Test("The same line changed on both sides is kept in both forms")
    func sameLine() {
        let result = merged(
            edited(after: 10) { $0.body = "A stork at the weir\nStill there at noon" },
            edited(after: 20) { $0.body = "An egret at the weir\nStill there at noon" }, since: base)
        #expect(result.body == "A stork at the weir\nAn egret at the weir\nStill there at noon")
    }

    @Test("Tags are added and removed one by one")
    func tags() {
        let result = merged(
            edited(after: 10) { $0.tags = ["birds", "river", "may"] }, edited(after: 20) { $0.tags = ["birds"] },
            since: base)
        #expect(Set(result.tags) == ["birds", "may"])
    }

    @Test("Notes that never met keep the text of both")
    func noBase() {
        let left = Note(id: base.id, title: "A", body: "one", createdAt: Self.start)
        let right = Note(id: base.id, title: "B", body: "two", createdAt: Self.start.addingTimeInterval(5))
        #expect(merged(left, right, since: nil).body == "one\ntwo")
    }

    @Test("Merging what has not changed changes nothing")
    func nothingChanged() {
        #expect(base.merging(base, since: base) == base)
        let changed = edited(after: 10) { $0.body = "" }
        #expect(base.merging(changed, since: base) == changed)
        #expect(changed.merging(base, since: base) == changed)
    }

    @Test("Random edits merge to the same body from both sides")
    func random() {
        var generator = SplitMix(state: 7)
        for _ in 0..<500 {
            let one = edited(after: 10) { $0.body = Self.randomBody(&generator) }
            let two = edited(after: 20) { $0.body = Self.randomBody(&generator) }
            _ = merged(one, two, since: base)
        }
    }

    private static func randomBody(_ generator: inout SplitMix) -> String {
        (0..<Int.random(in: 0...4, using: &generator)).map { _ in
            ["Grey heron at the weir", "Still there at noon", "x", "", "y"].randomElement(using: &generator) ?? ""
        }.joined(separator: "\n")
    }
}

struct SplitMix: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
