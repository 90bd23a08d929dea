import CloudKit
import Foundation

// A device that saves a record with a file and fetches it again, and tells how much memory it has had in use.
//
//     AssetDevice NAME FILE COPY
//
// What came is moved to COPY; the output is the most memory before and after, in KB. The cloud and the account come from
// the environment.

func peak() -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM") } ?? ""
    return line.split(separator: " ").compactMap { Int($0) }.first ?? 0
}

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count == 3 else {
    print("usage: AssetDevice NAME FILE COPY")
    exit(2)
}

@MainActor func run() async throws {
    let database = CKContainer.default().privateCloudDatabase
    /// Sends a file and fetches it.
    func travel(_ name: String, _ file: URL) async throws -> URL {
        let record = CKRecord(recordType: "Photo", recordID: CKRecord.ID(recordName: name))
        record["image"] = CKAsset(fileURL: file)
        try await database.save(record)
        let found = try await database.record(for: record.recordID)
        guard let url = (found["image"] as? CKAsset)?.fileURL else { throw CKError(.assetFileNotFound) }
        return url
    }
    // The first time loads libraries and opens connections.
    let small = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try Data(repeating: 1, count: 1 << 20).write(to: small)
    defer { try? FileManager.default.removeItem(at: small) }
    try FileManager.default.removeItem(at: try await travel(arguments[0] + "-small", small))
    let before = peak()
    let came = try await travel(arguments[0], URL(fileURLWithPath: arguments[1]))
    try FileManager.default.moveItem(at: came, to: URL(fileURLWithPath: arguments[2]))
    print("\(before) \(peak())")
}

do {
    try await run()
} catch {
    print("failed: \(error)")
    exit(1)
}
