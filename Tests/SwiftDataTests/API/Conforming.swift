// What a declaration is, told to the compiler: a test that compiles has passed.
//
// Types of properties are said by key paths, which take no conversion; functions by references to them.

func hashable<Value: Hashable>(_ type: Value.Type) {}
func codable<Value: Codable>(_ type: Value.Type) {}
func comparable<Value: Comparable>(_ type: Value.Type) {}
func sendable<Value: Sendable>(_ type: Value.Type) {}
func identifiable<Value: Identifiable>(_ type: Value.Type, by id: Value.ID.Type) {}
func describable<Value: CustomStringConvertible>(_ type: Value.Type) {}
func debugDescribable<Value: CustomDebugStringConvertible>(_ type: Value.Type) {}
func raw<Value: RawRepresentable>(_ type: Value.Type, _ raw: Value.RawValue.Type) {}
func error<Value: Error>(_ type: Value.Type) {}
