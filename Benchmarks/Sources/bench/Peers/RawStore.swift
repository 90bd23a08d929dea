import CRawStore
import Foundation
import Glibc

/// SQLite by hand in a store file that SwiftData made.
final class RawStore {
    static let name = "sqlite"

    /// An entity's columns, and a letter each for what they hold.
    struct Table {
        var entity: String
        var columns: String
        var kinds: String

        static let item = Table(
            entity: "Item", columns: (0..<10).map { "ZI\($0)" }.joined(separator: ", "), kinds: "iiiiiiiiii")
        static let order = Table(
            entity: "Order",
            columns: """
                ZORDERID, ZCUSTOMERID, ZEMPLOYEEID, ZORDERDATE, ZREQUIREDDATE, ZSHIPPEDDATE, ZSHIPVIA, ZFREIGHT, ZSHIPNAME, \
                ZSHIPADDRESS, ZSHIPCITY, ZSHIPREGION, ZSHIPPOSTALCODE, ZSHIPCOUNTRY
                """, kinds: "iuiddeidttuuuu")
        static let user = Table(entity: "User", columns: "ZFIRSTNAME, ZSURNAME, ZAGE", kinds: "uti")
        static let school = Table(entity: "School", columns: "ZNAME", kinds: "t")
        static let student = Table(entity: "Student", columns: "ZNAME, ZSCHOOL", kinds: "th")
        static let grade = Table(entity: "Grade", columns: "ZSUBJECT, ZVALUE, ZSTUDENT", kinds: "ui3")
    }

    private let store: OpaquePointer

    init(_ url: URL) throws {
        var opened: OpaquePointer?
        let code = raw_store_open(url.path, &opened)
        guard let opened, code == 0 else { throw HTTPConnection.Failure(description: "SQLite: code \(code)") }
        store = opened
    }

    deinit { raw_store_close(store) }

    /// Saves so many rows of each table, in one transaction that is on the disk afterwards.
    func insert(_ rows: [(table: Table, count: Int)]) throws {
        try check(raw_store_begin(store))
        for (table, count) in rows {
            try check(raw_store_insert(store, table.entity, table.columns, table.kinds, Int32(count)))
        }
        try check(raw_store_commit(store))
    }

    /// Adds one to a column of every row, or deletes every row where none is named, in one transaction.
    func change(_ table: Table, _ column: String?) throws {
        try check(raw_store_begin(store))
        try check(raw_store_change(store, table.entity, column))
        try check(raw_store_commit(store))
    }

    /// Reads all rows, adds up every column, and answers the sum.
    func fetch(_ table: Table) throws -> Int {
        var (sum, rows): (Int64, Int64) = (0, 0)
        try check(raw_store_fetch(store, table.entity, table.columns, table.kinds, &sum, &rows))
        return Int(sum)
    }

    private func check(_ code: Int32) throws {
        guard code == 0 else { throw HTTPConnection.Failure(description: "SQLite: code \(code)") }
    }
}
