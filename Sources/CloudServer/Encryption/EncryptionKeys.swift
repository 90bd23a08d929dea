import CloudStore
import Foundation
import Synchronization

/// The keys that wrap the keys of zones: in a file outside of the database, or, for a store in memory, in memory too.
///
/// The file is read again when it has changed and a key is needed that was not there, so that a server takes part in a
/// rotation that another process makes.
package final class EncryptionKeys: Sendable {
    private let file: URL?
    private let known: Mutex<Known>

    private struct Known {
        var list: WrappingKeyList
        var stamp: FileStamp?
    }

    /// Keys that are gone with this object.
    package init(inMemory random: RandomSource) throws(EncryptionKeysError) {
        file = nil
        known = Mutex(Known(list: WrappingKeyList(try .make(random), made: "")))
    }

    /// The keys of a file, which is made where neither it nor anything encrypted is there.
    ///
    /// - Parameter acceptingLoss: Whether to go on with other keys than those that the store's encrypted fields need, which
    ///   then cannot be read any more.
    /// - Throws: `.missing` and `.foreign` where the store has encrypted fields that need other keys.
    package init(
        file: URL, for store: CloudStore, random: RandomSource = .system, now: Int64, acceptingLoss: Bool = false
    ) throws {
        let inUse = try store.control.setting(Self.setting).map { String(decoding: $0, as: UTF8.self) }
        self.file = file
        var state: Known
        if let (list, stamp) = try KeyFile.read(file) {
            if let inUse, list.key(inUse) == nil, !acceptingLoss, let lost = try Self.key(neededBy: store, notIn: list)
            {
                throw EncryptionKeysError.foreign(path: file.path, needed: lost)
            }
            state = Known(list: list, stamp: stamp)
        } else {
            if inUse != nil, !acceptingLoss, try Self.key(neededBy: store, notIn: nil) != nil {
                throw EncryptionKeysError.missing(path: file.path)
            }
            // Two servers that start at once: the first one's file stands.
            try KeyFile.create(WrappingKeyList(try .make(random), made: Self.date(now)), at: file)
            guard let (kept, stamp) = try KeyFile.read(file) else {
                throw EncryptionKeysError.missing(path: file.path)
            }
            state = Known(list: kept, stamp: stamp)
        }
        if let newest = state.list.newest, inUse.map({ state.list.key($0) == nil }) ?? true {
            try store.control.setSetting(Self.setting, Array(newest.id.utf8))
        }
        known = Mutex(state)
    }

    /// A key that wraps a zone's and is not in the list; nil where there is none.
    private static func key(neededBy store: CloudStore, notIn list: WrappingKeyList?) throws -> String? {
        for (identifier, environment) in try store.containers() {
            guard let container = try store.container(identifier, environment, create: false) else { continue }
            let needed = try container.read { try $0.zoneKeyCounts() }.keys
            if let lost = needed.sorted().first(where: { list?.key($0) == nil }) { return lost }
        }
        return nil
    }

    /// Names the newest key that the store's encrypted fields need.
    static let setting = "encryption.key"

    /// Whether a store has been served with keys.
    package static func areInUse(_ control: ControlStore) throws -> Bool {
        try control.setting(setting) != nil
    }

    // MARK: - Keys

    /// The key that wraps new ones.
    func current() throws(EncryptionKeysError) -> WrappingKey {
        try refresh()
        guard let newest = known.withLock({ $0.list.newest }) else { throw .none }
        return newest
    }

    func key(_ id: String) throws(EncryptionKeysError) -> WrappingKey {
        if let key = known.withLock({ $0.list.key(id) }) { return key }
        try refresh()
        guard let key = known.withLock({ $0.list.key(id) }) else { throw .unknownKey(id) }
        return key
    }

    /// All keys, the newest last.
    package func all() throws(EncryptionKeysError) -> [(id: String, made: String)] {
        try refresh()
        return known.withLock { $0.list.lines.map { ($0.key.id, $0.made) } }
    }

    /// Adds a new key, which wraps from now on. What older keys wrapped they still open.
    func add(_ random: RandomSource, _ control: ControlStore, now: Int64) throws -> WrappingKey {
        try refresh()
        let key = try WrappingKey.make(random)
        var list = known.withLock { $0.list }
        list.append(key, made: Self.date(now))
        if let file {
            // On the disk before anything is wrapped by it.
            try KeyFile.replace(list, at: file)
        }
        known.withLock { $0 = Known(list: list, stamp: file.flatMap { FileStamp($0) }) }
        try control.setSetting(Self.setting, Array(key.id.utf8))
        return key
    }

    private func refresh() throws(EncryptionKeysError) {
        guard let file else { return }
        let stamp = FileStamp(file)
        if stamp != nil, known.withLock({ $0.stamp == stamp }) { return }
        // A file that is gone for a moment does not take away what is known.
        guard let (list, read) = try KeyFile.read(file) else { return }
        known.withLock { $0 = Known(list: list, stamp: read) }
    }

    private static func date(_ milliseconds: Int64) -> String {
        let date = Date(timeIntervalSince1970: Double(milliseconds / 1000))
        return date.formatted(.iso8601)
    }
}
