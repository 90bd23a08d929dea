import WebServices

/// A scalar as comparators see it: bytes whose order is the order of the values, uncut.
///
/// Strings compare by their UTF-8 bytes as they were sent: case counts, and two spellings of one character differ.
/// [CKQuery's documentation calls `=` on strings case-insensitive; here as in the web protocol `EQUALS` is exact.]
struct QueryValue: Sendable, Hashable {
    let bytes: [UInt8]
    /// The zone of a reference, where it names one.
    let zone: String?

    /// nil for what has no order: locations, assets, lists.
    init?(_ value: FieldValue) {
        var zone: String?
        switch value {
        case .string(let text): bytes = Array(text.utf8)
        case .int64(let number), .timestamp(let number): bytes = IndexValue.integer(number)
        case .double(let number): bytes = IndexValue.double(number)
        case .bytes(let content): bytes = content
        case .reference(let reference):
            bytes = Array(reference.recordName.utf8)
            zone = reference.zoneID?.zoneName
        case .location, .asset, .list: return nil
        }
        self.zone = zone
    }

    /// Equality. References are equal when their record names are and their zones do not differ: one that names no zone
    /// means any.
    func matches(_ other: QueryValue) -> Bool {
        guard bytes == other.bytes else { return false }
        guard let zone, let otherZone = other.zone else { return true }
        return zone == otherZone
    }

    /// As an index entry holds it.
    var indexBytes: [UInt8] { Array(bytes.prefix(IndexValue.maximumLength)) }
}
