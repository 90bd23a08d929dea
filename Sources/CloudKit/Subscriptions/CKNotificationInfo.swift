import Foundation
import WebServices

/// How the notification of a subscription looks: `CKSubscription.NotificationInfo`, under the class name that archives
/// carry. Only `shouldSendContentAvailable` makes it silent: a push that wakes the app and shows nothing.
// Unchecked because the class is open: everything stored here lies behind a lock.
open class CKNotificationInfo: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// All of it as one value; the wire's `additionalFields` are the framework's `desiredKeys`.
    typealias Values = WebServices.NotificationInfo

    private let lock = NSLock()
    private var stored = Values()

    public override init() { super.init() }

    init(_ values: Values) {
        stored = values
        super.init()
    }

    public convenience init(
        alertBody: String? = nil, alertLocalizationKey: String? = nil, alertLocalizationArgs: [CKRecord.FieldKey] = [],
        title: String? = nil, titleLocalizationKey: String? = nil, titleLocalizationArgs: [CKRecord.FieldKey] = [],
        subtitle: String? = nil, subtitleLocalizationKey: String? = nil,
        subtitleLocalizationArgs: [CKRecord.FieldKey] = [], alertActionLocalizationKey: String? = nil,
        alertLaunchImage: String? = nil, soundName: String? = nil, desiredKeys: [CKRecord.FieldKey] = [],
        shouldBadge: Bool = false, shouldSendContentAvailable: Bool = false, shouldSendMutableContent: Bool = false,
        category: String? = nil, collapseIDKey: String? = nil
    ) {
        var values = Values()
        values.alertBody = alertBody
        values.alertLocalizationKey = alertLocalizationKey
        values.alertLocalizationArgs = alertLocalizationArgs
        values.title = title
        values.titleLocalizationKey = titleLocalizationKey
        values.titleLocalizationArgs = titleLocalizationArgs
        values.subtitle = subtitle
        values.subtitleLocalizationKey = subtitleLocalizationKey
        values.subtitleLocalizationArgs = subtitleLocalizationArgs
        values.alertActionLocalizationKey = alertActionLocalizationKey
        values.alertLaunchImage = alertLaunchImage
        values.soundName = soundName
        values.additionalFields = desiredKeys
        values.shouldBadge = shouldBadge
        values.shouldSendContentAvailable = shouldSendContentAvailable
        values.shouldSendMutableContent = shouldSendMutableContent
        values.category = category
        values.collapseIDKey = collapseIDKey
        self.init(values)
    }

    var values: Values { lock.withLock { stored } }

    private subscript<Value>(path: WritableKeyPath<Values, Value>) -> Value {
        get { lock.withLock { stored[keyPath: path] } }
        set { lock.withLock { stored[keyPath: path] = newValue } }
    }

    // MARK: What is shown

    open var alertBody: String? {
        get { self[\.alertBody] }
        set { self[\.alertBody] = newValue }
    }
    open var alertLocalizationKey: String? {
        get { self[\.alertLocalizationKey] }
        set { self[\.alertLocalizationKey] = newValue }
    }
    /// Fields of the record whose values take the places in the localized text.
    open var alertLocalizationArgs: [CKRecord.FieldKey]? {
        get { self[\.alertLocalizationArgs] }
        set { self[\.alertLocalizationArgs] = newValue }
    }
    open var title: String? {
        get { self[\.title] }
        set { self[\.title] = newValue }
    }
    open var titleLocalizationKey: String? {
        get { self[\.titleLocalizationKey] }
        set { self[\.titleLocalizationKey] = newValue }
    }
    open var titleLocalizationArgs: [CKRecord.FieldKey]? {
        get { self[\.titleLocalizationArgs] }
        set { self[\.titleLocalizationArgs] = newValue }
    }
    open var subtitle: String? {
        get { self[\.subtitle] }
        set { self[\.subtitle] = newValue }
    }
    open var subtitleLocalizationKey: String? {
        get { self[\.subtitleLocalizationKey] }
        set { self[\.subtitleLocalizationKey] = newValue }
    }
    open var subtitleLocalizationArgs: [CKRecord.FieldKey]? {
        get { self[\.subtitleLocalizationArgs] }
        set { self[\.subtitleLocalizationArgs] = newValue }
    }
    open var alertActionLocalizationKey: String? {
        get { self[\.alertActionLocalizationKey] }
        set { self[\.alertActionLocalizationKey] = newValue }
    }
    open var alertLaunchImage: String? {
        get { self[\.alertLaunchImage] }
        set { self[\.alertLaunchImage] = newValue }
    }
    open var soundName: String? {
        get { self[\.soundName] }
        set { self[\.soundName] = newValue }
    }

    // MARK: How it is delivered

    /// Fields that come with the notification of a query subscription.
    open var desiredKeys: [CKRecord.FieldKey]? {
        get { self[\.additionalFields] }
        set { self[\.additionalFields] = newValue }
    }
    /// Whether the app's badge counts one more.
    open var shouldBadge: Bool {
        get { self[\.shouldBadge] }
        set { self[\.shouldBadge] = newValue }
    }
    /// Whether the app is woken to fetch what changed.
    open var shouldSendContentAvailable: Bool {
        get { self[\.shouldSendContentAvailable] }
        set { self[\.shouldSendContentAvailable] = newValue }
    }
    /// Whether a service extension may change the notification before it is shown.
    open var shouldSendMutableContent: Bool {
        get { self[\.shouldSendMutableContent] }
        set { self[\.shouldSendMutableContent] = newValue }
    }
    open var category: String? {
        get { self[\.category] }
        set { self[\.category] = newValue }
    }
    /// A field of the record whose value groups notifications: a later one takes the place of an earlier.
    open var collapseIDKey: String? {
        get { self[\.collapseIDKey] }
        set { self[\.collapseIDKey] = newValue }
    }

    open func copy(with zone: NSZone? = nil) -> Any { CKNotificationInfo(values) }
    open override func copy() -> Any { copy(with: nil) }

    // MARK: Archiving

    open class var supportsSecureCoding: Bool { true }
    open override class func classFallbacksForKeyedArchiver() -> [String] { ["CKNotificationInfo"] }

    // No public archive shows the keys of a notification info; these are the names of its properties.
    private static let textKeys: [(String, any WritableKeyPath<Values, String?> & Sendable)] = [
        ("AlertBody", \.alertBody), ("AlertLocalizationKey", \.alertLocalizationKey), ("Title", \.title),
        ("TitleLocalizationKey", \.titleLocalizationKey), ("Subtitle", \.subtitle),
        ("SubtitleLocalizationKey", \.subtitleLocalizationKey),
        ("AlertActionLocalizationKey", \.alertActionLocalizationKey), ("AlertLaunchImage", \.alertLaunchImage),
        ("SoundName", \.soundName), ("Category", \.category), ("CollapseIDKey", \.collapseIDKey),
    ]
    private static let listKeys: [(String, any WritableKeyPath<Values, [String]?> & Sendable)] = [
        ("AlertLocalizationArgs", \.alertLocalizationArgs), ("TitleLocalizationArgs", \.titleLocalizationArgs),
        ("SubtitleLocalizationArgs", \.subtitleLocalizationArgs), ("DesiredKeys", \.additionalFields),
    ]
    private static let flagKeys: [(String, any WritableKeyPath<Values, Bool> & Sendable)] = [
        ("ShouldBadge", \.shouldBadge), ("ShouldSendContentAvailable", \.shouldSendContentAvailable),
        ("ShouldSendMutableContent", \.shouldSendMutableContent),
    ]

    public required init?(coder: NSCoder) {
        let decoded = ArchiveReader.read(coder) { archive -> Values? in
            var values = Values()
            for (key, path) in Self.textKeys { values[keyPath: path] = archive.string(key) }
            for (key, path) in Self.listKeys {
                values[keyPath: path] = archive.object(NSArray.self, key)?.compactMap { $0 as? String }
            }
            for (key, path) in Self.flagKeys { values[keyPath: path] = archive.bool(key) }
            return values
        }
        guard let decoded else { return nil }
        stored = decoded
        super.init()
    }

    open func encode(with coder: NSCoder) {
        let values = self.values
        for (key, path) in Self.textKeys { coder.encode(values[keyPath: path] as Any?, forKey: key) }
        for (key, path) in Self.listKeys {
            coder.encode(
                values[keyPath: path].map { NSArray(array: $0.map { NSString(string: $0) }) } as Any?, forKey: key)
        }
        for (key, path) in Self.flagKeys { coder.encode(values[keyPath: path], forKey: key) }
    }
}

extension CKSubscription {
    public typealias NotificationInfo = CKNotificationInfo
}
