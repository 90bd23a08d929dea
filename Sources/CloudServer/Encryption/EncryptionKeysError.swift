/// What is wrong with the keys of encrypted fields, in words for the operator.
package enum EncryptionKeysError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The store has encrypted fields, and the file with their keys is gone.
    case missing(path: String)
    /// The file holds other keys than those that the store's encrypted fields need.
    case foreign(path: String, needed: String)
    /// The file cannot be read or written, or others may read it.
    case unusable(path: String, reason: String)
    /// Its contents are not what was written.
    case damaged(String)
    /// A key that something is wrapped by is not there.
    case unknownKey(String)
    /// The server was started without keys.
    case none
    case noRandomness
    /// What is stored cannot be opened with its key.
    case notAuthentic(String)

    package var description: String {
        switch self {
        case .missing(let path):
            "The file with the keys of encrypted fields, \(path), is missing"
        case .foreign(let path, let needed):
            "\(path) does not hold the key \(needed), which the encrypted fields of this cloud need"
        case .unusable(let path, let reason): "The file with the keys of encrypted fields, \(path), \(reason)"
        case .damaged(let reason): "The file with the keys of encrypted fields is damaged: \(reason)"
        case .unknownKey(let id): "The key \(id), which wraps keys of zones, is not among the keys of encrypted fields"
        case .none: "This server has no keys for encrypted fields"
        case .noRandomness: "There are no random bytes for a key"
        case .notAuthentic(let what): "\(what) cannot be opened with its key: it was damaged or changed"
        }
    }
}
