import SQL

/// What a request can ask of a container's environment, inside one consistent snapshot.
///
/// Its capabilities: `+Zones`, `+Records`, `+Index`, `+References`, `+Assets`, `+Schema`. Only to be used inside the body it
/// was handed to. All throw `StoreError`; those with a visitor also what the visitor throws.
package class ContainerReader: StoreSession {
    let zoneQueries: ZoneQueries
    let recordQueries: RecordQueries
    let referenceQueries: ReferenceQueries
    let schemaQueries: SchemaQueries
    let assetQueries: AssetQueries
    /// Index scans by the shape of their bounds.
    var scanQueries: [IndexScanShape: PreparedQuery] = [:]

    required init(_ context: SessionContext) {
        zoneQueries = ZoneQueries(context.connection)
        recordQueries = RecordQueries(context.connection)
        referenceQueries = ReferenceQueries(context.connection)
        schemaQueries = SchemaQueries(context.connection)
        assetQueries = AssetQueries(context.connection)
        super.init(context)
    }

    /// True in a `ContainerWriter`, whose reads have to hold until the commit.
    var isWriter: Bool { false }
}
