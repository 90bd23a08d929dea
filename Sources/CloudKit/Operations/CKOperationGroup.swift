import Foundation

/// Operations that belong together: a name for the logs and a configuration they all start from.
open class CKOperationGroup: NSObject, NSSecureCoding, @unchecked Sendable {
    // Unchecked, like Apple's: set up before the first of its operations starts.

    public static var supportsSecureCoding: Bool { true }

    public enum TransferSize: Int, Sendable {
        case unknown = 0
        case kilobytes, megabytes, tensOfMegabytes, hundredsOfMegabytes
        case gigabytes, tensOfGigabytes, hundredsOfGigabytes
    }

    public let operationGroupID: String
    open var defaultConfiguration: CKOperation.Configuration! = CKOperation.Configuration() {
        didSet { if defaultConfiguration == nil { defaultConfiguration = CKOperation.Configuration() } }
    }
    open var name: String?
    open var quantity = 0
    open var expectedSendSize = TransferSize.unknown
    open var expectedReceiveSize = TransferSize.unknown

    public override init() {
        operationGroupID = UUID().uuidString
        super.init()
    }

    public required init(coder: NSCoder) {
        operationGroupID = coder.decodeText(forKey: "OperationGroupID") ?? UUID().uuidString
        name = coder.decodeText(forKey: "Name")
        quantity = coder.decodeInteger(forKey: "Quantity")
        expectedSendSize = TransferSize(rawValue: coder.decodeInteger(forKey: "ExpectedSendSize")) ?? .unknown
        expectedReceiveSize = TransferSize(rawValue: coder.decodeInteger(forKey: "ExpectedReceiveSize")) ?? .unknown
        super.init()
    }

    open func encode(with coder: NSCoder) {
        coder.encodeText(operationGroupID, forKey: "OperationGroupID")
        coder.encodeText(name, forKey: "Name")
        coder.encode(quantity, forKey: "Quantity")
        coder.encode(expectedSendSize.rawValue, forKey: "ExpectedSendSize")
        coder.encode(expectedReceiveSize.rawValue, forKey: "ExpectedReceiveSize")
    }
}
