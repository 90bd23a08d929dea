import CloudStore
import WebServices

/// What the server hands out for a file and takes back: addresses to send one to, receipts for one that was sent, addresses
/// to fetch one from. Each is a text that only this server can make, for one container's environment.
enum AssetTicket {
    enum Kind: UInt8 {
        case upload = 1
        case receipt = 2
        case download = 3
    }

    private static let codeBytes = 16

    static func seal(_ kind: Kind, _ payload: [UInt8], _ realm: PushRealm, _ secret: ServerSecret) -> String {
        let code = secret.code(.asset, message(kind, payload[...], realm)).prefix(codeBytes)
        return Base64.encode(payload + code, alphabet: .url)
    }

    /// nil for what this server did not make as this.
    static func open(
        _ kind: Kind, _ text: String, _ realm: PushRealm, _ secret: ServerSecret
    ) -> TokenBytesReader? {
        guard text.utf8.count <= 4096, let bytes = Base64.decode(text), bytes.count > codeBytes else { return nil }
        let payload = bytes.dropLast(codeBytes)
        guard secret.isValid(Array(bytes.suffix(codeBytes)), .asset, message(kind, payload, realm)) else { return nil }
        return TokenBytesReader(payload)
    }

    private static func message(_ kind: Kind, _ payload: ArraySlice<UInt8>, _ realm: PushRealm) -> [UInt8] {
        // No container's name holds a zero byte.
        [kind.rawValue] + Array("\(realm.container)\u{0}\(realm.environment.rawValue)\u{0}".utf8) + payload
    }
}

/// The owner of zones, in one of the databases.
struct AssetOwner: Hashable, Sendable {
    var scope: StoreScope
    /// Empty in the public database.
    var name: String

    init(_ zone: ZoneKey) {
        scope = zone.scope
        name = zone.owner
    }

    fileprivate init?(_ reader: inout TokenBytesReader) {
        guard let scope = reader.number().flatMap(StoreScope.init), let name = reader.text() else { return nil }
        self.scope = scope
        self.name = name
    }

    fileprivate func append(to bytes: inout TokenBytes) {
        bytes.append(scope.rawValue)
        bytes.append(blob: name.utf8)
    }
}

/// The field that a file is for.
struct AssetField: Hashable, Sendable {
    var recordType: String
    var name: String
}

/// The permission to send a file.
struct UploadPermit: Hashable, Sendable {
    var owner: AssetOwner
    var field: AssetField
    /// Who asked; empty where that has no name.
    var user: String
    /// Milliseconds since 1970.
    var expires: Int64

    func text(_ realm: PushRealm, _ secret: ServerSecret) -> String {
        var bytes = TokenBytes()
        owner.append(to: &bytes)
        bytes.append(blob: field.recordType.utf8)
        bytes.append(blob: field.name.utf8)
        bytes.append(blob: user.utf8)
        bytes.append(expires)
        return AssetTicket.seal(.upload, bytes.bytes, realm, secret)
    }

    init(owner: AssetOwner, field: AssetField, user: String, expires: Int64) {
        self.owner = owner
        self.field = field
        self.user = user
        self.expires = expires
    }

    init?(_ text: String, _ realm: PushRealm, _ secret: ServerSecret) {
        guard var reader = AssetTicket.open(.upload, text, realm, secret), let owner = AssetOwner(&reader),
            let type = reader.text(), let name = reader.text(), let user = reader.text(), let expires = reader.number()
        else { return nil }
        self.init(owner: owner, field: AssetField(recordType: type, name: name), user: user, expires: expires)
    }
}

/// The proof that a file was sent whole, or that its sender may read the record that has it.
struct AssetReceipt: Hashable, Sendable {
    /// The id of the asset's row.
    var asset: [UInt8]
    var size: Int64
    /// The wire's `fileChecksum`.
    var checksum: String
    var owner: AssetOwner
    /// nil for any.
    var field: AssetField?
    /// Whose it is; nobody else can use it.
    var user: String

    func text(_ realm: PushRealm, _ secret: ServerSecret) -> String {
        var bytes = TokenBytes()
        bytes.append(blob: asset)
        bytes.append(size)
        bytes.append(blob: checksum.utf8)
        owner.append(to: &bytes)
        bytes.append(field == nil ? 0 : 1)
        bytes.append(blob: (field?.recordType ?? "").utf8)
        bytes.append(blob: (field?.name ?? "").utf8)
        bytes.append(blob: user.utf8)
        return AssetTicket.seal(.receipt, bytes.bytes, realm, secret)
    }

    init(
        asset: [UInt8], size: Int64, checksum: String, owner: AssetOwner, field: AssetField?, user: String
    ) {
        self.asset = asset
        self.size = size
        self.checksum = checksum
        self.owner = owner
        self.field = field
        self.user = user
    }

    init?(_ text: String, _ realm: PushRealm, _ secret: ServerSecret) {
        guard var reader = AssetTicket.open(.receipt, text, realm, secret), let asset = reader.blob(),
            let size = reader.count(), let checksum = reader.text(), let owner = AssetOwner(&reader),
            let hasField = reader.number(), let type = reader.text(), let name = reader.text(),
            let user = reader.text()
        else { return nil }
        self.init(
            asset: asset, size: size, checksum: checksum, owner: owner,
            field: hasField == 1 ? AssetField(recordType: type, name: name) : nil, user: user)
    }
}

/// The permission of one reader to fetch a file for a while.
struct DownloadPass: Hashable, Sendable {
    var asset: [UInt8]
    var scope: StoreScope
    /// Ids of the zone and the record that the file was read from.
    var zone: Int64
    var record: Int64
    /// Record name of who may; nil for who has not signed in.
    var reader: String?
    /// Milliseconds since 1970.
    var expires: Int64

    func text(_ realm: PushRealm, _ secret: ServerSecret) -> String {
        var bytes = TokenBytes()
        bytes.append(blob: asset)
        bytes.append(scope.rawValue)
        bytes.append(zone)
        bytes.append(record)
        bytes.append(blob: (reader ?? "").utf8)
        bytes.append(expires)
        return AssetTicket.seal(.download, bytes.bytes, realm, secret)
    }

    init(asset: [UInt8], scope: StoreScope, zone: Int64, record: Int64, reader: String?, expires: Int64) {
        self.asset = asset
        self.scope = scope
        self.zone = zone
        self.record = record
        self.reader = reader
        self.expires = expires
    }

    init?(_ text: String, _ realm: PushRealm, _ secret: ServerSecret) {
        guard var bytes = AssetTicket.open(.download, text, realm, secret), let asset = bytes.blob(),
            let scope = bytes.number().flatMap(StoreScope.init), let zone = bytes.number(),
            let record = bytes.number(), let reader = bytes.text(), let expires = bytes.number()
        else { return nil }
        self.init(
            asset: asset, scope: scope, zone: zone, record: record, reader: reader.isEmpty ? nil : reader,
            expires: expires)
    }
}

extension TokenBytesReader {
    fileprivate mutating func text() -> String? { blob().map { String(decoding: $0, as: UTF8.self) } }
}
