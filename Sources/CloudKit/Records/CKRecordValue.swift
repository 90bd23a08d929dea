import CoreLocation
import Foundation

/// What the untyped subscript of a record takes and gives.
///
/// On Apple's platforms these are Objective-C classes, and Swift values are bridged to them. Without that bridge the
/// Swift types adopt the protocol themselves, so that `"text" as CKRecordValue`, `value as? CKRecordValue` and
/// `record["count"] as? Int` mean the same.
public protocol __CKRecordObjCValue {}

public typealias CKRecordValue = __CKRecordObjCValue

/// What the typed subscript of a record takes and gives.
public protocol CKRecordValueProtocol {}

extension String: __CKRecordObjCValue, CKRecordValueProtocol {}
extension Date: __CKRecordObjCValue, CKRecordValueProtocol {}
extension Data: __CKRecordObjCValue, CKRecordValueProtocol {}
extension Bool: __CKRecordObjCValue, CKRecordValueProtocol {}
extension Int: __CKRecordObjCValue, CKRecordValueProtocol {}
extension Int8: __CKRecordObjCValue, CKRecordValueProtocol {}
extension Int16: __CKRecordObjCValue, CKRecordValueProtocol {}
extension Int32: __CKRecordObjCValue, CKRecordValueProtocol {}
extension Int64: __CKRecordObjCValue, CKRecordValueProtocol {}
extension UInt: __CKRecordObjCValue, CKRecordValueProtocol {}
extension UInt8: __CKRecordObjCValue, CKRecordValueProtocol {}
extension UInt16: __CKRecordObjCValue, CKRecordValueProtocol {}
extension UInt32: __CKRecordObjCValue, CKRecordValueProtocol {}
extension UInt64: __CKRecordObjCValue, CKRecordValueProtocol {}
extension Float: __CKRecordObjCValue, CKRecordValueProtocol {}
extension Double: __CKRecordObjCValue, CKRecordValueProtocol {}
extension CGFloat: __CKRecordObjCValue {}

extension NSString: __CKRecordObjCValue, CKRecordValueProtocol {}
extension NSDate: __CKRecordObjCValue, CKRecordValueProtocol {}
extension NSData: __CKRecordObjCValue, CKRecordValueProtocol {}
extension NSNumber: __CKRecordObjCValue, CKRecordValueProtocol {}
extension NSArray: __CKRecordObjCValue, CKRecordValueProtocol {}
extension CKReference: __CKRecordObjCValue, CKRecordValueProtocol {}
extension CKAsset: __CKRecordObjCValue, CKRecordValueProtocol {}
extension CLLocation: __CKRecordObjCValue, CKRecordValueProtocol {}

// Every array bridges to NSArray on Apple's platforms, and what it holds is checked when a record gets it; so here.
extension Array: __CKRecordObjCValue {}
extension Array: CKRecordValueProtocol where Element: CKRecordValueProtocol {}
