/// Changes that wait to be sent, in order, at most one for each item: adding, replacing and removing cost the same
/// however many there are.
package struct PendingQueue<Change: PendingChange>: Sendable {
    private struct Entry: Sendable {
        var change: Change
        /// Raised by every `add`, so that a change added again while it was on its way is told from the one sent.
        var generation: UInt64
    }

    /// nil where a change was taken out; such holes go when they are the larger part.
    private var entries: [Entry?] = []
    private var positions: [Change.Item: Int] = [:]
    private var cached: [Change]?
    /// The number of the newest `add`.
    package private(set) var generation: UInt64 = 0

    package init(_ changes: [Change] = []) {
        for change in changes { add(change) }
    }

    package var count: Int { positions.count }
    package var isEmpty: Bool { positions.isEmpty }

    /// The changes in order. Kept between two changes of the queue.
    package var changes: [Change] {
        mutating get {
            if let cached { return cached }
            let changes = entries.compactMap { $0?.change }
            cached = changes
            return changes
        }
    }

    package func contains(_ change: Change) -> Bool {
        positions[change.item].map { entries[$0]?.change.isSame(as: change) ?? false } ?? false
    }

    /// Adds a change. The same one keeps its place; another one of the same item replaces it, at the end.
    package mutating func add(_ change: Change) {
        generation &+= 1
        if let position = positions[change.item] {
            if entries[position]?.change.isSame(as: change) ?? false {
                entries[position] = Entry(change: change, generation: generation)
                return
            }
            take(position)
        }
        append(change, generation)
        compact()
    }

    /// Removes exactly this change, not another one of the same item.
    package mutating func remove(_ change: Change) {
        guard contains(change), let position = positions[change.item] else { return }
        take(position)
        positions[change.item] = nil
        compact()
    }

    /// Removes a change that was sent, unless it was added again since.
    ///
    /// - Parameter generation: The queue's generation when the sent state was taken.
    package mutating func settle(_ change: Change, upTo generation: UInt64) {
        guard let position = positions[change.item], let entry = entries[position], entry.generation <= generation
        else { return }
        remove(change)
    }

    /// Moves a change that could not be sent behind those that were not tried yet.
    package mutating func postpone(_ change: Change) {
        guard contains(change), let position = positions[change.item], let entry = entries[position] else { return }
        take(position)
        append(entry.change, entry.generation)
        compact()
    }

    package mutating func removeAll() {
        entries = []
        positions = [:]
        cached = nil
    }

    private mutating func append(_ change: Change, _ generation: UInt64) {
        positions[change.item] = entries.count
        entries.append(Entry(change: change, generation: generation))
        cached = nil
    }

    private mutating func take(_ position: Int) {
        entries[position] = nil
        cached = nil
    }

    private mutating func compact() {
        guard entries.count > 32, positions.count < entries.count / 2 else { return }
        entries = entries.filter { $0 != nil }
        for (position, entry) in entries.enumerated() {
            if let entry { positions[entry.change.item] = position }
        }
    }
}

/// Something to be done to an item.
package protocol PendingChange: Sendable, Hashable {
    associatedtype Item: Hashable & Sendable
    var item: Item { get }
    /// Whether both do the same to the same item.
    func isSame(as other: Self) -> Bool
}

extension PendingChange {
    package func isSame(as other: Self) -> Bool { self == other }
}

extension CKSyncEngine.PendingRecordZoneChange: PendingChange {
    package var item: CKRecord.ID { recordID }
}

extension CKSyncEngine.PendingDatabaseChange: PendingChange {
    package var item: CKRecordZone.ID { zoneID }
}
