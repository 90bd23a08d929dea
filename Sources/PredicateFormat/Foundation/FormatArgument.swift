import Foundation

// On Apple's systems `id as CVarArg` compiles for every value that has an Objective-C class, and Xcode proposes it in
// `NSPredicate(format: "id == %@", id as CVarArg)`. These conformances let it compile here. The predicate sees the value itself;
// `String(format: "%@", id as CVarArg)` sees its description, as on Apple's systems.
//
// `_CVarArgObject` is how the standard library of platforms without Objective-C takes an object for `%@`; String has it too.

#if compiler(<6.4)
    // Later toolchains bring this (swift-corelibs-foundation #5490).
    extension NSObject: @retroactive CVarArg {
        public var _cVarArgEncoding: [Int] { [Int(bitPattern: Unmanaged.passUnretained(self).toOpaque())] }
    }
#endif

/// The object that `%@` prints for a value.
private func described(_ value: Any) -> any CVarArg {
    NSString(string: String(describing: value))
}

extension Array: @retroactive CVarArg, @retroactive _CVarArgObject {
    public var _cVarArgObject: any CVarArg { described(self) }
    public var _cVarArgEncoding: [Int] { _cVarArgObject._cVarArgEncoding }
}

extension Data: @retroactive CVarArg, @retroactive _CVarArgObject {
    public var _cVarArgObject: any CVarArg { described(self) }
    public var _cVarArgEncoding: [Int] { _cVarArgObject._cVarArgEncoding }
}

extension Date: @retroactive CVarArg, @retroactive _CVarArgObject {
    public var _cVarArgObject: any CVarArg { described(self) }
    public var _cVarArgEncoding: [Int] { _cVarArgObject._cVarArgEncoding }
}

extension Decimal: @retroactive CVarArg, @retroactive _CVarArgObject {
    public var _cVarArgObject: any CVarArg { described(self) }
    public var _cVarArgEncoding: [Int] { _cVarArgObject._cVarArgEncoding }
}

extension Dictionary: @retroactive CVarArg, @retroactive _CVarArgObject {
    public var _cVarArgObject: any CVarArg { described(self) }
    public var _cVarArgEncoding: [Int] { _cVarArgObject._cVarArgEncoding }
}

extension Set: @retroactive CVarArg, @retroactive _CVarArgObject {
    public var _cVarArgObject: any CVarArg { described(self) }
    public var _cVarArgEncoding: [Int] { _cVarArgObject._cVarArgEncoding }
}

extension URL: @retroactive CVarArg, @retroactive _CVarArgObject {
    public var _cVarArgObject: any CVarArg { described(self) }
    public var _cVarArgEncoding: [Int] { _cVarArgObject._cVarArgEncoding }
}

extension UUID: @retroactive CVarArg, @retroactive _CVarArgObject {
    public var _cVarArgObject: any CVarArg { described(self) }
    public var _cVarArgEncoding: [Int] { _cVarArgObject._cVarArgEncoding }
}
