extension SchemaDefinition {
    /// The schema as CloudKit's own tools write one: everything by name, every system field named.
    package var text: String {
        var text = "DEFINE SCHEMA\n"
        for role in roles.sorted() { text += "\n    CREATE ROLE \(Self.name(role));\n" }
        for type in sortedRecordTypes {
            text += "\n    RECORD TYPE \(Self.name(type.name)) (\n"
            text += Self.items(of: type).map { "        " + $0 }.joined(separator: ",\n")
            text += "\n    );\n"
        }
        return text
    }

    private static func items(of type: RecordTypeDefinition) -> [String] {
        var lines: [(sortKey: String, name: String, rest: String)] = type.fields.values.map { field in
            (field.name, name(field.name), line(field.type, field.indexes))
        }
        for field in SystemField.allCases {
            lines.append(
                (
                    field.rawValue, name(field.rawValue),
                    line(FieldDataType(field.base), type.systemIndexes[field] ?? [])
                ))
        }
        let width = lines.map(\.name.utf8.count).max() ?? 0
        let fields = lines.sorted { $0.sortKey < $1.sortKey }.map { line in
            line.name + String(repeating: " ", count: width - line.name.utf8.count + 1) + line.rest
        }
        let grants = type.grants.sorted { $0.key < $1.key }.map { "GRANT \($0.value.text) TO \(name($0.key))" }
        return fields + grants
    }

    private static func line(_ type: FieldDataType, _ indexes: FieldIndexes) -> String {
        indexes.isEmpty ? type.text : "\(type.text) \(indexes.text)"
    }

    private static func name(_ name: String) -> String {
        SchemaNames.isPlain(name) ? name : "\"\(name)\""
    }
}
