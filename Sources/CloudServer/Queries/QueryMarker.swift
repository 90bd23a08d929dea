import WebServices

/// A continuation marker: where the page before ended, for one query and no other.
struct QueryMarker: Sendable, Hashable {
    var position: QueryPosition
    /// The page before found that the query matches too many records to gather and sort them.
    var isWide: Bool

    /// - Parameter query: a digest of all that decides which records a query finds, and in which order.
    func text(query: [UInt8], _ key: TokenKey) -> String {
        var bytes = TokenBytes()
        bytes.append(blob: query)
        bytes.append((isWide ? 1 : 0) | (position.isGroupEnd ? 2 : 0))
        bytes.append(Int64(position.values.count))
        for value in position.values {
            bytes.append(value == nil ? 0 : 1)
            if let value { bytes.append(blob: value) }
        }
        bytes.append(position.created)
        bytes.append(position.record)
        bytes.append(position.zone)
        return key.seal(.query, bytes.bytes)
    }

    /// - Throws: `BAD_REQUEST` for what is no marker, and for the marker of another query.
    init(_ text: String, query: [UInt8], _ key: TokenKey) throws(ServerError) {
        let payload: ArraySlice<UInt8>
        do {
            payload = try key.open(text, [.query]).1
        } catch {
            // A query has no history that could expire: a foreign marker is as wrong as a damaged one.
            throw error.code == .changeTokenExpired ? .invalidContinuationFormat : error
        }
        var reader = TokenBytesReader(payload)
        guard let digest = reader.blob(), let flags = reader.count(), flags < 4, let count = reader.count(), count <= 64
        else { throw .invalidContinuationFormat }
        guard digest == query else {
            throw .badRequest("The continuation marker belongs to another query")
        }
        var values: [[UInt8]?] = []
        for _ in 0..<count {
            switch reader.number() {
            case 0: values.append(nil)
            case 1:
                guard let value = reader.blob() else { throw .invalidContinuationFormat }
                values.append(value)
            default: throw .invalidContinuationFormat
            }
        }
        guard let created = reader.number(), let record = reader.number(), let zone = reader.number(), reader.isAtEnd
        else { throw .invalidContinuationFormat }
        position = QueryPosition(
            values: values, created: created, record: record, zone: zone, isGroupEnd: flags & 2 != 0)
        isWide = flags & 1 != 0
    }

    init(position: QueryPosition, isWide: Bool) {
        self.position = position
        self.isWide = isWide
    }
}
