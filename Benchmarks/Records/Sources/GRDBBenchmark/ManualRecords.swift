import Foundation
import GRDB

/// Ten whole numbers, read and written column by column.
struct ManualItem: FetchableRecord, PersistableRecord, Tabled {
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

    init(row: Row) {
        i0 = row[0]
        i1 = row[1]
        i2 = row[2]
        i3 = row[3]
        i4 = row[4]
        i5 = row[5]
        i6 = row[6]
        i7 = row[7]
        i8 = row[8]
        i9 = row[9]
    }

    func encode(to container: inout PersistenceContainer) {
        container["i0"] = i0
        container["i1"] = i1
        container["i2"] = i2
        container["i3"] = i3
        container["i4"] = i4
        container["i5"] = i5
        container["i6"] = i6
        container["i7"] = i7
        container["i8"] = i8
        container["i9"] = i9
    }

    var sum: Int { i0 &+ i1 &+ i2 &+ i3 &+ i4 &+ i5 &+ i6 &+ i7 &+ i8 &+ i9 }
}

/// The fourteen columns of Northwind's orders, read and written column by column. Dates are kept as numbers.
struct ManualOrder: FetchableRecord, PersistableRecord, Tabled {
    static let databaseTableName = "orders"
    static var definition: String { Tables.orders }

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

    init(row: Row) {
        orderID = row[0]
        customerID = row[1]
        employeeID = row[2]
        orderDate = Date(timeIntervalSinceReferenceDate: row[3])
        requiredDate = Date(timeIntervalSinceReferenceDate: row[4])
        shippedDate = (row[5] as Double?).map(Date.init(timeIntervalSinceReferenceDate:))
        shipVia = row[6]
        freight = row[7]
        shipName = row[8]
        shipAddress = row[9]
        shipCity = row[10]
        shipRegion = row[11]
        shipPostalCode = row[12]
        shipCountry = row[13]
    }

    func encode(to container: inout PersistenceContainer) {
        container["orderID"] = orderID
        container["customerID"] = customerID
        container["employeeID"] = employeeID
        container["orderDate"] = orderDate.timeIntervalSinceReferenceDate
        container["requiredDate"] = requiredDate.timeIntervalSinceReferenceDate
        container["shippedDate"] = shippedDate?.timeIntervalSinceReferenceDate
        container["shipVia"] = shipVia
        container["freight"] = freight
        container["shipName"] = shipName
        container["shipAddress"] = shipAddress
        container["shipCity"] = shipCity
        container["shipRegion"] = shipRegion
        container["shipPostalCode"] = shipPostalCode
        container["shipCountry"] = shipCountry
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

/// A simple user, read and written column by column.
struct ManualUser: FetchableRecord, PersistableRecord, Tabled {
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

    init(row: Row) {
        firstName = row[0]
        surname = row[1]
        age = row[2]
    }

    func encode(to container: inout PersistenceContainer) {
        container["firstName"] = firstName
        container["surname"] = surname
        container["age"] = age
    }
}
