import CloudKit
import Foundation
import Testing

/// A predicate as public code asks it of CloudKit, and what it becomes.
struct QueryShape: Sendable, CustomTestStringConvertible {
    var format: String
    /// Made anew for each run: predicates take any object.
    var arguments: @Sendable () -> [Any]
    /// The filters, as `comparator field type`; nil where CloudKit refuses the predicate.
    var filters: [String]?

    init(_ format: String, _ arguments: @autoclosure @escaping @Sendable () -> [Any] = [], _ filters: String...) {
        self.format = format
        self.arguments = arguments
        self.filters = filters
    }

    private init(refused format: String, _ arguments: @escaping @Sendable () -> [Any]) {
        self.format = format
        self.arguments = arguments
        filters = nil
    }

    static func refused(_ format: String, _ arguments: @autoclosure @escaping @Sendable () -> [Any] = []) -> QueryShape
    {
        QueryShape(refused: format, arguments)
    }

    var testDescription: String { format }

    static let id = CKRecord.ID(recordName: "r1")
    static let reference = CKRecord.Reference(recordID: id, action: .none)
    static let place = CLLocation(latitude: 48, longitude: 16)
    static let day = Date(timeIntervalSince1970: 86_400)

    /// All that CloudKit answers, given the fields and indexes.
    static let accepted: [QueryShape] = [
        QueryShape("TRUEPREDICATE"),
        QueryShape("color = \"red\"", [], "EQUALS color STRING"),
        QueryShape("color == true", [], "EQUALS color INT64"),
        QueryShape("color == YES", [], "EQUALS color INT64"),
        QueryShape("color == %@", ["red"], "EQUALS color STRING"),
        QueryShape("color==%@", ["red"], "EQUALS color STRING"),
        QueryShape("color ==%@", ["red"], "EQUALS color STRING"),
        QueryShape("%K == %@", ["color", "red"], "EQUALS color STRING"),
        QueryShape("%@ == color", ["red"], "EQUALS color STRING"),
        QueryShape("%K = %@ AND %K = %@", ["color", "red", "size", "L"], "EQUALS color STRING", "EQUALS size STRING"),
        QueryShape(
            "a == %@ AND b == %@ AND c == %@ AND d == %@", ["1", "2", "3", "4"], "EQUALS a STRING", "EQUALS b STRING",
            "EQUALS c STRING", "EQUALS d STRING"),
        QueryShape("color = ' red '", [], "EQUALS color STRING"),
        QueryShape("colors CONTAINS %@", ["red"], "LIST_CONTAINS colors STRING"),
        QueryShape("%K CONTAINS %@", ["owners", reference], "LIST_CONTAINS owners REFERENCE"),
        QueryShape("owners CONTAINS %@", [reference], "LIST_CONTAINS owners REFERENCE"),
        QueryShape("%@ IN owners", [reference], "LIST_CONTAINS owners REFERENCE"),
        QueryShape("creationDate >= %@", [Date.distantPast], "GREATER_THAN_OR_EQUALS createdTimestamp TIMESTAMP"),
        QueryShape("creationDate < %@", [day], "LESS_THAN createdTimestamp TIMESTAMP"),
        QueryShape("%K > %@", ["creationDate", day], "GREATER_THAN createdTimestamp TIMESTAMP"),
        QueryShape("modificationDate > %@", [day], "GREATER_THAN modifiedTimestamp TIMESTAMP"),
        QueryShape("___modTime > %@", [day], "GREATER_THAN modifiedTimestamp TIMESTAMP"),
        QueryShape("date > %@", [day], "GREATER_THAN date TIMESTAMP"),
        QueryShape("date > CAST(700000000, 'NSDate')", [], "GREATER_THAN date TIMESTAMP"),
        QueryShape("date < now()", [], "LESS_THAN date TIMESTAMP"),
        QueryShape("recordID = %@", [id], "EQUALS recordName REFERENCE"),
        QueryShape("recordID == %@", [reference], "EQUALS recordName REFERENCE"),
        QueryShape("recordID IN %@", [[id]], "IN recordName REFERENCE_LIST"),
        QueryShape("recordID in %@", [[reference]], "IN recordName REFERENCE_LIST"),
        QueryShape(
            "NOT (recordID IN %@) AND color == 1", [[id]], "NOT_IN recordName REFERENCE_LIST", "EQUALS color INT64"),
        QueryShape("NOT (%K IN %@)", ["color", ["red", "blue"]], "NOT_IN color STRING_LIST"),
        QueryShape("%K IN %@", ["color", ["red", "blue"]], "IN color STRING_LIST"),
        QueryShape("%K IN %@", ["size", [1, 2.5]], "IN size DOUBLE_LIST"),
        QueryShape("color IN {'A', 'B', 'C'}", [], "IN color STRING_LIST"),
        QueryShape("ANY %@ = recordID", [[reference]], "IN recordName REFERENCE_LIST"),
        QueryShape("ANY %@ = date", [[day]], "IN date TIMESTAMP_LIST"),
        QueryShape("ANY colors = %@", ["red"], "LIST_CONTAINS colors STRING"),
        QueryShape("ANY colors IN %@", [["red"]], "LIST_CONTAINS_ANY colors STRING_LIST"),
        QueryShape("ANY colors BEGINSWITH %@", ["r"], "LIST_MEMBER_BEGINS_WITH colors STRING"),
        QueryShape("NONE colors = %@", ["red"], "NOT_LIST_CONTAINS colors STRING"),
        QueryShape(
            "owner = %@ AND color == %@", [reference, "red"], "EQUALS owner REFERENCE", "EQUALS color STRING"),
        QueryShape("owner = %@", [reference], "EQUALS owner REFERENCE"),
        QueryShape("owner != %@", [reference], "NOT_EQUALS owner REFERENCE"),
        QueryShape("owner == %@", [CKRecord(recordType: "R", recordID: id)], "EQUALS owner REFERENCE"),
        QueryShape("size = %@", [NSNumber(value: 3)], "EQUALS size INT64"),
        QueryShape("size == %d", [3], "EQUALS size INT64"),
        QueryShape("%K = 0", ["size"], "EQUALS size INT64"),
        QueryShape(
            "size == %@ && height = %@", [NSNumber(value: 3), NSNumber(value: 1.5)], "EQUALS size INT64",
            "EQUALS height DOUBLE"),
        QueryShape("allTokens TOKENMATCHES[cdl] %@", ["red shoes"], "CONTAINS_ALL_TOKENS - STRING"),
        QueryShape("ALL tokenize(%@, 'Cdl') IN allTokens", ["red shoes"], "CONTAINS_ALL_TOKENS - STRING"),
        QueryShape("self CONTAINS %@", ["red shoes"], "CONTAINS_ANY_TOKENS - STRING"),
        QueryShape(
            "distanceToLocation:fromLocation:(%K, %@) < %@", ["place", place, NSNumber(value: 500)],
            "NEAR place LOCATION 500"),
        QueryShape("distanceToLocation:fromLocation:(%K,%@) < %f", ["place", place, 500.0], "NEAR place LOCATION 500"),
        QueryShape(
            "distanceToLocation:fromLocation:(place, %@) < 100 and recordID != %@", [place, reference],
            "NEAR place LOCATION 100", "NOT_EQUALS recordName REFERENCE"),
        QueryShape(
            "%K BETWEEN {%@, %@}", ["date", day, day + 1], "GREATER_THAN_OR_EQUALS date TIMESTAMP",
            "LESS_THAN_OR_EQUALS date TIMESTAMP"),
        QueryShape("%K == %@", ["creatorUserRecordID", id], "EQUALS createdUserRecordName REFERENCE"),
        QueryShape("creatorUserRecordID == %@", [reference], "EQUALS createdUserRecordName REFERENCE"),
        QueryShape("NOT (color == %@)", ["red"], "NOT_EQUALS color STRING"),
        QueryShape("NOT (size < %d)", [3], "GREATER_THAN_OR_EQUALS size INT64"),
        QueryShape("color BEGINSWITH %@", ["r"], "BEGINS_WITH color STRING"),
        QueryShape("NOT (color BEGINSWITH %@)", ["r"], "NOT_BEGINS_WITH color STRING"),
        // To Apple's framework a field like any other, which the server will not find.
        QueryShape("recordName == %@", ["r1"], "EQUALS recordName STRING"),
        // Nothing is excluded.
        QueryShape("NOT (color IN %@)", [[String]()]),
    ]

