import Foundation
import WebServices

/// A person who lets others find them.
// Unchecked because the class is open: everything stored here is immutable.
open class CKUserIdentity: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// By what the person was found.
    public let lookupInfo: LookupInfo?
    public let nameComponents: PersonNameComponents?
    /// The person's record in the public database.
    public let userRecordID: CKRecord.ID?
    /// Always empty: there is no address book here.
    public let contactIdentifiers: [String] = []
    public let hasiCloudAccount: Bool

    init(lookupInfo: LookupInfo?, nameComponents: PersonNameComponents?, userRecordID: CKRecord.ID?) {
        self.lookupInfo = lookupInfo
        self.nameComponents = nameComponents
        self.userRecordID = userRecordID
        hasiCloudAccount = userRecordID != nil
        super.init()
    }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKUserIdentity else { return false }
        return other === self
            || (lookupInfo == other.lookupInfo && nameComponents == other.nameComponents
                && userRecordID == other.userRecordID)
    }

    open override var hash: Int {
        var hasher = Hasher()
        hasher.combine(lookupInfo)
        hasher.combine(userRecordID)
        return hasher.finalize()
    }

    open func copy(with zone: NSZone? = nil) -> Any { self }
    open override func copy() -> Any { self }

    // MARK: Archiving

    public static var supportsSecureCoding: Bool { true }

    open func encode(with coder: NSCoder) {
        coder.encode(lookupInfo, forKey: "LookupInfo")
        coder.encode(userRecordID, forKey: "UserRecordID")
        coder.encodeText(nameComponents?.givenName, forKey: "GivenName")
        coder.encodeText(nameComponents?.familyName, forKey: "FamilyName")
    }

    public required init?(coder: NSCoder) {
        lookupInfo = coder.decodeObject(of: LookupInfo.self, forKey: "LookupInfo")
        userRecordID = coder.decodeObject(of: CKRecord.ID.self, forKey: "UserRecordID")
        nameComponents = PersonNameComponents(
            given: coder.decodeText(forKey: "GivenName"),
            family: coder.decodeText(forKey: "FamilyName"))
        hasiCloudAccount = userRecordID != nil
        super.init()
    }
}

extension PersonNameComponents {
    /// nil where neither name is known.
    init?(given: String?, family: String?) {
        guard given != nil || family != nil else { return nil }
        self.init()
        givenName = given
        familyName = family
    }
}

extension CKUserIdentity {
    /// - Parameter info: what was asked, where it is known.
    convenience init(_ user: UserIdentity, askedFor info: LookupInfo?) {
        self.init(
            lookupInfo: info ?? user.lookupInfo.map(LookupInfo.init),
            nameComponents: PersonNameComponents(given: user.firstName, family: user.lastName),
            userRecordID: CKRecord.ID(recordName: user.userRecordName))
    }
}
