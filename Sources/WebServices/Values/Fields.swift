/// A record's fields in the form in which they travel and rest: the wire's own JSON plus a directory.
///
/// The JSON holds the members of the `fields` object without its braces, minified, every value with its type:
/// `"title":{"value":"x","type":"STRING"},"count":{"value":3,"type":"INT64"}`. The directory says where each field's
/// member, name and bare value lie, so that a page is assembled by copying, `desiredKeys` by copying parts, and a field
/// is decoded only when it is read. Directory and JSON are one run of bytes, which is also what a store keeps: reading a
/// record from a database builds nothing.
package struct Fields: Sendable {
    /// One field of the directory. Offsets are bytes into the JSON.
    package struct Entry: Sendable, Hashable {
        /// Where the member begins: at the opening quote of the name.
        package var memberOffset: Int
        /// To the closing brace of the member, inclusive.
        package var memberLength: Int
        /// The name lies at `memberOffset + 1`; names need no escapes.
        package var nameLength: Int
        package var kind: Kind
        package var valueOffset: Int
        package var valueLength: Int
    }

    /// The type of a value, or what a request said instead of one. Stored: never renumber.
    package struct Kind: RawRepresentable, Sendable, Hashable {
        package var rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// - Parameters:
        ///   - isEncrypted: The member says `isEncrypted`.
        ///   - isExact: The member carries an `exactValue` (`Fields.exactSeconds`).
        package init(_ type: FieldType, isEncrypted: Bool = false, isExact: Bool = false) {
            rawValue = type.rawValue | (isEncrypted ? Self.encryptedBit : 0) | (isExact ? Self.exactBit : 0)
        }

        private static let encryptedBit: UInt8 = 0x20
        private static let exactBit: UInt8 = 0x40
        /// Kinds from here on have no type.
        private static let firstUntyped: UInt8 = 0x80

        /// `null`, `{}` or a null value: the field is to be cleared. Only in requests.
        package static let null = Kind(rawValue: 0)
        /// A value without a `type`: the schema decides. Only in requests.
        package static let untyped = Kind(rawValue: 255)
        /// A value without a `type` that is to be encrypted. Only in requests.
        package static let untypedEncrypted = Kind(rawValue: 254)

        package var type: FieldType? {
            rawValue < Self.firstUntyped ? FieldType(rawValue: rawValue & ~(Self.encryptedBit | Self.exactBit)) : nil
        }
        package var isEncrypted: Bool {
            self == .untypedEncrypted || rawValue < Self.firstUntyped && rawValue & Self.encryptedBit != 0
        }
        package var isExact: Bool { rawValue < Self.firstUntyped && rawValue & Self.exactBit != 0 }
    }

    /// Header (one byte of version, one unused, two of count), directory, JSON.
    package let storedBytes: [UInt8]
    package let count: Int
    /// What is wrong with a value of a request: the error of that record alone. The fields are incomplete then.
    package var problem: ServerError? { problemApart?.error }
    /// Rare, and inline it would be a third of a record's size, which every copy of a record would carry along.
    private let problemApart: Problem?

    private final class Problem: Sendable {
        let error: ServerError
        init(_ error: ServerError) { self.error = error }
    }

    static let version: UInt8 = 1
    static let headerLength = 4
    static let entryLength = 20
    /// Fields that one record, and so a record type, may have. Two records' fields are compared name by name.
    package static let maximumCount = 1000

    package init() {
        storedBytes = [Self.version, 0, 0, 0]
        count = 0
        problemApart = nil
    }

    /// Fields as a store kept them; nil if the bytes are none.
    package init?(stored bytes: [UInt8]) {
        guard bytes.count >= Self.headerLength, bytes[0] == Self.version else { return nil }
        let count = Int(bytes[2]) | Int(bytes[3]) << 8
        guard bytes.count >= Self.headerLength + count * Self.entryLength else { return nil }
        storedBytes = bytes
        self.count = count
        problemApart = nil
    }

    init(storedBytes: [UInt8], count: Int, problem: ServerError?) {
        self.storedBytes = storedBytes
        self.count = count
        problemApart = problem.map(Problem.init)
    }

    package var isEmpty: Bool { count == 0 }

    /// How many bytes of JSON there are: what counts towards the size of a record.
    package var jsonLength: Int { storedBytes.count - jsonOffset }

    var jsonOffset: Int { Self.headerLength + count * Self.entryLength }

    /// Calls `body` with the members. The buffer must not escape.
    package func withJSON<Value, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        // Carried out of the closure, since the array's own method rethrows any error.
        let result: Result<Value, Failure> = storedBytes.withUnsafeBytes { bytes in
            do throws(Failure) {
                return .success(try body(UnsafeRawBufferPointer(rebasing: bytes[jsonOffset...])))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}

// MARK: - The directory

extension Fields: RandomAccessCollection {
    package var startIndex: Int { 0 }
    package var endIndex: Int { count }

    package subscript(position: Int) -> Entry {
        precondition(position >= 0 && position < count, "no such field")
        return storedBytes.withUnsafeBytes { bytes in
            let offset = Self.headerLength + position * Self.entryLength
            func number(_ at: Int) -> Int {
                Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + at, as: UInt32.self)))
            }
            let nameLength = UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt16.self))
            return Entry(
                memberOffset: number(0), memberLength: number(4), nameLength: Int(nameLength),
                kind: Kind(rawValue: bytes[offset + 10]), valueOffset: number(12), valueLength: number(16))
        }
    }

    package func name(of entry: Entry) -> String {
        String(decoding: slice(entry.memberOffset + 1, entry.nameLength), as: UTF8.self)
    }

    /// The names, in the order in which they were sent.
    package var names: [String] { map { name(of: $0) } }

    package func entry(named name: String) -> Entry? {
        var name = name
        return name.withUTF8 { wanted in
            first { entry in
                entry.nameLength == wanted.count
                    && slice(entry.memberOffset + 1, entry.nameLength).elementsEqual(wanted)
            }
        }
    }

    /// The JSON of the bare value.
    package func json(of entry: Entry) -> ArraySlice<UInt8> {
        slice(entry.valueOffset, entry.valueLength)
    }

    /// The JSON of the member, from its name to its closing brace.
    package func member(_ entry: Entry) -> ArraySlice<UInt8> {
        slice(entry.memberOffset, entry.memberLength)
    }

    /// Part of the JSON; empty where a damaged directory points outside of it.
    private func slice(_ offset: Int, _ length: Int) -> ArraySlice<UInt8> {
        let lower = jsonOffset + offset
        guard lower + length <= storedBytes.count else { return [] }
        return storedBytes[lower..<lower + length]
    }
}

