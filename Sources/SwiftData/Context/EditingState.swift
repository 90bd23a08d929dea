/// Tells one context's work from another's.
public struct EditingState: Identifiable, Sendable {
    public let id: UUID
    public var author: String?

    init(id: UUID, author: String?) {
        self.id = id
        self.author = author
    }
}
