import SchemaLanguage

/// A type's grants as the store keeps them: `Editor=7,_world=1`. Permissions are their stored numbers.
enum StoredGrants {
    static func text(_ grants: [String: Permissions]) -> String {
        grants.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.rawValue)" }.joined(separator: ",")
    }

    /// - Parameter text: nil for a type that came into being with a record.
    static func permissions(_ text: String?, ofType name: String) -> [String: Permissions] {
        guard let text else {
            return name == RecordTypeDefinition.usersName
                ? RecordTypeDefinition.users.grants : RecordTypeDefinition.initialGrants
        }
        var grants: [String: Permissions] = [:]
        for part in text.split(separator: ",") {
            guard let sign = part.lastIndex(of: "="), let bits = UInt8(part[part.index(after: sign)...]) else {
                continue
            }
            grants[String(part[..<sign])] = Permissions(rawValue: bits)
        }
        return grants
    }
}
