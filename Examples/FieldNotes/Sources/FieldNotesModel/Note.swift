import Foundation

/// Something seen in the field and written down.
public struct Note: Identifiable, Hashable, Codable, Sendable {
    public let id: UUID
    public var title: String
    public var body: String
    public let createdAt: Date
    public var modifiedAt: Date
    public var tags: [String]
    public var isPinned: Bool
    /// The name of the notebook that the note lies in.
    public var notebook: String?
    /// The name of the place where it was seen.
    public var place: String?
    public var photos: [Photo]

    /// Dates are kept in whole milliseconds, the precision that they have in the cloud, so that a note is the same on
    /// every device.
    public init(
        id: UUID = UUID(), title: String, body: String = "", createdAt: Date = Date(), modifiedAt: Date? = nil,
        tags: [String] = [], isPinned: Bool = false, notebook: String? = nil,
        place: String? = nil, photos: [Photo] = []
    ) {
        self.id = id
        self.title = title
        self.body = body
        self.createdAt = createdAt.inMilliseconds
        self.modifiedAt = (modifiedAt ?? createdAt).inMilliseconds
        self.tags = tags
        self.isPinned = isPinned
        self.notebook = notebook
        self.place = place
        self.photos = photos
    }

    /// Reads notes of earlier versions of the app too, which had no photos.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try values.decode(UUID.self, forKey: .id), title: try values.decode(String.self, forKey: .title),
            body: try values.decode(String.self, forKey: .body),
            createdAt: try values.decode(Date.self, forKey: .createdAt),
            modifiedAt: try values.decode(Date.self, forKey: .modifiedAt),
            tags: try values.decode([String].self, forKey: .tags),
            isPinned: try values.decode(Bool.self, forKey: .isPinned),
            notebook: try values.decodeIfPresent(String.self, forKey: .notebook),
            place: try values.decodeIfPresent(String.self, forKey: .place),
            photos: try values.decodeIfPresent([Photo].self, forKey: .photos) ?? [])
    }

    /// Changes the note and stamps it with the time.
    public mutating func edit(at time: Date = Date(), _ change: (inout Note) -> Void) {
        let before = self
        change(&self)
        // A device whose clock is behind must still come after what it has edited.
        if self != before { modifiedAt = max(time, before.modifiedAt.addingTimeInterval(0.001)).inMilliseconds }
    }
}

extension Date {
    /// The date without what is finer than a millisecond.
    public var inMilliseconds: Date {
        Date(timeIntervalSince1970: (timeIntervalSince1970 * 1000).rounded() / 1000)
    }
}
