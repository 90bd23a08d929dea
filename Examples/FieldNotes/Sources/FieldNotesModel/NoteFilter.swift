import Foundation

/// Which notes a list shows.
public struct NoteFilter: Hashable, Sendable {
    /// Every word must occur in the title, the body, the names of notebook and place or a tag, in whatever case.
    public var text: String
    public var tag: String?
    public var notebook: String?

    public init(text: String = "", tag: String? = nil, notebook: String? = nil) {
        self.text = text
        self.tag = tag
        self.notebook = notebook
    }

    public func matches(_ note: Note) -> Bool {
        if let tag, !note.tags.contains(tag) { return false }
        if let notebook, note.notebook != notebook { return false }
        let haystack = ([note.title, note.body, note.notebook ?? "", note.place ?? ""] + note.tags).map {
            $0.lowercased()
        }
        return text.lowercased().split(separator: " ").allSatisfy { word in
            haystack.contains { $0.contains(word) }
        }
    }
}
