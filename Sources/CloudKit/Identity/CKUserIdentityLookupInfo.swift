import Foundation
import WebServices

extension CKUserIdentity {
    public typealias LookupInfo = CKUserIdentityLookupInfo
}

/// What a person is looked up by: `CKUserIdentity.LookupInfo`, under the class name that archives carry.
// Unchecked because the class is open: everything stored here is immutable.
open class CKUserIdentityLookupInfo: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    public let emailAddress: String?
    public let phoneNumber: String?
    public let userRecordID: CKRecord.ID?

    private init(_ emailAddress: String?, _ phoneNumber: String?, _ userRecordID: CKRecord.ID?) {
        self.emailAddress = emailAddress
        self.phoneNumber = phoneNumber
        self.userRecordID = userRecordID
        super.init()
    }

    public convenience init(emailAddress: String) { self.init(emailAddress, nil, nil) }
    public convenience init(phoneNumber: String) { self.init(nil, phoneNumber, nil) }
    public convenience init(userRecordID: CKRecord.ID) { self.init(nil, nil, userRecordID) }

    open class func lookupInfos(withEmails emails: [String]) -> [CKUserIdentityLookupInfo] {
        emails.map { CKUserIdentityLookupInfo(emailAddress: $0) }
    }

    open class func lookupInfos(withPhoneNumbers phoneNumbers: [String]) -> [CKUserIdentityLookupInfo] {
        phoneNumbers.map { CKUserIdentityLookupInfo(phoneNumber: $0) }
    }

    open class func lookupInfos(with recordIDs: [CKRecord.ID]) -> [CKUserIdentityLookupInfo] {
        recordIDs.map { CKUserIdentityLookupInfo(userRecordID: $0) }
    }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKUserIdentityLookupInfo else { return false }
        return other === self
            || (emailAddress == other.emailAddress && phoneNumber == other.phoneNumber
                && userRecordID == other.userRecordID)
    }

    open override var hash: Int {
        var hasher = Hasher()
        hasher.combine(emailAddress)
        hasher.combine(phoneNumber)
        hasher.combine(userRecordID)
        return hasher.finalize()
    }

    open func copy(with zone: NSZone? = nil) -> Any { self }
    open override func copy() -> Any { self }

    // MARK: Archiving

    public static var supportsSecureCoding: Bool { true }

    open func encode(with coder: NSCoder) {
        coder.encodeText(emailAddress, forKey: "EmailAddress")
        coder.encodeText(phoneNumber, forKey: "PhoneNumber")
        coder.encode(userRecordID, forKey: "UserRecordID")
    }

    public required init?(coder: NSCoder) {
        emailAddress = coder.decodeText(forKey: "EmailAddress")
        phoneNumber = coder.decodeText(forKey: "PhoneNumber")
        userRecordID = coder.decodeObject(of: CKRecord.ID.self, forKey: "UserRecordID")
        super.init()
    }
}

extension CKUserIdentityLookupInfo {
    convenience init(_ info: WebServices.LookupInfo) {
        switch info {
        case .emailAddress(let address): self.init(emailAddress: address)
        case .phoneNumber(let number): self.init(phoneNumber: number)
        case .userRecordName(let name): self.init(userRecordID: CKRecord.ID(recordName: name))
        }
    }

    /// nil for one that says nothing.
    var wire: WebServices.LookupInfo? {
        if let emailAddress { return .emailAddress(emailAddress) }
        if let phoneNumber { return .phoneNumber(phoneNumber) }
        return userRecordID.map { .userRecordName($0.recordName) }
    }
}
