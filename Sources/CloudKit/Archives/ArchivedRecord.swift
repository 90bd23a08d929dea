import Foundation

/// A record as an archive holds it, under the keys that archives made on Apple's devices have. Everything lies on the
/// coder itself, beside whatever else an app writes there.
struct ArchivedRecord {
    var recordType: String
    var recordID: CKRecord.ID
    var state: RecordState

    init(recordType: String, recordID: CKRecord.ID, state: RecordState) {
        self.recordType = recordType
        self.recordID = recordID
        self.state = state
    }

    private enum Key {
        static let recordType = "RecordType"
        static let recordID = "RecordID"
        static let creationDate = "RecordCtime"
        static let modificationDate = "RecordMtime"
        static let changeTag = "ETag"
        static let creator = "CreatorUserRecordID"
        static let lastModifier = "LastModifiedUserRecordID"
        static let device = "ModifiedByDevice"
        static let isKnownToServer = "KnownToServer"
        static let permission = "Permission"
        static let parent = "ParentReference"
        static let previousParent = "PreviousParentReference"
        static let hasChangedParent = "HasUpdatedParentReference"
        static let share = "ShareReference"
        static let values = "ValueStore"
        static let encryptedValues = "EncryptedValueStore"
        static let plugins = "PluginFields"

        /// Keys of Apple's archives for what does not exist here; written as they are in a record without it.
        static let absentObjects = [
            "PreviousShareReference", "ShareEtag", "URL", "BaseToken", "ConflictLoserEtags", "RoutingKey",
            "ProtectionData", "ProtectionDataEtag", "PreviousProtectionDataEtag", "ZoneProtectionDataEtag",
            "ChainProtectionData", "ChainPrivateKey", "ChainParentPublicKeyID", "PCSKeyID", "ZoneishKeyID",
            "TombstonedPublicKeyIDs", "MutableEncryptedPublicSharingKey",
        ]
        static let absentFlags = [
            "HasUpdatedShareReference", "WasCached", "UseLightweightPCS", "WantsChainPCSKey", "WantsPublicSharingKey",
        ]
    }

    // MARK: Writing

    func encodeSystemFields(with coder: NSCoder) {
        let system = state.system
        coder.encode(recordType as Any?, forKey: Key.recordType)
        coder.encode(recordID as Any?, forKey: Key.recordID)
        coder.encode(system.creationDate as Any?, forKey: Key.creationDate)
        coder.encode(system.modificationDate as Any?, forKey: Key.modificationDate)
        coder.encode(system.changeTag as Any?, forKey: Key.changeTag)
        coder.encode(system.creatorUserRecordID as Any?, forKey: Key.creator)
        coder.encode(system.lastModifiedUserRecordID as Any?, forKey: Key.lastModifier)
        coder.encode(system.modifiedByDevice as Any?, forKey: Key.device)
        coder.encode(system.changeTag != nil, forKey: Key.isKnownToServer)
        coder.encode(Int64(1), forKey: Key.permission)
        coder.encode(system.parent as Any?, forKey: Key.parent)
        coder.encode(system.previousParent as Any?, forKey: Key.previousParent)
        coder.encode(system.hasChangedParent, forKey: Key.hasChangedParent)
        coder.encode(system.share as Any?, forKey: Key.share)
        for key in Key.absentObjects { coder.encode(nil as Any?, forKey: key) }
        for key in Key.absentFlags { coder.encode(false, forKey: key) }
    }

    func encodeValues(with coder: NSCoder) {
        coder.encode(CKRecordValueStore(state.plain) as Any?, forKey: Key.values)
        coder.encode(CKEncryptedRecordValueStore(state.encrypted) as Any?, forKey: Key.encryptedValues)
        coder.encode(nil as Any?, forKey: Key.plugins)
    }

    // MARK: Reading

    /// nil when the coder holds no record.
    init?(from coder: NSCoder) {
        if let copying = coder as? RecordCopyCoder {
            self = copying.record
            return
        }
        let decoded = ArchiveReader.read(coder) { archive -> ArchivedRecord? in
            guard let recordType = archive.string(Key.recordType),
                let recordID = archive.object(CKRecord.ID.self, Key.recordID)
            else { return nil }
            var system = RecordSystemFields(
                changeTag: archive.string(Key.changeTag),
                creationDate: archive.date(Key.creationDate),
                creatorUserRecordID: archive.object(CKRecord.ID.self, Key.creator),
                modificationDate: archive.date(Key.modificationDate),
                lastModifiedUserRecordID: archive.object(CKRecord.ID.self, Key.lastModifier),
                modifiedByDevice: archive.string(Key.device),
                parent: archive.object(CKRecord.Reference.self, Key.parent),
                share: archive.object(CKRecord.Reference.self, Key.share))
            system.hasChangedParent = archive.bool(Key.hasChangedParent)
            system.previousParent = archive.object(CKRecord.Reference.self, Key.previousParent)
            let state = RecordState(
                system: system,
                plain: archive.object(CKRecordValueStore.self, Key.values)?.fields ?? RecordFields(),
                encrypted: archive.object(CKRecordValueStore.self, Key.encryptedValues)?.fields ?? RecordFields())
            return ArchivedRecord(recordType: recordType, recordID: recordID, state: state)
        }
        guard let decoded else { return nil }
        self = decoded
    }
}

/// Carries a record into `init(coder:)`, the one initializer that every subclass of CKRecord has.
final class RecordCopyCoder: NSCoder {
    let record: ArchivedRecord

    init(_ record: ArchivedRecord) {
        self.record = record
    }

    // A subclass that looks for values of its own finds none.
    override var allowsKeyedCoding: Bool { true }
    override func containsValue(forKey key: String) -> Bool { false }
    override func decodeObject(forKey key: String) -> Any? { nil }
    override func decodeObject(of classes: [AnyClass]?, forKey key: String) -> Any? { nil }
    override func decodeObject<Object: NSObject & NSCoding>(of cls: Object.Type, forKey key: String) -> Object? { nil }
    override func decodeBool(forKey key: String) -> Bool { false }
    override func decodeInteger(forKey key: String) -> Int { 0 }
    override func decodeInt32(forKey key: String) -> Int32 { 0 }
    override func decodeInt64(forKey key: String) -> Int64 { 0 }
    override func decodeFloat(forKey key: String) -> Float { 0 }
    override func decodeDouble(forKey key: String) -> Double { 0 }
}
