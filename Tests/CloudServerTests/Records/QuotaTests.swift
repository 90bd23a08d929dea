import CloudStore
import Testing
import WebServices

@testable import CloudServer

@Suite("What an account or a public database is charged for")
struct QuotaTests {
    /// What a record should hold.
    private struct Content: Hashable {
        var text: Int?
        var file: Int?
        var target: String?
    }

    /// What there should be, by zone and name.
    private typealias Model = [String: [String: Content]]

    private static let zones = ["Notes", "Trips"]

    @Test(
        "The sum is that of the records that there are, whatever became of others",
        arguments: 1...8 as ClosedRange<UInt64>, [DatabaseScope.private, .public])
    func sums(seed: UInt64, database: DatabaseScope) throws {
        let run = try Run(database, seed: seed)
        for _ in 0..<15 {
            for _ in 0..<5 { try run.step() }
            try run.compare()
        }
    }

    @Test(
        "To the last byte: what fits is taken, and one byte more is not", arguments: [DatabaseScope.private, .public])
    func exact(database: DatabaseScope) throws {
        func cloud(_ quota: Int64) throws -> TestCloud {
            try TestCloud {
                $0.accountQuota = quota
                $0.publicQuota = quota
            }
        }
        let text = FieldValue.string(String(repeating: "x", count: 500))
        func fill(_ device: TestDevice) throws -> RecordResult? {
            try device.save(.create, .note("first", [("t", text)]), database: database)
            return try device.modify([.init(.create, .note("other", [("t", text)]))], database: database).first
        }
        let free = try cloud(1 << 30)
        let device = try free.device()
        #expect(try fill(device)?.error == nil)
        let used = try Run.usage(device, database)
        #expect(try fill(try cloud(used).device())?.error == nil)
        #expect(try fill(try cloud(used - 1).device())?.error?.code == .quotaExceeded)
    }

    /// A cloud, and what should be in it.
    private final class Run {
        private let device: TestDevice
        private let database: DatabaseScope
        private var model: Model = [:]
        private let random: RandomSource

        init(_ database: DatabaseScope, seed: UInt64) throws {
            self.database = database
            random = .seeded(seed)
            device = try Self.device()
            if database == .private { try makeZones() } else { model["_defaultZone"] = [:] }
        }

        private static func device() throws -> TestDevice {
            try TestCloud {
                $0.accountQuota = 1 << 40
                $0.publicQuota = 1 << 40
            }.device()
        }

        private func number(below limit: Int) -> Int {
            random.bytes(3).reduce(0) { $0 << 8 | Int($1) } % max(limit, 1)
        }

        private func makeZones() throws {
            for name in QuotaTests.zones where model[name] == nil {
                try device.create(name)
                model[name] = [:]
            }
        }

        private func id(_ zone: String) -> ZoneID? { database == .private ? ZoneID(zoneName: zone) : nil }

        func step() throws {
            guard let zone = model.keys.sorted().dropFirst(number(below: model.count)).first else { return }
            let name = "n\(number(below: 12))"
            switch number(below: 10) {
            case 0:
                // All of it or none in a zone of one's own; elsewhere the second fails alone.
                let failing = RecordsModify.Operation(.update, .note("nobody", tag: "1", [("t", .string("x"))]))
                let results = try device.modify(
                    [.init(.forceUpdate, .note(name, [("t", .string("lost"))])), failing], in: id(zone),
                    database: database)
                #expect(results.map { $0.error != nil } == [database == .private, true])
                if database == .public { model[zone]?[name, default: Content()].text = 4 }
            case 1, 2: try delete(name, zone)
            case 3 where database == .private:
                try device.delete(zone: zone)
                model[zone] = nil
                // Charged no longer, although its records are still being removed.
                try compare()
                if number(below: 2) == 0 {
                    device.cloud.clock.advance(milliseconds: 2 * 24 * 3600 * 1000)
                    while try device.cloud.server.maintenanceStep() {}
                }
                try makeZones()
            default: try change(name, zone)
            }
        }

        private func delete(_ name: String, _ zone: String) throws {
            guard model[zone]?[name] != nil else { return }
            try device.save(.forceDelete, .note(name), in: id(zone), database: database)
            var gone = [name]
            while let target = gone.popLast() {
                model[zone]?[target] = nil
                gone += model[zone]?.filter { $1.target == target }.map(\.key) ?? []
            }
        }

        private func change(_ name: String, _ zone: String) throws {
            var content = model[zone]?[name] ?? Content()
            var fields: [(name: String, value: FieldValue?)] = []
            let isReplaced = number(below: 4) == 0
            if isReplaced { content = Content() }
            if number(below: 2) == 0 {
                content.text = number(below: 3) == 0 ? nil : number(below: 900)
                fields.append(("t", content.text.map(QuotaTests.text)))
            }
            if number(below: 3) == 0 {
                content.file = number(below: 4) == 0 ? nil : number(below: 5) * 1000
                fields.append(("x", try content.file.map { try QuotaTests.file($0, device, id(zone), database) }))
            }
            let others = (model[zone] ?? [:]).keys.filter { $0 < name }.sorted()
            // Only to earlier names, so that none owns itself.
            if number(below: 3) == 0, let target = others.dropFirst(number(below: others.count)).first {
                content.target = target
                fields.append(("r", .reference(Reference(recordName: target, action: .deleteSelf))))
            }
            try device.save(
                isReplaced ? .forceReplace : .forceUpdate, .note(name, fields), in: id(zone), database: database)
            model[zone]?[name] = content
        }

        /// A cloud in which only the model was saved, each record once, has to charge as much.
        func compare() throws {
            let other = try Self.device()
            for (zone, records) in model {
                if database == .private { try other.create(zone) }
                for (name, content) in records.sorted(by: { $0.key < $1.key }) {
                    var fields: [(name: String, value: FieldValue?)] = []
                    if let text = content.text { fields.append(("t", QuotaTests.text(text))) }
                    if let file = content.file {
                        fields.append(("x", try QuotaTests.file(file, other, id(zone), database)))
                    }
                    if let target = content.target {
                        fields.append(("r", .reference(Reference(recordName: target, action: .deleteSelf))))
                    }
                    try other.save(.create, .note(name, fields), in: id(zone), database: database)
                }
            }
            #expect(try Self.usage(device, database) == Self.usage(other, database))
        }

        static func usage(_ device: TestDevice, _ database: DatabaseScope) throws -> Int64 {
            let owner = database == .private ? try device.user().userRecordName : ""
            let scope: StoreScope = database == .private ? .private : .public
            return try device.store.read { try $0.ownerUsage(scope: scope, owner: owner) }
        }
    }

    private static func text(_ length: Int) -> FieldValue { .string(String(repeating: "x", count: length)) }

    private static func file(
        _ size: Int, _ device: TestDevice, _ zone: ZoneID?, _ database: DatabaseScope
    ) throws -> FieldValue {
        .asset(try device.upload([UInt8](repeating: 7, count: size), in: zone, database: database))
    }
}
