import SchemaLanguage
import WebServices

/// Fields of a request once the schema has had its say: every value has a type, references and assets are in the form in
/// which they are kept. Nulls are still there, since they clear fields of the stored record.
struct CheckedFields {
    struct NewField: Sendable, Hashable {
        var name: String
        var type: FieldType
        var isEncrypted = false
    }

    /// What is kept as it is.
    private(set) var fields: Fields
    /// What is to be sealed, and nulls of encrypted fields.
    private(set) var encrypted: Fields
    /// Fields that the record's type does not have yet.
    private(set) var newFields: [NewField] = []
    private var hasNulls = false

    /// - Parameters:
    ///   - type: nil for a type that comes into being with this record.
    ///   - owner: of the record's zone.
    ///   - stored: the record's plain fields as they are.
    /// - Throws: what is wrong with the first bad value: the error of this record alone.
    init(
        _ sent: Fields, recordType: String, type: Schema.RecordType?, zone: ZoneID, owner: AssetOwner,
        stored: Fields, _ context: RequestContext
    ) throws(ServerError) {
        if let problem = sent.problem { throw problem }
        let rules = FieldRules(
            recordType: recordType, type: type, zone: zone, owner: owner, stored: stored, context: context)
        var names: Set<String> = []
        var changed: [String: FieldValue] = [:]
        var encryptedNames: Set<String> = []
        for entry in sent {
            let name = sent.name(of: entry)
            guard names.insert(name).inserted else { throw .badRequest("Field '\(name)' appears twice") }
            let new: FieldType?
            switch try rules.check(entry, named: name, of: sent) {
            case .asSent(let type):
                new = type
            case .changed(let value, let type):
                new = type
                changed[name] = value
            }
            let isEncrypted = entry.kind.isEncrypted
            if let new { newFields.append(NewField(name: name, type: new, isEncrypted: isEncrypted)) }
            let isApart = isEncrypted || type?.field(named: name)?.isEncrypted ?? false
            if isApart { encryptedNames.insert(name) }
            if entry.kind == .null, !isApart { hasNulls = true }
        }
        let all = changed.isEmpty ? sent : Self.replacing(changed, in: sent)
        if encryptedNames.isEmpty {
            (fields, encrypted) = (all, Fields())
        } else {
            (fields, encrypted) = all.divided { encryptedNames.contains(all.name(of: $0)) }
        }
    }

    /// The stored fields with these laid over them.
    func merged(over stored: Fields) -> Fields {
        // Most records are new and hold no nulls: their bytes are kept as they came.
        stored.isEmpty && !hasNulls ? fields : stored.merging(fields)
    }

    private static func replacing(_ changed: [String: FieldValue], in sent: Fields) -> Fields {
        var builder = FieldsBuilder(capacity: sent.jsonLength)
        for entry in sent {
            let name = sent.name(of: entry)
            if let value = changed[name] {
                builder.append(name, value, isEncrypted: entry.kind.isEncrypted)
            } else {
                builder.append(copying: entry, of: sent)
            }
        }
        return builder.finish()
    }
}

/// What a record type makes of one field of a request.
struct FieldRules {
    let recordType: String
    /// nil for a type that comes into being with this record.
    let type: Schema.RecordType?
    /// The record's own zone.
    let zone: ZoneID
    let owner: AssetOwner
    /// The record's plain fields as they are.
    let stored: Fields
    let context: RequestContext

    enum Verdict {
        /// The member is kept byte by byte. `new` is the type of a field that is to be made.
        case asSent(new: FieldType?)
        /// Another value is kept in its place.
        case changed(FieldValue, new: FieldType?)
    }

    func check(_ entry: Fields.Entry, named name: String, of fields: Fields) throws(ServerError) -> Verdict {
        if recordType == RecordNaming.usersType, name == RecordTypeDefinition.rolesFieldName {
            throw .badRequest(
                "Field '\(name)' of type '\(recordType)' is the server's: roles are given by its operator")
        }
        if entry.kind == .null { return .asSent(new: nil) }
        let field = type?.field(named: name)
        try checkEncryption(entry, named: name, of: fields, field)
        let known = field?.type
        let wanted: FieldType
        if let known {
            wanted = known
        } else {
            wanted = try newType(entry, named: name, of: fields)
        }
        let new = known == nil ? wanted : nil
        guard let sent = entry.kind.type else {
            return try kept(try fields.value(of: entry, as: wanted), named: name, new: new)
                ?? .changed(
                    try fields.value(of: entry, as: wanted), new: new)
        }
        guard sent == wanted else {
            return .changed(try converted(entry, of: fields, named: name, from: sent, to: wanted), new: new)
        }
        // Values of other types were checked when they were read.
        switch wanted.element ?? wanted {
        case .reference, .asset:
            return try kept(try fields.value(of: entry, as: wanted), named: name, new: new) ?? .asSent(new: new)
        default:
            return .asSent(new: new)
        }
    }

    // MARK: - Encryption

    /// What holds of `isEncrypted`, in the texts that Apple's service uses. [MistKit's live tests of encrypted fields]
    private func checkEncryption(
        _ entry: Fields.Entry, named name: String, of fields: Fields, _ field: Schema.Field?
    ) throws(ServerError) {
        guard entry.kind.isEncrypted else {
            if let field, field.isEncrypted { throw .notEncrypted(name, field, in: recordType) }
            return
        }
        guard context.database != .public else {
            throw .badRequest("encrypted fields are not supported in the public database")
        }
        if let field, !field.isEncrypted {
            throw .badRequest("Attempt to save encrypted data in non encrypted field type")
        }
        guard let type = entry.kind.type else {
            // Our own client cannot tell the type of an empty list.
            if let field, field.type.isList, fields.json(of: entry).elementsEqual("[]".utf8) { return }
            if let field { throw .notEncrypted(name, field, in: recordType) }
            throw .badRequest("Field '\(name)' in record type '\(recordType)' needs a type")
        }
        // Assets are never readable without permission, and what refers to a record must be seen. [Apple:CKRecord.encryptedValues]
        guard ![.reference, .asset].contains(type.element ?? type) else {
            throw .badRequest("Field '\(name)': values of type \(type.name) cannot be encrypted")
        }
    }

