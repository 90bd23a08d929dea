/// In which order a list shows notes. Pinned ones always come first.
public enum NoteSortOrder: String, Codable, CaseIterable, Sendable {
    case newest, oldest, title

    public func sorted(_ notes: some Sequence<Note>) -> [Note] {
        notes.sorted { left, right in
            if left.isPinned != right.isPinned { return left.isPinned }
            switch self {
            case .newest where left.modifiedAt != right.modifiedAt: return left.modifiedAt > right.modifiedAt
            case .oldest where left.modifiedAt != right.modifiedAt: return left.modifiedAt < right.modifiedAt
            case .title where left.title != right.title: return left.title.lowercased() < right.title.lowercased()
            default: return left.id.uuidString < right.id.uuidString
            }
        }
    }
}
