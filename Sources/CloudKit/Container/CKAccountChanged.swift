import Foundation

extension NSNotification.Name {
    /// Posted when somebody signs in or out, or the account's status changes otherwise. Ask `accountStatus()` what it is
    /// now. Posted on an arbitrary thread, without an object, once there is a `CKContainer`. [Apple:CKAccountChanged]
    ///
    /// `stratus login` and `stratus logout` are such changes, and so is that the server refuses a web token or a password
    /// that was good before: the session has ended, and somebody has to sign in again.
    public static let CKAccountChanged = NSNotification.Name("CKAccountChangedNotification")
}
