import Foundation
import SwiftData

enum Kind: String, Codable, CaseIterable, Sendable {
    case plain, secret, shared

    var label: String { "Kind \(rawValue)" }
}

enum Priority: Int, Codable, Sendable {
    case low = 1
    case high = 5
}

/// Kept encoded: it has no raw value.
enum Mood: Codable, Sendable {
    case calm, wild
}

struct Place: Codable, Hashable, Sendable {
    var city: String
    var zip: Int?

    var label: String { city + " \(zip ?? 0)" }
}

protocol Titled {
    var title: String { get }
}

@Model
final class Person {
    var name: String
    @Relationship(inverse: \Notebook.owner) var notebooks: [Notebook] = []

    init(name: String) { self.name = name }
}

@Model
final class Notebook {
    var name: String
    var shelf: Int?
    var owner: Person?
    @Relationship(inverse: \Note.notebook) var notes: [Note] = []

    init(name: String, shelf: Int? = nil) {
        self.name = name
        self.shelf = shelf
    }
}

@Model
final class Tag {
    var name: String
    var isHot: Bool
    var heat: Int?
    @Transient var warmth = 0
    var notes: [Note] = []

    init(name: String, isHot: Bool = false, heat: Int? = nil) {
        self.name = name
        self.isHot = isHot
        self.heat = heat
    }
}

@Model
class Note {
    #Index<Note>([\.title], [\.rating], [\.createdAt], [\.uid])

    var title: String
    var uid: UUID
    var body: String?
    var rating: Int
    var small: Int8
    var weight: Double
    var createdAt: Date
    var dueAt: Date?
    var kind: Kind
    var priority: Priority?
    var place: Place?
    var scores: [Int]
    var pinned: Bool
    var flagged: Bool?
    var stars: Int?
    var mood: Mood? = Mood.calm
    @Transient var cached = 0
    var notebook: Notebook?
    @Relationship(inverse: \Tag.notes) var tags: [Tag] = []
    var parent: Note?
    @Relationship(inverse: \Note.parent) var links: [Note]? = []

    var summary: String { title + (body ?? "") }

    init(
        _ title: String, body: String? = nil, rating: Int = 0, weight: Double = 0,
        createdAt: Date = .init(timeIntervalSinceReferenceDate: 0),
        dueAt: Date? = nil, kind: Kind = .plain, priority: Priority? = nil, place: Place? = nil, scores: [Int] = [],
        pinned: Bool = false, flagged: Bool? = nil, stars: Int? = nil, small: Int8 = 0
    ) {
        self.title = title
        uid = UUID()
        self.body = body
        self.rating = rating
        self.small = small
        self.weight = weight
        self.createdAt = createdAt
        self.dueAt = dueAt
        self.kind = kind
        self.priority = priority
        self.place = place
        self.scores = scores
        self.pinned = pinned
        self.flagged = flagged
        self.stars = stars
    }
}

extension Note: Titled {}

@Model
final class Memo: Note {
    var reason: String?

    init(_ title: String, reason: String?) {
        self.reason = reason
        super.init(title)
    }
}