// MARK: - Combining

extension Fields {
    /// These fields with `changes` laid over them: a null removes a field, anything else sets it.
    package func merging(_ changes: Fields) -> Fields {
        var builder = FieldsBuilder(capacity: jsonLength + changes.jsonLength)
        for entry in self where changes.entry(named: name(of: entry)) == nil {
            builder.append(copying: entry, of: self)
        }
        for entry in changes where entry.kind != .null {
            builder.append(copying: entry, of: changes)
        }
        return builder.finish()
    }

    /// These fields with those of `others` after them, none of which has a name that is here.
    package func appending(_ others: Fields) -> Fields {
        if others.isEmpty { return self }
        if isEmpty { return others }
        var builder = FieldsBuilder(capacity: jsonLength + others.jsonLength + 1)
        for entry in self { builder.append(copying: entry, of: self) }
        for entry in others { builder.append(copying: entry, of: others) }
        return builder.finish()
    }

    /// Two parts: the fields for which `isApart` is false, and those for which it is true.
    package func divided(_ isApart: (Entry) -> Bool) -> (rest: Fields, apart: Fields) {
        guard contains(where: isApart) else { return (self, Fields()) }
        var rest = FieldsBuilder(capacity: jsonLength)
        var apart = FieldsBuilder(capacity: jsonLength)
        for entry in self {
            if isApart(entry) {
                apart.append(copying: entry, of: self)
            } else {
                rest.append(copying: entry, of: self)
            }
        }
        return (rest.finish(), apart.finish())
    }

    /// Only the fields with these names; nil keeps all.
    package func selecting(_ keys: [String]?) -> Fields {
        guard let keys else { return self }
        if keys.isEmpty { return Fields() }
        var builder = FieldsBuilder(capacity: jsonLength)
        for entry in self where keys.contains(name(of: entry)) {
            builder.append(copying: entry, of: self)
        }
        return builder.finish()
    }

    package init(_ values: [(name: String, value: FieldValue?)]) {
        var builder = FieldsBuilder()
        for (name, value) in values { builder.append(name, value) }
        self = builder.finish()
    }
}
