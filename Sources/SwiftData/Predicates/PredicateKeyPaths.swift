import Foundation
import PersistentStore
@_spi(Reflection) import Swift

/// Finds what a key path leads to.
enum PredicateKeyPaths {
    /// The property of a model class.
    ///
    /// A key path that was formed over a protocol's requirement, or on a subclass, is not equal to the class's own. It is followed
    /// on a probe, an object that notes what is read of it.
    static func property(_ keyPath: AnyKeyPath, of type: any PersistentModel.Type) throws -> PropertyDescription {
        let description = ModelDescription.of(type)
        if let index = description.index(of: keyPath) { return description.properties[index] }
        let reads = reads(keyPath, of: type)
        if let only = reads.first, reads.count == 1, let index = description.index(named: only.property) {
            let property = description.properties[index]
            if property.valueType == Swift.type(of: keyPath).valueType { return property }
        }
        throw PredicateProblem.keyPath(unpersisted(keyPath, of: description, reads: reads.map(\.property)))
    }

    /// What the property is, of which the key path tells no name unless it is stored in a `final` class.
    private static func unpersisted(_ keyPath: AnyKeyPath, of description: ModelDescription, reads: [String]) -> String
    {
        let type = Swift.type(of: keyPath).valueType
        var what = "a property of \(description.name) of the type \(type)"
        if let name = keyPath.debugDescription.split(separator: ".").last, !name.hasPrefix("<"), !name.contains(" ") {
            what = "\(description.name).\(name)"
        } else if !reads.isEmpty {
            what += ", computed from \(reads.joined(separator: ", "))"
        } else {
            let names = transients(of: type, in: description)
            if !names.isEmpty { what += " (\(names.joined(separator: " or ")))" }
        }
        return what + ": it is computed or transient, the store has no such value"
    }

    /// The names of stored properties of the type that are not kept.
    private static func transients(of type: Any.Type, in description: ModelDescription) -> [String] {
        func names<Model: PersistentModel>(_ model: Model.Type) -> [String] {
            var names: [String] = []
            // 1: the type is a class.
            _ = _forEachField(of: Model.self, options: _EachFieldOptions(rawValue: 1)) { name, _, fieldType, _ in
                let name = String(cString: name)
                if fieldType == type, !name.hasPrefix("_"), description.index(named: name) == nil { names.append(name) }
                return true
            }
            return names
        }
        return names(description.type)
    }

    private static func reads(_ keyPath: AnyKeyPath, of type: any PersistentModel.Type) -> [(
        entity: String, property: String
    )] {
        guard let probe = _probe(type) else { return [] }
        _ = (probe.object as Any)[keyPath: keyPath]
        return probe.reads()
    }

    /// The properties that a key path leads through, such as `\Note.notebook?.name`, and the members of a structure at its end
    /// (`\Note.place?.city`).
    ///
    /// A key path cannot be taken apart, but its description is made of those of its parts.
    static func path(
        _ keyPath: AnyKeyPath, of type: any PersistentModel.Type
    ) throws -> (properties: [PropertyDescription], members: [String]) {
        let description = ModelDescription.of(type)
        if let index = description.index(of: keyPath) { return ([description.properties[index]], []) }
        let text = keyPath.debugDescription
        if let dot = text.firstIndex(of: "."), let path = path(text[dot...], of: type) { return path }
        let reads = reads(keyPath, of: type)
        var path: [PropertyDescription] = []
        var current = description
        for read in reads {
            guard let index = current.index(named: read.property) else { break }
            path.append(current.properties[index])
            if let destination = current.properties[index].destination { current = ModelDescription.of(destination) }
        }
        if path.count == reads.count, let last = path.last,
            withoutOptional(last.valueType) == withoutOptional(Swift.type(of: keyPath).valueType),
            path.dropLast().allSatisfy({ $0.destination != nil })
        {
            return (path, [])
        }
        throw PredicateProblem.keyPath(unpersisted(keyPath, of: description, reads: reads.map(\.property)))
    }

    private static func path(
        _ text: Substring, of type: any PersistentModel.Type
    ) -> (properties: [PropertyDescription], members: [String])? {
        for property in ModelDescription.of(type).properties {
            // `\Type.name`, of which the text has what follows the type.
            let whole = property.keyPath.debugDescription
            guard let dot = whole.firstIndex(of: "."), text.hasPrefix(whole[dot...]) else { continue }
            let rest = text.dropFirst(whole[dot...].count)
            if rest.isEmpty || rest == "?" || rest == "!" { return ([property], []) }
            guard rest.first == "." || rest.dropFirst().first == "." else { continue }
            let next = rest.first == "." ? rest : rest.dropFirst()
            if let destination = property.destination, !property.isToMany,
                let path = path(next, of: destination)
            {
                return ([property] + path.properties, path.members)
            }
            if case .composite = property.kind {
                // Stored members have their names there.
                let members = next.split(separator: ".").map { $0.filter { $0 != "?" && $0 != "!" } }
                if !members.contains(where: { $0.hasPrefix("<") }) { return ([property], members) }
            }
        }
        return nil
    }

    // MARK: - Structures and raw values

    /// The name of the stored property of a structure; nil when it is computed.
    static func member(_ keyPath: AnyKeyPath, of type: Any.Type) -> String? {
        func find<Structure>(_ type: Structure.Type) -> String? {
            var found: String?
            // 2: fields of kinds that have no key path are passed over.
            _ = _forEachFieldWithKeyPath(of: Structure.self, options: _EachFieldOptions(rawValue: 2)) { name, field in
                guard field == keyPath else { return true }
                found = String(cString: name)
                return false
            }
            return found
        }
        return _openExistential(type, do: find)
    }

    /// Whether the key path reads the raw value: of a structure, its stored property of the name; of an enum, what is equal to it
    /// for each case that can be made.
    static func isRawValue<Root, Value>(_ keyPath: KeyPath<Root, Value>) -> Bool {
        guard let type = Root.self as? any RawRepresentable.Type else { return false }
        if member(keyPath, of: Root.self) == "rawValue" { return true }
        func compare<Raw: RawRepresentable>(_ type: Raw.Type) -> Bool {
            let samples = samples(of: Raw.self)
            guard !samples.isEmpty, Raw.RawValue.self == Value.self else { return false }
            return samples.allSatisfy { sample in
                guard let root = sample as? Root, let value = root[keyPath: keyPath] as? any Equatable else {
                    return false
                }
                return isEqual(value, sample.rawValue)
            }
        }
        return compare(type)
    }

    private static func isEqual<Value: Equatable>(_ value: Value, _ other: Any) -> Bool { other as? Value == value }

    private static func samples<Raw>(of type: Raw.Type) -> [Raw] {
        if let listed = Raw.self as? any CaseIterable.Type {
            func all<Cases: CaseIterable>(_ type: Cases.Type) -> [Any] { Array(Cases.allCases) }
            return all(listed).compactMap { $0 as? Raw }
        }
        // An enum with a raw value has no payloads: its cases are numbered from 0, in one byte up to 256 of them.
        guard MemoryLayout<Raw>.size == 1, !(Raw.self is AnyClass) else { return [] }
        let first = unsafeBitCast(0 as UInt8, to: Raw.self)
        return Mirror(reflecting: first).displayStyle == .enum ? [first] : []
    }
}
