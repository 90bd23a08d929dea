// CloudKitTesting: a whole cloud and any number of devices inside one test process, with faults on demand and a clock
// that the test turns.
//
//     import CloudKit
//     import CloudKitTesting
//     import Testing
//
//     @Test func twoDevicesMeet() async throws {
//         let cloud = try Cloud()
//         let phone = cloud.device(account: "alice"), laptop = cloud.device(account: "alice")
//         let note = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "first"))
//         note["title"] = "Hello"
//         try await phone.container("iCloud.com.example.notes").privateCloudDatabase.save(note)
//         let found = try await laptop.container("iCloud.com.example.notes").privateCloudDatabase.record(for: note.recordID)
//         #expect(found["title"] == "Hello")
//     }
//
// What goes on by itself, sync engines and pushes, a test waits for with `cloud.settle()`.
//
// This is the only library that knows client and server both. What an app ships must not import it.
