import Foundation

/// A photo of a note: a file that is never changed, named by an identifier of its own.
public struct Photo: Identifiable, Hashable, Codable, Sendable {
    public let id: UUID
    /// The file's extension, such as `jpg`; empty where it has none.
    public let format: String

    public init(id: UUID = UUID(), format: String) {
        self.id = id
        self.format = format.lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
    }

    public var fileName: String { format.isEmpty ? id.uuidString : "\(id.uuidString).\(format)" }

    /// nil for a name that no photo has.
    public init?(fileName: String) {
        let parts = fileName.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let id = UUID(uuidString: String(first)) else { return nil }
        self.init(id: id, format: parts.count == 2 ? String(parts[1]) : "")
    }
}
