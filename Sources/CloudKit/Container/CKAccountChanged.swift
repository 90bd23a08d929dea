import Foundation

extension NSNotification.Name {
    /// Posted when somebody signs in or out, or the account's status changes otherwise. Ask `accountStatus()` what it is
    /// now. Posted on an arbitrary thread, without an object. [Apple:CKAccountChanged]
    public static let CKAccountChanged = NSNotification.Name("CKAccountChangedNotification")
}