    // MARK: - Types

    /// The type of a field that the record type does not have: its own tag, or what the value looks like.
    private func newType(_ entry: Fields.Entry, named name: String, of fields: Fields) throws(ServerError) -> FieldType
    {
        guard context.mayGrowSchema else { throw .badRequest("Field \(name) not found in \(recordType)") }
        guard Self.isFieldName(name) else {
            throw .badRequest("Invalid field name '\(name)': a letter or '_' first, then letters, digits, '_' and '$'")
        }
        guard let shape = fields.shape(of: entry) else { throw .invalidValue(entry.kind.type ?? .string) }
        if case .list(let elements) = shape, elements.isEmpty {
            throw .badRequest(
                "cannot use an empty list to initialize a new field (field '\(name)' in record type '\(recordType)' "
                    + "should be more precise)")
        }
        if let type = entry.kind.type { return type }
        for candidate in Self.candidates(shape) {
            if (try? fields.value(of: entry, as: candidate)) != nil { return candidate }
        }
        throw .badRequest("Field '\(name)' in record type '\(recordType)' needs a type")
    }

    private static func candidates(_ shape: Fields.Shape) -> [FieldType] {
        switch shape {
        case .string: [.string]
        case .integer, .boolean: [.int64]
        case .double: [.double]
        // An asset has no recordName and a location neither of the others' members.
        case .object: [.reference, .location, .asset]
        case .list(let elements):
            switch elements.first {
            case .string: [.stringList]
            // One fraction among whole numbers makes a list of DOUBLE.
            case .integer, .boolean, .double: [.int64List, .doubleList]
            case .object: [.referenceList, .locationList, .assetList]
            case .list, nil: []
            }
        }
    }

    /// A value of another type than the field's. A whole number is taken for a DOUBLE, since Swift's literals and
    /// NSNumber do not keep the two apart; anything else is the mistake that it looks like.
    private func converted(
        _ entry: Fields.Entry, of fields: Fields, named name: String, from sent: FieldType, to wanted: FieldType
    ) throws(ServerError) -> FieldValue {
        switch (sent, wanted) {
        case (.int64, .double), (.int64List, .doubleList):
            return try fields.value(of: entry, as: wanted)
        default:
            let prefix = entry.kind.isEncrypted ? FieldType.encryptedPrefix : ""
            throw .badRequest(
                "invalid attempt to set value type \(prefix)\(sent.name) for field '\(name)' for type '\(recordType)', "
                    + "defined to be: \(prefix)\(wanted.name)")
        }
    }

    static func isFieldName(_ name: String) -> Bool {
        guard name.utf8.count <= Limits.nameLength, let first = name.utf8.first, !name.hasPrefix("___") else {
            return false
        }
        return (first.isASCIILetter || first == UInt8(ascii: "_"))
            && name.utf8.allSatisfy {
                $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "$")
            }
    }

    // MARK: - Values

    /// The value to keep in place of the one that was sent; nil where that one is fine.
    private func kept(_ value: FieldValue, named name: String, new: FieldType?) throws(ServerError) -> Verdict? {
        switch value {
        case .reference(let reference):
            return try kept(reference).map { .changed(.reference($0), new: new) }
        case .asset(let asset):
            return .changed(.asset(try kept(asset, named: name)), new: new)
        case .list(let elements, let type) where type == .reference || type == .asset:
            var isChanged = false
            var changed: [FieldValue] = []
            for element in elements {
                if case .changed(let other, _)? = try kept(element, named: name, new: nil) {
                    isChanged = true
                    changed.append(other)
                } else {
                    changed.append(element)
                }
            }
            return isChanged ? .changed(.list(changed, of: type), new: new) : nil
        default:
            return nil
        }
    }

    /// A reference without an action is one that does nothing. One that does something stays within its zone.
    private func kept(_ reference: Reference) throws(ServerError) -> Reference? {
        guard let action = reference.action else {
            var complete = reference
            complete.action = Reference.Action.none
            return complete
        }
        guard action == .none || reference.zoneID.map(isOwnZone) ?? true else { throw .foreignReference }
        return nil
    }

    private func isOwnZone(_ zoneID: ZoneID) -> Bool {
        context.normalized(zoneID) == context.normalized(zone)
    }
}

extension RequestContext {
    /// Whether types and fields may come into being with a record. Production has what was deployed to it.
    var mayGrowSchema: Bool { environment == .development && configuration.createsSchemaOnSave }
}

extension ServerError {
    /// An encrypted field whose value came without `isEncrypted`, or without its type.
    fileprivate static func notEncrypted(_ name: String, _ field: Schema.Field, in type: String) -> ServerError {
        .badRequest(
            "invalid attempt to set value type ENCRYPTED_BYTES for field '\(name)' for type '\(type)', "
                + "defined to be: \(field.typeName)")
    }

    static let foreignReference = ServerError.badRequest("ZoneId provided doesn't match target zone", .invalidReference)
}

extension UInt8 {
    var isASCIILetter: Bool { (self | 0x20) >= UInt8(ascii: "a") && (self | 0x20) <= UInt8(ascii: "z") }
    var isASCIIDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }
}
