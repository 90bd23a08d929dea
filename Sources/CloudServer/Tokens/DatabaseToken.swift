import WebServices

/// A place in a database's history: for every zone that was visible, how far the client has been told.
///
/// No counter is shared by the zones of a database: what changed is what has moved on, and a zone that vanished is the
/// difference. Up to `inlineLimit` zones the token holds the list itself; beyond, the list is kept in the store under a
/// digest of its content, and the token holds the digest.
package struct DatabaseToken: Sendable, Hashable {
    package static let inlineLimit = 500

    package struct Entry: Sendable, Hashable {
        package var incarnation: Int64
        package var sequence: Int64

        package init(incarnation: Int64, sequence: Int64) {
            self.incarnation = incarnation
            self.sequence = sequence
        }
    }

    /// By the zone row's identity.
    package var zones: [Int64: Entry]

    package init(zones: [Int64: Entry] = [:]) {
        self.zones = zones
    }

    /// How a token travels.
    package enum Text: Sendable, Hashable {
        case inline(DatabaseToken)
        /// To be found in the store.
        case stored(digest: [UInt8])
    }

    /// The compact list: number of zones, then for each the distance to the identity before it, incarnation, sequence.
    package var bytes: [UInt8] {
        var bytes = TokenBytes()
        bytes.append(Int64(zones.count))
        var last: Int64 = 0
        for (zone, entry) in zones.sorted(by: { $0.key < $1.key }) {
            bytes.append(zone &- last)
            bytes.append(entry.incarnation)
            bytes.append(entry.sequence)
            last = zone
        }
        return bytes.bytes
    }

    package init?(bytes: ArraySlice<UInt8>) {
        var reader = TokenBytesReader(bytes)
        guard let count = reader.count() else { return nil }
        var zones: [Int64: Entry] = [:]
        var last: Int64 = 0
        for _ in 0..<count {
            guard let distance = reader.count(), let incarnation = reader.count(), let sequence = reader.count(),
                distance <= Int64.max - last
            else { return nil }
            last += distance
            zones[last] = Entry(incarnation: incarnation, sequence: sequence)
        }
        guard reader.isAtEnd else { return nil }
        self.zones = zones
    }

    /// - Parameter database: the scope and owner that the token belongs to.
    package func text(database: String, _ key: TokenKey) -> String {
        key.seal(.database, realm: database, bytes)
    }

    package static func storedText(digest: [UInt8], database: String, _ key: TokenKey) -> String {
        key.seal(.storedDatabase, realm: database, digest)
    }

    package static func read(_ text: String, database: String, _ key: TokenKey) throws(ServerError) -> Text {
        let (kind, payload) = try key.open(text, [.database, .storedDatabase], realm: database)
        if kind == .storedDatabase { return .stored(digest: Array(payload)) }
        guard let token = DatabaseToken(bytes: payload) else { throw .invalidContinuationFormat }
        return .inline(token)
    }
}
