// CoreLocation: the one class of Apple's framework that a CloudKit record can hold, `CLLocation`, and what it needs.
// It knows nothing of CloudKit, of positioning hardware or of the network. Where Apple's CoreLocation exists, apps use
// that one; this module is for platforms that have none.

@_exported import Foundation
