// SchemaLanguage: CloudKit's schema files (`.ckdb`) as values, and back. [Apple: Integrating a Text-Based Schema]
//
// `SchemaDefinition(text:)` reads and checks a file, `SchemaDefinition.text` writes one as CloudKit's tools do, and
// `SchemaDifference` says what one schema has that another has not, and which of that would lose data. Pure values: this
// module must not know a store, a server or a client.

/// What a schema file may hold: a stranger's file is refused before it costs anything.
package enum SchemaLimits {
    /// Bytes of the whole text.
    package static let textBytes = 4 << 20
    package static let recordTypes = 2000
    package static let roles = 200
    /// Fields of one record type, without the system's.
    package static let fields = 1000
    /// Bytes of one name.
    package static let nameBytes = 255
    /// Mistakes that are told at once.
    package static let problems = 25
}
