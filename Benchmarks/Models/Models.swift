import Foundation
import SwiftData

/// Ten whole numbers, as in GRDB's own performance tests.
@Model final class Item {
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

/// The fourteen columns of Northwind's orders.
@Model final class Order {
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

/// A simple user.
@Model final class User {
    var firstName: String
    var surname: String
    var age: Int

    init(row: Int) {
        firstName = Texts.code(row)
        surname = Texts.text(row + 1)
        age = row + 2
    }
}

@Model final class School {
    var name: String
    @Relationship(inverse: \Student.school) var students: [Student] = []

    init(row: Int) { name = Texts.text(row) }
}

@Model final class Student {
    var name: String
    var school: School?
    @Relationship(deleteRule: .cascade, inverse: \Grade.student) var grades: [Grade] = []

    init(row: Int, school: School) {
        name = Texts.text(row)
        self.school = school
    }
}

@Model final class Grade {
    var subject: String
    var value: Int
    var student: Student?

    init(row: Int, student: Student) {
        subject = Texts.code(row)
        value = row + 1
        self.student = student
    }
}
