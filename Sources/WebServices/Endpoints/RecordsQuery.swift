/// `POST records/query`. [Apple:QueryingRecords]
package enum RecordsQuery {
    package struct Query: Sendable {
        package var recordType: String
        /// All must hold; the protocol has no OR.
        package var filterBy: [Filter]
        package var sortBy: [Sort]

        package init(recordType: String, filterBy: [Filter] = [], sortBy: [Sort] = []) {
            self.recordType = recordType
            self.filterBy = filterBy
            self.sortBy = sortBy
        }
    }

    package struct Filter: Sendable {
        package var comparator: Comparator
        /// nil searches every searchable field (token comparators only).
        package var field: FieldName?
        /// As sent: the type may be missing, the schema decides then.
        package var value: Operand
        /// Metres, for NEAR.
        package var distance: Double?

        package init(_ comparator: Comparator, _ field: FieldName?, _ value: Operand, distance: Double? = nil) {
            self.comparator = comparator
            self.field = field
            self.value = value
            self.distance = distance
        }
    }

    /// A filter's operand before the schema has been asked.
    package indirect enum Operand: Sendable, Hashable {
        case typed(FieldValue)
        case untypedString(String)
        case untypedNumber(Double)
        case untypedInteger(Int64)
        case untypedReference(Reference)
        case untypedList([Operand])
        case null
    }

    package enum Comparator: String, Sendable, Hashable, CaseIterable {
        case equals = "EQUALS"
        case notEquals = "NOT_EQUALS"
        case lessThan = "LESS_THAN"
        case lessThanOrEquals = "LESS_THAN_OR_EQUALS"
        case greaterThan = "GREATER_THAN"
        case greaterThanOrEquals = "GREATER_THAN_OR_EQUALS"
        case near = "NEAR"
        case containsAllTokens = "CONTAINS_ALL_TOKENS"
        case containsAnyTokens = "CONTAINS_ANY_TOKENS"
        case `in` = "IN"
        case notIn = "NOT_IN"
        case beginsWith = "BEGINS_WITH"
        case notBeginsWith = "NOT_BEGINS_WITH"
        case listContains = "LIST_CONTAINS"
        case notListContains = "NOT_LIST_CONTAINS"
        case listContainsAny = "LIST_CONTAINS_ANY"
        case notListContainsAny = "NOT_LIST_CONTAINS_ANY"
        case listContainsAll = "LIST_CONTAINS_ALL"
        case notListContainsAll = "NOT_LIST_CONTAINS_ALL"
        case listMemberBeginsWith = "LIST_MEMBER_BEGINS_WITH"
        case notListMemberBeginsWith = "NOT_LIST_MEMBER_BEGINS_WITH"
    }

    /// A field of the record, or one of the system's, whichever of its two spellings came.
    package enum FieldName: Sendable, Hashable {
        case user(String)
        case system(SystemField)
    }

    package enum SystemField: String, Sendable, Hashable, CaseIterable {
        case recordName = "___recordID"
        case share = "___share"
        case parent = "___parent"
        case createdUserRecordName = "___createdBy"
        case createdTimestamp = "___createTime"
        case modifiedTimestamp = "___modTime"
        case modifiedUserRecordName = "___modifiedBy"

        /// The spelling of `systemFieldName`.
        package var systemFieldName: String {
            switch self {
            case .recordName: "recordName"
            case .share: "share"
            case .parent: "parent"
            case .createdUserRecordName: "createdUserRecordName"
            case .createdTimestamp: "createdTimestamp"
            case .modifiedTimestamp: "modifiedTimestamp"
            case .modifiedUserRecordName: "modifiedUserRecordName"
            }
        }
    }

    package struct Sort: Sendable {
        package var field: FieldName
        package var ascending: Bool
        package var relativeLocation: Location?

        package init(_ field: FieldName, ascending: Bool = true, relativeLocation: Location? = nil) {
            self.field = field
            self.ascending = ascending
            self.relativeLocation = relativeLocation
        }
    }

    package struct Request: Sendable {
        package var query: Query
        package var zoneID: ZoneID?
        package var zoneWide: Bool
        package var resultsLimit: Int?
        package var continuationMarker: String?
        package var desiredKeys: [String]?
        package var numbersAsStrings: Bool

        package init(
            query: Query, zoneID: ZoneID? = nil, zoneWide: Bool = false, resultsLimit: Int? = nil,
            continuationMarker: String? = nil, desiredKeys: [String]? = nil, numbersAsStrings: Bool = false
        ) {
            self.query = query
            self.zoneID = zoneID
            self.zoneWide = zoneWide
            self.resultsLimit = resultsLimit
            self.continuationMarker = continuationMarker
            self.desiredKeys = desiredKeys
            self.numbersAsStrings = numbersAsStrings
        }
    }

    package struct Response: Sendable {
        package var records: [RecordResult]
        package var continuationMarker: String?
        package var syncToken: String?
        package var numbersAsStrings: Bool

        package init(
            records: [RecordResult], continuationMarker: String? = nil, syncToken: String? = nil,
            numbersAsStrings: Bool = false
        ) {
            self.records = records
            self.continuationMarker = continuationMarker
            self.syncToken = syncToken
            self.numbersAsStrings = numbersAsStrings
        }
    }
}
