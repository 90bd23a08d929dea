/// Keeps arrays, dictionaries, strings, numbers, dates, data, URLs and UUIDs in keyed archives, as the transformer of that
/// name does on other systems. Apps register subclasses of their own, or name it in `@Attribute(.transformable(by:))`.
open class NSSecureUnarchiveFromDataTransformer: ValueTransformer {
    open class var allowedTopLevelClasses: [AnyClass] {
        [
            NSArray.self, NSDictionary.self, NSString.self, NSNumber.self, NSDate.self, NSData.self, NSURL.self,
            NSUUID.self,
        ]
    }

    open override class func transformedValueClass() -> AnyClass { NSData.self }

    open override func transformedValue(_ value: Any?) -> Any? {
        guard let value else { return nil }
        return try? NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
    }

    open override func reverseTransformedValue(_ value: Any?) -> Any? {
        guard let data = value as? Data else { return nil }
        do {
            return try KeyedArchive.value(in: data)
        } catch KeyedArchive.Failure.unknownClass {
            // An object of a class of the app's own.
            return try? NSKeyedUnarchiver.unarchivedObject(ofClasses: Self.allowedTopLevelClasses, from: data)
        } catch {
            return nil
        }
    }
}
