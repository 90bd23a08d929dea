/// Where a container keeps some of its models, and how.
public struct ModelConfiguration: Identifiable, Hashable, Sendable, CustomDebugStringConvertible {
    /// Which CloudKit database a store is mirrored to.
    public struct CloudKitDatabase: Sendable {
        enum Kind: Hashable, Sendable {
            case automatic, none
            case `private`(String)
        }

        let kind: Kind

        /// The first CloudKit container of the app's entitlements. Programs have none here, so nothing is mirrored.
        public static var automatic: CloudKitDatabase { CloudKitDatabase(kind: .automatic) }
        public static var none: CloudKitDatabase { CloudKitDatabase(kind: .none) }
        public static func `private`(_ privateDBName: String) -> CloudKitDatabase {
            CloudKitDatabase(kind: .private(privateDBName))
        }
    }

    /// Which folder that several programs share a store lies in.
    public struct GroupContainer: Sendable {
        enum Kind: Hashable, Sendable {
            case automatic, none
            case identifier(String)
        }

        let kind: Kind

        /// The first group of the app's entitlements. Programs have none here, so it is the program's own folder.
        public static var automatic: GroupContainer { GroupContainer(kind: .automatic) }
        public static var none: GroupContainer { GroupContainer(kind: .none) }
        public static func identifier(_ groupName: String) -> GroupContainer {
            GroupContainer(kind: .identifier(groupName))
        }
    }

    public let name: String
    public let url: URL
    public let groupContainer: GroupContainer
    public let cloudKitDatabase: CloudKitDatabase
    public var schema: Schema?
    public let allowsSave: Bool
    public let isStoredInMemoryOnly: Bool
    /// Tells stores in memory apart, which have no file.
    private let memory: UUID?

    public var id: URL { url }

    public var groupAppContainerIdentifier: String? {
        if case .identifier(let name) = groupContainer.kind { name } else { nil }
    }

    public var cloudKitContainerIdentifier: String? {
        if case .private(let name) = cloudKitDatabase.kind { name } else { nil }
    }

    public init(isStoredInMemoryOnly: Bool = false) {
        self.init(nil, isStoredInMemoryOnly: isStoredInMemoryOnly)
    }

    public init(for forTypes: any PersistentModel.Type..., isStoredInMemoryOnly: Bool = false) {
        self.init(
            nil, schema: forTypes.isEmpty ? nil : Schema(forTypes), isStoredInMemoryOnly: isStoredInMemoryOnly)
    }

    public init(
        _ name: String? = nil, schema: Schema? = nil, isStoredInMemoryOnly: Bool = false, allowsSave: Bool = true,
        groupContainer: GroupContainer = .automatic, cloudKitDatabase: CloudKitDatabase = .automatic
    ) {
        let fileName = name ?? "default"
        self.name = fileName
        self.schema = schema
        self.allowsSave = allowsSave
        self.groupContainer = groupContainer
        self.cloudKitDatabase = cloudKitDatabase
        self.isStoredInMemoryOnly = isStoredInMemoryOnly
        memory = isStoredInMemoryOnly ? UUID() : nil
        let folder = memory == nil ? Self.folder(of: groupContainer) : URL(filePath: "/dev/null/\(UUID().uuidString)")
        url = folder.appending(path: fileName + ".store")
    }

    public init(
        _ name: String? = nil, schema: Schema? = nil, url: URL, allowsSave: Bool = true,
        cloudKitDatabase: CloudKitDatabase = .automatic
    ) {
        self.name = name ?? url.deletingPathExtension().lastPathComponent
        self.schema = schema
        self.url = url
        self.allowsSave = allowsSave
        self.cloudKitDatabase = cloudKitDatabase
        groupContainer = .none
        // Where an app names /dev/null it wants a store in memory, as with Core Data.
        isStoredInMemoryOnly = url.path == "/dev/null"
        memory = isStoredInMemoryOnly ? UUID() : nil
    }

    /// The folder of stores: the group's, or one of the program's own in Application Support, which all programs of a user share
    /// here.
    private static func folder(of group: GroupContainer) -> URL {
        if case .identifier(let name) = group.kind,
            let folder = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: name)
        {
            return folder.appending(path: "Library/Application Support")
        }
        return URL.userDataDirectory.appending(path: ProcessInfo.processInfo.processName)
    }

    /// Checks the name and the place.
    public func validate() throws {
        if name.utf8.count > 200 { throw SwiftDataError(.configurationFileNameTooLong, detail: name) }
        if name.contains("/") || name.contains("\0") || name.isEmpty {
            throw SwiftDataError(.configurationFileNameContainsInvalidCharacters, detail: name)
        }
    }

    public static func == (lhs: ModelConfiguration, rhs: ModelConfiguration) -> Bool {
        lhs.name == rhs.name && lhs.url == rhs.url && lhs.memory == rhs.memory && lhs.allowsSave == rhs.allowsSave
            && lhs.cloudKitDatabase.kind == rhs.cloudKitDatabase.kind
            && lhs.groupContainer.kind == rhs.groupContainer.kind && lhs.schema == rhs.schema
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(url)
    }

    public var debugDescription: String {
        "ModelConfiguration \(name): \(isStoredInMemoryOnly ? "in memory" : url.path)"
            + (allowsSave ? "" : ", read-only")
            + (cloudKitContainerIdentifier.map { ", mirrored to \($0)" } ?? "")
    }
}
