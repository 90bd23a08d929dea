import Synchronization

// Foundation has these on other systems; models with `@Attribute(.transformable(by:))` need them here.

/// The name of a registered transformer.
public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public init(_ rawValue: String) { self.rawValue = rawValue }

    public static let secureUnarchiveFromDataTransformerName = NSValueTransformerName("NSSecureUnarchiveFromData")
}

/// Turns values of one type into values of another and back.
open class ValueTransformer: NSObject {
    // Transformers are registered once and called from any thread, as on other systems.
    nonisolated(unsafe) private static var registered: [NSValueTransformerName: ValueTransformer] = [
        .secureUnarchiveFromDataTransformerName: NSSecureUnarchiveFromDataTransformer()
    ]
    private static let lock = Mutex<Void>(())
    private static let types = Mutex<[String: ValueTransformer.Type]>([:])

    /// A class that a model names, for where nobody registers an object of it.
    static func note(_ type: ValueTransformer.Type) { types.withLock { $0[String(describing: type)] = type } }

    static func named(_ name: String) -> ValueTransformer? {
        forName(NSValueTransformerName(name)) ?? types.withLock { $0[name] }.map { $0.init() }
    }

    public required override init() { super.init() }

    open class func setValueTransformer(_ transformer: ValueTransformer?, forName name: NSValueTransformerName) {
        lock.withLock { _ in registered[name] = transformer }
    }

    /// The transformer of a name.
    public class func forName(_ name: NSValueTransformerName) -> ValueTransformer? {
        lock.withLock { _ in registered[name] }
    }

    open class func valueTransformerNames() -> [NSValueTransformerName] {
        lock.withLock { _ in Array(registered.keys) }
    }

    open class func transformedValueClass() -> AnyClass { NSObject.self }
    open class func allowsReverseTransformation() -> Bool { true }
    open func transformedValue(_ value: Any?) -> Any? { value }
    open func reverseTransformedValue(_ value: Any?) -> Any? { value }
}

extension PropertyDescription {
    /// The transformer that the property's declaration names; nil if there is none of that name. One that nobody registered is looked up anew each time: apps
    /// register before they open a container, but not before they touch a class.
    var transformer: ValueTransformer? {
        transformerName.flatMap { ValueTransformer.named($0) }
    }

    var transformerName: String? { attribute?.options.first { $0.kind == .transformable }?.transformer }
}
