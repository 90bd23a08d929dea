/// The keys of a path, from the outside in. A key that begins with `@` is a collection operator (`@count`, `@sum`).
package struct ParsedKeyPath: Hashable, Sendable, CustomStringConvertible {
    package var keys: [String]

    package init(keys: [String]) {
        self.keys = keys
    }

    /// - Parameter path: keys separated by dots.
    package init(_ path: String) {
        keys = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }

    /// The key, if the path is one plain key: what CloudKit takes as the name of a field.
    package var singleKey: String? {
        keys.count == 1 && !keys[0].hasPrefix("@") ? keys[0] : nil
    }

    /// The keys joined by dots.
    package var description: String { keys.joined(separator: ".") }
}
