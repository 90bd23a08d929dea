import Foundation
import GRDB

/// Ten whole numbers, read and written through Codable.
struct CodableItem: Codable, FetchableRecord, PersistableRecord, Tabled {
    static let databaseTableName = "item"
    static var definition: String { Tables.item }

    var i0: Int
    var i1: Int
    var i2: Int
    var i3: Int
    var i4: Int
    var i5: Int
    var i6: Int
    var i7: Int
    var i8: Int
    var i9: Int

    init(row: Int) {
        i0 = row
        i1 = row + 1
        i2 = row + 2
        i3 = row + 3
        i4 = row + 4
        i5 = row + 5
        i6 = row + 6
        i7 = row + 7
        i8 = row + 8
        i9 = row + 9
    }

    var sum: Int { i0 &+ i1 &+ i2 &+ i3 &+ i4 &+ i5 &+ i6 &+ i7 &+ i8 &+ i9 }
}

/// The fourteen columns of Northwind's orders, read and written through Codable. Dates are kept as numbers.
struct CodableOrder: Codable, FetchableRecord, PersistableRecord, Tabled {
    static let databaseTableName = "orders"
    static var definition: String { Tables.orders }

    static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
        .timeIntervalSinceReferenceDate
    }

    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
        .timeIntervalSinceReferenceDate
    }

    var orderID: Int
    var customerID: String
    var employeeID: Int
    var orderDate: Date
    var requiredDate: Date
    var shippedDate: Date?
    var shipVia: Int
    var freight: Double
    var shipName: String
    var shipAddress: String
    var shipCity: String
    var shipRegion: String
    var shipPostalCode: String
    var shipCountry: String

    init(row: Int) {
        let date = Date(timeIntervalSinceReferenceDate: Double(row) * 0.25)
        orderID = row
        customerID = Texts.code(row + 1)
        employeeID = row + 2
        orderDate = date
        requiredDate = date
        shippedDate = row % 7 == 0 ? nil : date
        shipVia = row + 6
        freight = Double(row) * 0.25
        shipName = Texts.text(row + 8)
        shipAddress = Texts.text(row + 9)
        shipCity = Texts.code(row + 10)
        shipRegion = Texts.code(row + 11)
        shipPostalCode = Texts.code(row + 12)
        shipCountry = Texts.code(row + 13)
    }

    var sum: Int {
        let numbers = orderID &+ employeeID &+ shipVia &+ Int(freight)
        let dates = [orderDate, requiredDate, shippedDate].reduce(0) {
            $0 &+ Int($1?.timeIntervalSinceReferenceDate ?? 0)
        }
        return numbers &+ dates &+ customerID.utf8.count &+ shipName.utf8.count &+ shipAddress.utf8.count
            &+ shipCity.utf8.count &+ shipRegion.utf8.count &+ shipPostalCode.utf8.count &+ shipCountry.utf8.count
    }
}

/// A simple user, read and written through Codable.
struct CodableUser: Codable, FetchableRecord, PersistableRecord, Tabled {
    static let databaseTableName = "user"
    static var definition: String { Tables.user }

    var firstName: String
    var surname: String
    var age: Int

    init(row: Int) {
        firstName = Texts.code(row)
        surname = Texts.text(row + 1)
        age = row + 2
    }
}
