import Foundation

/// What one write changed, told after it is kept.
package struct Commit: Sendable, Hashable {
    /// The number of its transaction in the history; 0 when the store keeps none or nothing changed.
    package var transaction: Int64
    package var inserted: [RowID]
    package var updated: [RowID]
    package var deleted: [RowID]
    /// The properties that each updated row had changed, in the order of `updated`.
    package var updatedProperties: [PropertySet]
    package var author: String?
    package var context: String?
    /// What the writer gave to know its own commits again; nil for those of other processes.
    package var origin: UUID?
    package var timestamp: Date

    package var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

    package init(
        transaction: Int64 = 0, inserted: [RowID] = [], updated: [RowID] = [], deleted: [RowID] = [],
        updatedProperties: [PropertySet] = [], author: String? = nil, context: String? = nil, origin: UUID? = nil,
        timestamp: Date = Date()
    ) {
        self.transaction = transaction
        self.inserted = inserted
        self.updated = updated
        self.deleted = deleted
        self.updatedProperties = updatedProperties
        self.author = author
        self.context = context
        self.origin = origin
        self.timestamp = timestamp
    }
}

/// Ends the telling of commits when it goes or is cancelled.
package final class CommitObservation: Sendable {
    private let onCancel: @Sendable () -> Void

    init(onCancel: @escaping @Sendable () -> Void) { self.onCancel = onCancel }

    package func cancel() { onCancel() }

    deinit { onCancel() }
}
