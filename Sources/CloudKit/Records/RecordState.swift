import Foundation

/// The values of one kind, plain or encrypted, that a record holds, and what was done to them since the server's state.
package struct RecordFields: Sendable {
    package var values: [String: RecordValue] = [:]
    /// Keys set since, whether to a value or to nil.
    package var changedKeys: Set<String> = []
    /// What the changed keys held before; keys that held nothing are absent.
    package var originalValues: [String: RecordValue] = [:]

    package init(values: [String: RecordValue] = [:]) {
        self.values = values
    }

    mutating func set(_ value: RecordValue?, forKey key: String) {
        if changedKeys.insert(key).inserted, let original = values[key] { originalValues[key] = original }
        values[key] = value
    }

    /// Drops the key as though it had never been set.
    mutating func forget(_ key: String) {
        values[key] = nil
        changedKeys.remove(key)
        originalValues[key] = nil
    }

    /// The values as they were before any change.
    var unchanged: RecordFields {
        var values = values
        for key in changedKeys { values[key] = originalValues[key] }
        return RecordFields(values: values)
    }
}

/// What the server says of a record beside its values.
package struct RecordSystemFields: Sendable {
    package var changeTag: String?
    package var creationDate: Date?
    package var creatorUserRecordID: CKRecord.ID?
    package var modificationDate: Date?
    package var lastModifiedUserRecordID: CKRecord.ID?
    package var modifiedByDevice: String?
    package var parent: CKRecord.Reference?
    package var share: CKRecord.Reference?
    /// Whether `parent` was set since the server's state, and what it was before.
    package var hasChangedParent = false
    package var previousParent: CKRecord.Reference?

    package init(
        changeTag: String? = nil, creationDate: Date? = nil, creatorUserRecordID: CKRecord.ID? = nil,
        modificationDate: Date? = nil, lastModifiedUserRecordID: CKRecord.ID? = nil, modifiedByDevice: String? = nil,
        parent: CKRecord.Reference? = nil, share: CKRecord.Reference? = nil
    ) {
        self.changeTag = changeTag
        self.creationDate = creationDate
        self.creatorUserRecordID = creatorUserRecordID
        self.modificationDate = modificationDate
        self.lastModifiedUserRecordID = lastModifiedUserRecordID
        self.modifiedByDevice = modifiedByDevice
        self.parent = parent
        self.share = share
    }
}

/// All of a record that can change: what lies behind its lock, and what a save sends.
package struct RecordState: Sendable {
    package var system = RecordSystemFields()
    package var plain = RecordFields()
    package var encrypted = RecordFields()

    package init(
        system: RecordSystemFields = RecordSystemFields(), plain: RecordFields = RecordFields(),
        encrypted: RecordFields = RecordFields()
    ) {
        self.system = system
        self.plain = plain
        self.encrypted = encrypted
    }

    /// The state that the server had when the record was last fetched or saved.
    package var unchanged: RecordState {
        var unchanged = RecordState(system: system, plain: plain.unchanged, encrypted: encrypted.unchanged)
        if system.hasChangedParent { unchanged.system.parent = system.previousParent }
        unchanged.system.hasChangedParent = false
        unchanged.system.previousParent = nil
        return unchanged
    }
}
