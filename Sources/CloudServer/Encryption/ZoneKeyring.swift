import CloudStore
import Cryptography
import Synchronization
import WebServices

/// The keys of zones that one request needs, each unwrapped once: what seals and opens the encrypted fields of records.
///
/// What is kept is only good for the request: another one may find that a zone's key was never committed.
package final class ZoneKeyring: Sendable {
    private let wrapping: EncryptionKeys?
    private let random: RandomSource
    private let unwrapped = Mutex<[Int64: [UInt8]]>([:])

    package init(_ wrapping: EncryptionKeys?, _ random: RandomSource) {
        self.wrapping = wrapping
        self.random = random
    }

    /// A store may run an endpoint again, when its database chose the first run to give way to others.
    func reset() {
        unwrapped.withLock { $0 = [:] }
    }

    /// How many bytes more than its fields what is sealed has.
    static let overhead = 1 + AESGCM.nonceByteCount + AESGCM.tagByteCount
    private static let version: UInt8 = 1

    // MARK: - Fields

    /// The encrypted fields of a record as the store keeps them: version, nonce, ciphertext, tag. They open in no other
    /// record.
    func seal(_ fields: Fields, of record: String, in zone: Int64, _ writer: ContainerWriter) throws -> [UInt8] {
        let nonce = random.bytes(AESGCM.nonceByteCount)
        let sealed = try AESGCM.seal(
            fields.storedBytes, key: try keyMade(for: zone, writer), nonce: nonce,
            authenticating: Self.place(record, zone))
        return [Self.version] + nonce + sealed
    }

    /// - Throws: `EncryptionKeysError` where the key is missing or what is stored was changed.
    func open(_ row: RecordRow, _ reader: ContainerReader) throws -> Fields {
        guard !row.sealed.isEmpty else { return Fields() }
        let what = "What is encrypted of record \(row.id) of zone \(row.zone)"
        guard row.sealed.count >= Self.overhead, row.sealed[0] == Self.version else {
            throw EncryptionKeysError.notAuthentic(what)
        }
        guard let key = try key(of: row.zone, reader) else { throw EncryptionKeysError.notAuthentic(what) }
        let nonce = Array(row.sealed[1...AESGCM.nonceByteCount])
        do {
            let bytes = try AESGCM.open(
                row.sealed.dropFirst(1 + nonce.count), key: key, nonce: nonce,
                authenticating: Self.place(row.name, row.zone))
            guard let fields = Fields(stored: bytes) else { throw EncryptionKeysError.notAuthentic(what) }
            return fields
        } catch is AESGCM.Failure {
            throw EncryptionKeysError.notAuthentic(what)
        }
    }

    private static func place(_ record: String, _ zone: Int64) -> [UInt8] {
        Array("record \(zone) \(record)".utf8)
    }

    // MARK: - Keys

    /// nil for a zone that has none.
    private func key(of zone: Int64, _ reader: ContainerReader) throws -> [UInt8]? {
        if let known = unwrapped.withLock({ $0[zone] }) { return known }
        guard let row = try reader.zoneKey(zone: zone) else { return nil }
        return keep(try Self.unwrap(row, with: wrappingKeys()), for: zone)
    }

    /// The zone's key, made where it has none.
    private func keyMade(for zone: Int64, _ writer: ContainerWriter) throws -> [UInt8] {
        if let known = try key(of: zone, writer) { return known }
        let keys = try wrappingKeys()
        let made = random.bytes(AESGCM.keyByteCount)
        let kept = try writer.insertZoneKey(try Self.wrap(made, for: zone, by: keys.current(), random))
        return keep(try Self.unwrap(kept, with: keys), for: zone)
    }

    private func keep(_ key: [UInt8], for zone: Int64) -> [UInt8] {
        unwrapped.withLock { $0[zone] = key }
        return key
    }

    private func wrappingKeys() throws(EncryptionKeysError) -> EncryptionKeys {
        guard let wrapping else { throw .none }
        return wrapping
    }

    // MARK: - Wrapping

    static func wrap(
        _ key: [UInt8], for zone: Int64, by wrapping: WrappingKey, _ random: RandomSource
    ) throws(AESGCM.Failure) -> ZoneKeyRow {
        let nonce = random.bytes(AESGCM.nonceByteCount)
        let sealed = try AESGCM.seal(key, key: wrapping.bytes, nonce: nonce, authenticating: place(zone))
        return ZoneKeyRow(zone: zone, wrappingKey: wrapping.id, wrapped: [version] + nonce + sealed)
    }

    static func unwrap(_ row: ZoneKeyRow, with keys: EncryptionKeys) throws(EncryptionKeysError) -> [UInt8] {
        let wrapping = try keys.key(row.wrappingKey)
        guard row.wrapped.count == overhead + AESGCM.keyByteCount, row.wrapped[0] == version else {
            throw .notAuthentic("The key of zone \(row.zone)")
        }
        let nonce = Array(row.wrapped[1...AESGCM.nonceByteCount])
        do throws(AESGCM.Failure) {
            return try AESGCM.open(
                row.wrapped.dropFirst(1 + nonce.count), key: wrapping.bytes, nonce: nonce,
                authenticating: place(row.zone))
        } catch {
            throw .notAuthentic("The key of zone \(row.zone)")
        }
    }

    private static func place(_ zone: Int64) -> [UInt8] { Array("zone \(zone)".utf8) }
}
