import Foundation
import Synchronization

extension CKSyncEngine {
    /// A record to be sent. The record itself is asked for when its batch is made.
    public enum PendingRecordZoneChange: Sendable, Hashable, CustomStringConvertible {
        case saveRecord(CKRecord.ID)
        case deleteRecord(CKRecord.ID)

        package var recordID: CKRecord.ID {
            switch self {
            case .saveRecord(let recordID), .deleteRecord(let recordID): recordID
            }
        }

        public var description: String {
            switch self {
            case .saveRecord(let recordID): "saveRecord(\(recordID.shortDescription))"
            case .deleteRecord(let recordID): "deleteRecord(\(recordID.shortDescription))"
            }
        }
    }

    /// A zone to be sent.
    public enum PendingDatabaseChange: Sendable, Hashable, CustomStringConvertible {
        case saveZone(CKRecordZone)
        case deleteZone(CKRecordZone.ID)

        package var zoneID: CKRecordZone.ID {
            switch self {
            case .saveZone(let zone): zone.zoneID
            case .deleteZone(let zoneID): zoneID
            }
        }

        private var isSave: Bool {
            if case .saveZone = self { true } else { false }
        }

        /// Two zone objects are never equal; what counts here is which zone they mean.
        public static func == (lhs: PendingDatabaseChange, rhs: PendingDatabaseChange) -> Bool {
            lhs.isSave == rhs.isSave && lhs.zoneID == rhs.zoneID
        }

        public func hash(into hasher: inout Hasher) {
            hasher.combine(isSave)
            hasher.combine(zoneID)
        }

        public var description: String {
            "\(isSave ? "saveZone" : "deleteZone")(\(zoneID.shortDescription))"
        }
    }

    /// Records that are sent together.
    public struct RecordZoneChangeBatch: Sendable, CustomStringConvertible {
        public var recordsToSave: [CKRecord]
        public var recordIDsToDelete: [CKRecord.ID]
        /// Whether of each zone everything is saved or nothing. A zone's part that is too large for one request is sent
        /// in several, each atomic by itself.
        public var atomicByZone: Bool

        public init(
            recordsToSave: [CKRecord] = [], recordIDsToDelete: [CKRecord.ID] = [], atomicByZone: Bool = false
        ) {
            self.recordsToSave = recordsToSave
            self.recordIDsToDelete = recordIDsToDelete
            self.atomicByZone = atomicByZone
        }

        /// The next batch of the changes, in order, as large as one request may be.
        ///
        /// - Parameter recordProvider: Gives the record to save; nil leaves its change out.
        /// - Returns: nil when nothing is left to send.
        public init?(
            pendingChanges: [PendingRecordZoneChange], recordProvider: @Sendable (CKRecord.ID) async -> CKRecord?
        ) async {
            self.init()
            var size = SyncBatchSize()
            for change in pendingChanges {
                switch change {
                case .deleteRecord(let recordID):
                    guard size.add(bytes: recordID.approximateBytes) else { return }
                    recordIDsToDelete.append(recordID)
                case .saveRecord(let recordID):
                    guard let record = await recordProvider(recordID) else { continue }
                    guard size.add(bytes: record.approximateBytes) else { return }
                    recordsToSave.append(record)
                }
            }
            if isEmpty { return nil }
        }

        package var isEmpty: Bool { recordsToSave.isEmpty && recordIDsToDelete.isEmpty }

        public var description: String {
            "RecordZoneChangeBatch(recordsToSave: \(recordsToSave.map(\.recordID.shortDescription)), "
                + "recordIDsToDelete: \(recordIDsToDelete.map(\.shortDescription)), atomicByZone: \(atomicByZone))"
        }
    }
}

/// How much of a request is taken up.
struct SyncBatchSize {
    /// What Apple tells of one request: 400 items and 2 MB, assets not counted. [Apple:CKError.limitExceeded]
    static let mostItems = 400
    static let mostBytes = 2_000_000

    private(set) var items = 0
    private var bytes = 0
    private let itemLimit: Int

    init(itemLimit: Int = Self.mostItems) {
        self.itemLimit = itemLimit
    }

    /// Takes an item in if there is room; the first one always fits, since it cannot be made smaller.
    mutating func add(bytes more: Int) -> Bool {
        guard items == 0 || (items < itemLimit && bytes + more <= Self.mostBytes) else { return false }
        items += 1
        bytes += more
        return true
    }
}

extension CKRecord {
    /// About how many bytes the record's changes take in a request, rather more than fewer.
    var approximateBytes: Int {
        let now = state.withLock { $0 }
        return [now.plain, now.encrypted].reduce(recordID.approximateBytes) { bytes, fields in
            fields.changedKeys.reduce(bytes) { $0 + $1.utf8.count + 32 + (fields.values[$1]?.approximateBytes ?? 4) }
        }
    }
}

extension CKRecord.ID {
    var approximateBytes: Int { recordName.utf8.count + 200 }
}

extension RecordValue {
    fileprivate var approximateBytes: Int {
        switch self {
        case .string(let text): text.utf8.count + 8
        case .data(let data): data.count / 3 * 4 + 8
        case .integer, .double, .date: 24
        case .location, .reference: 200
        // What an asset holds is not counted, its description is.
        case .asset: 500
        case .list(let elements): elements.reduce(8) { $0 + $1.approximateBytes }
        }
    }
}
