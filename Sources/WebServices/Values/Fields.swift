/// A record's fields in the form in which they travel and rest: the wire's own JSON plus a directory.
///
/// `json` holds the members of the `fields` object without its braces, minified, every value with its type:
/// `"title":{"value":"x","type":"STRING"},"count":{"value":3,"type":"INT64"}`. The directory says where each field's
/// name, member and bare value lie, so that a page is assembled by copying, `desiredKeys` by copying parts, and a field is
/// decoded only when it is read.
package struct Fields: Sendable {
    /// One field of the directory. Offsets are bytes into `json`.
    package struct Entry: Sendable, Hashable {
        /// Where the member begins: at the opening quote of the name.
        package var memberOffset: UInt32
        /// To the closing brace of the member, inclusive.
        package var memberLength: UInt32
        /// The name lies at `memberOffset + 1`; names need no escapes.
        package var nameLength: UInt16
        package var kind: Kind
        package var valueOffset: UInt32
        package var valueLength: UInt32
    }

    /// The type of a value, or what a request said instead of one. Stored: never renumber.
    package struct Kind: RawRepresentable, Sendable, Hashable {
        package var rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        package init(_ type: FieldType) { rawValue = type.rawValue }
        /// `null`, `{}` or a null value: the field is to be cleared. Only in requests.
        package static let null = Kind(rawValue: 0)
        /// A value without a `type`: the schema decides. Only in requests.
        package static let untyped = Kind(rawValue: 255)
        package var type: FieldType? { FieldType(rawValue: rawValue) }
    }

    package internal(set) var json: [UInt8]
    package internal(set) var entries: [Entry]

    package init() {
        json = []
        entries = []
    }
}
