/// Puts fields together: JSON and directory grow side by side.
package struct FieldsBuilder: ~Copyable {
    private var json: JSONWriter
    private var directory: [UInt8] = []
    private var count = 0
    /// The first thing that is wrong with a value; see `Fields.problem`.
    package private(set) var problem: ServerError?

    package init(capacity: Int = 512) {
        json = JSONWriter(capacity: capacity)
    }

    /// Appends a field; nil is a null, which clears the field on the server.
    ///
    /// - Parameter exactSeconds: what a TIMESTAMP or a list of them stands for more precisely (`Fields.exactSeconds`);
    ///   ignored where it says something else than the value.
    package mutating func append(
        _ name: String, _ value: FieldValue?, isEncrypted: Bool = false, exactSeconds: [Double]? = nil
    ) {
        let start = beginMember(name)
        let valueStart = json.count
        guard let value else {
            json.null()
            return endMember(start, name.utf8.count, .null, valueStart)
        }
        json.fieldValue(value)
        let exact = exactSeconds.map { ExactValue(seconds: $0, isList: value.type.isList) }
        let used = exact.flatMap { $0.agrees(with: value) ? $0 : nil }
        let kind = Fields.Kind(value.type, isEncrypted: isEncrypted, isExact: used != nil)
        endMember(start, name.utf8.count, kind, valueStart, exact: used)
    }

    /// Appends a field as it stands in other fields.
    package mutating func append(copying entry: Fields.Entry, of fields: Fields) {
        let start = json.nextOffset
        json.raw(fields.member(entry))
        record(
            Fields.Entry(
                memberOffset: start, memberLength: json.count - start, nameLength: entry.nameLength, kind: entry.kind,
                valueOffset: start + entry.valueOffset - entry.memberOffset, valueLength: entry.valueLength))
    }

    /// Appends a field whose value is JSON already.
    package mutating func append(_ name: String, json value: ArraySlice<UInt8>, kind: Fields.Kind) {
        let start = beginMember(name)
        let valueStart = json.count
        json.raw(value)
        endMember(start, name.utf8.count, kind, valueStart)
    }

    /// Appends a field from a request or an answer: a parsed value and its declared type, if there is one.
    ///
    /// A value of the wrong kind becomes the `problem` of the fields.
    package mutating func append(
        _ name: String, parsed value: JSONValue, type: FieldType?, isEncrypted: Bool = false,
        exactValue: JSONValue? = nil
    ) {
        guard !value.isNull else { return append(name, nil) }
        if let type, let exactValue, let exact = ExactValue(exactValue), let decoded = try? FieldValue(value, as: type)
        {
            return append(name, decoded, isEncrypted: isEncrypted, exactSeconds: exact.seconds)
        }
        let start = beginMember(name)
        let valueStart = json.count
        if let type {
            do throws(ServerError) {
                try json.fieldValue(value, as: type)
            } catch {
                note(error)
                json.null()
            }
        } else {
            json.writeCompact(value)
        }
        let untyped: Fields.Kind = isEncrypted ? .untypedEncrypted : .untyped
        endMember(
            start, name.utf8.count, type.map { Fields.Kind($0, isEncrypted: isEncrypted) } ?? untyped, valueStart)
    }

    package mutating func note(_ error: ServerError) {
        problem = problem ?? error
    }

    package consuming func finish() -> Fields {
        var stored: [UInt8] = []
        stored.reserveCapacity(Fields.headerLength + directory.count + json.count)
        stored.append(Fields.version)
        stored.append(0)
        stored.append(UInt8(truncatingIfNeeded: count))
        stored.append(UInt8(truncatingIfNeeded: count >> 8))
        stored.append(contentsOf: directory)
        json.withBytes { stored.append(contentsOf: $0) }
        return Fields(storedBytes: stored, count: count, problem: problem)
    }

    // MARK: Not Public

    private mutating func beginMember(_ name: String) -> Int {
        let start = json.nextOffset
        json.key(name)
        json.beginObject()
        json.key("value")
        return start
    }

    private mutating func endMember(
        _ start: Int, _ nameLength: Int, _ kind: Fields.Kind, _ valueStart: Int, exact: ExactValue? = nil
    ) {
        let valueLength = json.count - valueStart
        if let type = kind.type {
            json.key("type")
            json.string(type.name)
        }
        if kind.isEncrypted { json.member("isEncrypted", true) }
        if let exact { json.exactValue(exact) }
        json.endObject()
        record(
            Fields.Entry(
                memberOffset: start, memberLength: json.count - start, nameLength: nameLength, kind: kind,
                valueOffset: valueStart, valueLength: valueLength))
    }

    private mutating func record(_ entry: Fields.Entry) {
        guard count < Fields.maximumCount else {
            return note(
                ServerError(
                    .badRequest, "A record may have at most \(Fields.maximumCount) fields",
                    extensionCode: .limitExceeded))
        }
        // Offsets fit into four bytes: no request is that large.
        append32(entry.memberOffset)
        append32(entry.memberLength)
        directory.append(UInt8(truncatingIfNeeded: entry.nameLength))
        directory.append(UInt8(truncatingIfNeeded: entry.nameLength >> 8))
        directory.append(entry.kind.rawValue)
        directory.append(0)
        append32(entry.valueOffset)
        append32(entry.valueLength)
        count += 1
    }

    private mutating func append32(_ value: Int) {
        withUnsafeBytes(of: UInt32(truncatingIfNeeded: value).littleEndian) { directory.append(contentsOf: $0) }
    }
}

extension JSONWriter {
    /// Where the next key or value will begin.
    fileprivate var nextOffset: Int { needsComma ? used + 1 : used }
}