    /// All that CloudKit refuses, whatever the schema.
    static let refusals: [QueryShape] = [
        .refused("recordID BEGINSWITH 'rom_'"),
        .refused("%K == %@ OR %K == %@", ["color", "red", "size", "L"]),
        .refused("color == 'red' AND (size == 1 OR size == 2)"),
        .refused("NOT (color == 'red' AND size == 1)"),
        .refused("NOT (date BETWEEN %@)", [[day, day + 1]]),
        .refused("NOT (self CONTAINS 'red')"),
        .refused("owner.parent.recordID = %@", [id]),
        .refused("color = %@ AND owner.recordName = %@", [reference, "r1"]),
        .refused(
            "%K IN %@ AND distanceToLocation:fromLocation:(place, %@) < %f AND %K BETWEEN {%@, %@}",
            ["owner", [reference], place, 500.0, "date", day, day + 1]),
        .refused("distanceToLocation:fromLocation:(place, %@) > 100", [place]),
        .refused("color CONTAINS[cd] %@", ["red"]),
        .refused("color ==[c] %@", ["red"]),
        .refused("color ENDSWITH %@", ["d"]),
        .refused("color LIKE %@", ["r*"]),
        .refused("color MATCHES %@", ["r.*"]),
        .refused("ALL colors = %@", ["red"]),
        .refused("SUBQUERY(colors, $c, $c.size == 1).@count > 0"),
        .refused("@count > 3"),
        .refused("color == size"),
        .refused("size + 1 > 3"),
        .refused("color == $WANTED"),
        .refused("color == nil"),
        .refused("place == %@", [place]),
        .refused("color == %@", [UUID()]),
        .refused("color IN %@", [["red", 1] as [Any]]),
    ]
}
