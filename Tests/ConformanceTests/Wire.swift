import CloudKit
import CloudKitTesting
import CloudServer
import Foundation
import Testing
import WebServices

/// How a test's devices reach the server. Every behaviour has to hold over each.
enum Wire: CaseIterable, Sendable, CustomTestStringConvertible {
    case inProcess
    case http

    var testDescription: String {
        switch self {
        case .inProcess: "in process"
        case .http: "HTTP"
        }
    }
}

/// A cloud of its own for one test.
struct World {
    static let container = "iCloud.com.example.conformance"

    let wire: Wire
    let cloud: Cloud

    init(_ wire: Wire, configure: (inout ServerConfiguration) -> Void = { _ in }) throws {
        self.wire = wire
        cloud = try Cloud(configure: configure)
    }

    func device(_ account: String? = "alice") throws -> Device {
        switch wire {
        case .inProcess: cloud.device(account: account)
        case .http: try cloud.deviceOverHTTP(account: account)
        }
    }

    /// A new device's private database.
    func database(_ account: String? = "alice", _ scope: CKDatabase.Scope = .private) throws -> CKDatabase {
        try device(account).container(Self.container).database(with: scope)
    }

    /// A new device's private database with a zone of the given name.
    func database(_ account: String = "alice", zone name: String) async throws -> (CKDatabase, CKRecordZone.ID) {
        let database = try database(account)
        let zone = try await database.save(CKRecordZone(zoneName: name))
        return (database, zone.zoneID)
    }
}

/// What a call fails with.
func error<Value>(_ body: () async throws -> Value) async -> CKError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? CKError
    }
}

extension Result {
    var error: CKError? {
        if case .failure(let error) = self { return error as? CKError }
        return nil
    }

    var value: Success? { try? get() }
}

extension CKRecord.ID {
    convenience init(_ name: String, _ zoneID: CKRecordZone.ID = .default) {
        self.init(recordName: name, zoneID: zoneID)
    }
}

/// A record with a title.
func note(_ name: String, _ zoneID: CKRecordZone.ID = .default, title: String = "Title") -> CKRecord {
    let record = CKRecord(recordType: "Note", recordID: CKRecord.ID(name, zoneID))
    record["title"] = title
    return record
}
