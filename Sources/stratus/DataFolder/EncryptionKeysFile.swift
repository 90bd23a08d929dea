import CloudServer
import CloudStore
import Foundation

extension DataFolder {
    /// Where the keys of encrypted fields are unless another place is named.
    var encryptionKeys: URL { url.appending(path: "encryption.keys") }
}

/// The keys of encrypted fields, which are not in the database.
enum EncryptionKeysFile {
    /// The file of `--encryption-keys`; nil where nobody named one.
    static func said(_ arguments: Arguments) -> URL? {
        arguments.said("encryption-keys").map { URL(filePath: $0) }
    }

    static func location(_ arguments: Arguments) -> URL {
        said(arguments) ?? DataFolder(arguments).encryptionKeys
    }

    /// - Throws: `Failure` that says what to do about a file that is missing, another cloud's or damaged.
    static func open(_ file: URL, _ store: CloudStore, acceptingLoss: Bool = false) throws -> EncryptionKeys {
        do {
            return try EncryptionKeys(
                file: file, for: store, now: ServerClock.system.now(), acceptingLoss: acceptingLoss)
        } catch let error as EncryptionKeysError {
            throw Failure(.failure, "\(error).", remedy: remedy(error))
        }
    }

    private static func remedy(_ error: EncryptionKeysError) -> String? {
        switch error {
        case .missing, .foreign, .damaged:
            """
            Put back the file from your copy of it, or name it with --encryption-keys. If there is none any more, \
            `stratus encryption reset` lets devices upload the encrypted data again.
            """
        default: nil
        }
    }
}
