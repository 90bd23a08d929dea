import Foundation

extension Note {
    /// One note out of two that were edited apart, so that no edit is lost.
    ///
    /// A field that only one side has changed keeps that change. Where both changed it, the later one wins; tags and
    /// photos are added and removed one by one, and of the body both sides' lines are kept.
    ///
    /// - Parameter base: The note as both sides last had it in common; nil where they never had.
    public func merging(_ other: Note, since base: Note?) -> Note {
        let otherIsLater = (other.modifiedAt, other.title, other.body) > (modifiedAt, title, body)
        func pick<Value: Equatable>(_ field: KeyPath<Note, Value>) -> Value {
            let mine = self[keyPath: field]
            let theirs = other[keyPath: field]
            if let base {
                if base[keyPath: field] == mine { return theirs }
                if base[keyPath: field] == theirs { return mine }
            }
            return otherIsLater ? theirs : mine
        }
        return Note(
            id: id, title: pick(\.title),
            body: Self.mergedBody(
                since: base?.body, earlier: otherIsLater ? body : other.body, later: otherIsLater ? other.body : body),
            createdAt: min(createdAt, other.createdAt), modifiedAt: max(modifiedAt, other.modifiedAt),
            tags: Self.mergedList(since: base?.tags ?? [], tags, other.tags), isPinned: pick(\.isPinned),
            notebook: pick(\.notebook), place: pick(\.place),
            photos: Self.mergedList(since: base?.photos ?? [], photos, other.photos))
    }

    private static func mergedList<Value: Hashable>(
        since base: [Value], _ mine: [Value], _ theirs: [Value]
    ) -> [Value] {
        let removed = Set(base).subtracting(mine).union(Set(base).subtracting(theirs))
        var merged: [Value] = []
        for value in theirs + mine where !removed.contains(value) && !merged.contains(value) { merged.append(value) }
        return merged
    }

    private static func mergedBody(since base: String?, earlier: String, later: String) -> String {
        if earlier == later || earlier == base { return later }
        if later == base { return earlier }
        let lines = base.map(Self.lines) ?? []
        let first = LineEdit(from: lines, to: Self.lines(earlier))
        let second = LineEdit(from: lines, to: Self.lines(later))
        return first.combined(with: second, on: lines).joined(separator: "\n")
    }

    private static func lines(_ text: String) -> [String] {
        text.isEmpty ? [] : text.components(separatedBy: "\n")
    }
}

/// The one stretch of lines in which two texts differ.
struct LineEdit {
    /// Which lines of the old text are replaced.
    var range: Range<Int>
    var replacement: [String]

    init(from old: [String], to new: [String]) {
        var start = 0
        while start < old.count, start < new.count, old[start] == new[start] { start += 1 }
        var tail = 0
        while tail < old.count - start, tail < new.count - start, old[old.count - 1 - tail] == new[new.count - 1 - tail]
        {
            tail += 1
        }
        range = start..<(old.count - tail)
        replacement = Array(new[start..<(new.count - tail)])
    }

    /// Both edits made to `lines`. Where they touch the same lines, the lines of both stay, this edit's first.
    func combined(with other: LineEdit, on lines: [String]) -> [String] {
        if range.upperBound <= other.range.lowerBound, range != other.range {
            return applied(to: Array(other.applied(to: lines)))
        }
        if other.range.upperBound <= range.lowerBound, range != other.range {
            return other.applied(to: applied(to: lines))
        }
        let union = min(range.lowerBound, other.range.lowerBound)..<max(range.upperBound, other.range.upperBound)
        let mine = widened(to: union, on: lines)
        let theirs = other.widened(to: union, on: lines)
        let kept = mine == theirs ? mine : mine + theirs.filter { !mine.contains($0) || $0.isEmpty }
        return Array(lines[..<union.lowerBound]) + kept + Array(lines[union.upperBound...])
    }

    private func applied(to lines: [String]) -> [String] {
        Array(lines[..<range.lowerBound]) + replacement + Array(lines[range.upperBound...])
    }

    private func widened(to union: Range<Int>, on lines: [String]) -> [String] {
        Array(lines[union.lowerBound..<range.lowerBound]) + replacement
            + Array(lines[range.upperBound..<union.upperBound])
    }
}
