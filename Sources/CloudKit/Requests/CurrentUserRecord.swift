/// Fetches the record that the public database holds for the signed-in user, where the server has one.
struct CurrentUserRecord: DatabaseRequest {
    typealias Event = RecordLookup.Event

    func perform(in session: DatabaseSession, report: @Sendable (Event) -> Void) async throws(CKError) {
        let recordID = CKRecord.ID(recordName: try await session.userRecordName())
        // Users records live in the public database, whichever one the operation names.
        let publicDatabase = DatabaseSession(core: session.core, scope: .public, options: session.options)
        try await RecordLookup(recordIDs: [recordID], desiredKeys: nil).perform(in: publicDatabase, report: report)
    }
}
