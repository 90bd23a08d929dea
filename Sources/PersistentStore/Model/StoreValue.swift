import Foundation

/// A value of any attribute, for what is off the fast path: defaults, parameters of a query, history and conflicts.
package enum StoreValue: Sendable, Hashable, Codable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case double(Double)
    case decimal(Decimal)
    case string(String)
    case data(Data)
    case date(Date)
    case uuid(UUID)
    case url(URL)
    /// The destination of a to-one relationship.
    case reference(RowID)
    /// The elements of a composite, flattened.
    case composite([StoreValue])

    package var isNull: Bool { self == .null }
}
