/// What one request may ask for. The web protocol's numbers are Apple's [Apple:PropertyMetrics]; the native framework has
/// its own.
package struct Limits: Sendable, Hashable {
    /// Operations, lookups, zones or subscriptions of one request.
    package var items: Int
    /// Records of one page of a query's answer, or zones of one page of a database's changes.
    package var recordsPerPage: Int
    /// Records of one page of a zone's changes. A device that has none asks for a hundred thousand, and each page costs it
    /// a round trip.
    package var changesPerPage: Int
    /// Bytes of all the records of one `records/modify` together, without assets; nil where only each record is limited.
    package var requestBytes: Int?
    /// Bytes of one record's fields, without assets.
    package var recordBytes: Int
    /// Bytes that one page of a query or of changes may have before it is cut short; one record always goes.
    package var pageBytes: Int
    /// Rows that one request for changes looks at, sent or not.
    package var changeRows = 5_000
    /// Rows that one page of a query looks at, found or not; the page then ends, however short.
    package var queryRows = 10_000
    /// Records that a query gathers and sorts; more are read in the order of an index.
    package var queryGathered = 1_000

    package static let webServices = Limits(
        items: 200, recordsPerPage: 200, changesPerPage: 200, requestBytes: nil, recordBytes: 1 << 20,
        pageBytes: 2 << 20)
    package static let native = Limits(
        items: 400, recordsPerPage: 200, changesPerPage: 1000, requestBytes: 2 << 20, recordBytes: 1 << 20,
        pageBytes: 2 << 20)

    /// Sources with `DELETE_SELF`, and children, of one record.
    package static let sourcesPerTarget = 750
    /// Records that one request may delete through `DELETE_SELF` references, so that the writer is never held for long.
    package static let cascadedDeletions = 5000
    /// Characters of a record, zone, type or field name.
    package static let nameLength = 255
    /// References with an action that one record may hold, and that the records of one request may add.
    package static let referencesPerRecord = 1000
    package static let referencesPerRequest = 5000
    /// Files that one record may get in one save.
    package static let assetsPerRecord = 200
    /// Fields that one request may bring into being: each is several statements of the writer.
    package static let newFieldsPerRequest = 1000
    /// Index entries that one request may make: elements of long lists, mostly.
    package static let indexEntriesPerRequest = 50_000
    /// Subscriptions of one user in one database, and bytes of one.
    package static let subscriptionsPerDatabase = 200
    package static let subscriptionBytes = 16 << 10
    /// Addresses for pushes that one user has, and that one client of a user has; the oldest give way.
    package static let pushTokensPerUser = 2_000
    package static let pushTokensPerClient = 16
}
