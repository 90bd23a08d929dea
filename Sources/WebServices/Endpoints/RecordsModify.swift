/// `POST records/modify`. [Apple:ModifyRecords]
package enum RecordsModify {
    package enum OperationType: String, Sendable, Hashable, CaseIterable {
        case create, update, forceUpdate, replace, forceReplace, delete, forceDelete
    }

    package struct Operation: Sendable {
        package var type: OperationType
        package var record: Record
        /// Wins over the request's.
        package var desiredKeys: [String]?

        package init(_ type: OperationType, _ record: Record, desiredKeys: [String]? = nil) {
            self.type = type
            self.record = record
            self.desiredKeys = desiredKeys
        }
    }

    package struct Request: Sendable {
        package var operations: [Operation]
        package var zoneID: ZoneID?
        /// nil means "as the zone does it": atomic in a custom zone, each operation alone in the default zone.
        package var atomic: Bool?
        package var desiredKeys: [String]?
        package var numbersAsStrings: Bool

        package init(
            operations: [Operation], zoneID: ZoneID? = nil, atomic: Bool? = nil, desiredKeys: [String]? = nil,
            numbersAsStrings: Bool = false
        ) {
            self.operations = operations
            self.zoneID = zoneID
            self.atomic = atomic
            self.desiredKeys = desiredKeys
            self.numbersAsStrings = numbersAsStrings
        }
    }

    /// One result an operation, in order.
    package struct Response: Sendable {
        package var records: [RecordResult]
        package var syncToken: String?
        package var numbersAsStrings: Bool

        package init(records: [RecordResult], syncToken: String? = nil, numbersAsStrings: Bool = false) {
            self.records = records
            self.syncToken = syncToken
            self.numbersAsStrings = numbersAsStrings
        }
    }
}
