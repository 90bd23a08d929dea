/// The tables of both kinds of records.
enum Tables {
    static let item = """
        CREATE TABLE item (
            i0 INTEGER NOT NULL, i1 INTEGER NOT NULL, i2 INTEGER NOT NULL, i3 INTEGER NOT NULL, i4 INTEGER NOT NULL,
            i5 INTEGER NOT NULL, i6 INTEGER NOT NULL, i7 INTEGER NOT NULL, i8 INTEGER NOT NULL, i9 INTEGER NOT NULL)
        """

    static let orders = """
        CREATE TABLE orders (
            orderID INTEGER NOT NULL,
            customerID TEXT NOT NULL,
            employeeID INTEGER NOT NULL,
            orderDate DOUBLE NOT NULL,
            requiredDate DOUBLE NOT NULL,
            shippedDate DOUBLE,
            shipVia INTEGER NOT NULL,
            freight DOUBLE NOT NULL,
            shipName TEXT NOT NULL,
            shipAddress TEXT NOT NULL,
            shipCity TEXT NOT NULL,
            shipRegion TEXT NOT NULL,
            shipPostalCode TEXT NOT NULL,
            shipCountry TEXT NOT NULL)
        """

    static let user = "CREATE TABLE user (firstName TEXT NOT NULL, surname TEXT NOT NULL, age INTEGER NOT NULL)"
}
