import CloudStore
import WebServices

/// A walk over all records of a container's environment, in steps that are short enough for other writers to go between.
struct RecordWalk {
    let container: ContainerStore
    /// Records of one step, and bytes of their fields.
    var recordsPerStep = 200
    var bytesPerStep = 1 << 20

    /// A zone under the walk: locked, and written back when the step ends.
    struct Step {
        let writer: ContainerWriter
        let schema: Schema
        let zone: ZoneRow
        let now: Int64
        var sequence: Int64
        var addedRecords: Int64 = 0
        var addedBytes: Int64 = 0

        /// Gives a changed row its place in the zone's order, as a save does.
        mutating func stamp(_ row: inout RecordRow) {
            if zone.key.scope == .private {
                sequence &+= 1
                row.sequence = sequence
                row.tag = sequence
            } else {
                row.tag = max(now << 12, row.tag &+ 1)
            }
            row.modified = max(now, row.modified &+ 1)
        }
    }

    /// Visits every live record once. What is saved meanwhile is visited or not.
    ///
    /// - Parameter visit: runs inside the step's transaction.
    func run(now: Int64, _ visit: @escaping @Sendable (inout Step, RecordRow) throws -> Void) throws {
        var zone: Int64 = 0
        while let next = try container.read({ try $0.zoneIDs(after: zone, limit: 1) }).first {
            zone = next
            var name: String? = ""
            while let from = name { name = try step(zone, after: from, now, visit) }
        }
    }

    /// - Returns: the last name of the step; nil at the zone's end.
    private func step(
        _ id: Int64, after name: String, _ now: Int64,
        _ visit: @escaping @Sendable (inout Step, RecordRow) throws -> Void
    ) throws -> String? {
        let (limit, byteLimit) = (recordsPerStep, bytesPerStep)
        return try container.writeAndWait { writer in
            // The lock keeps a save that began before the schema changed from slipping in behind the walk.
            guard let zone = try writer.lockZone(id) else { return nil }
            var rows: [RecordRow] = []
            var last: String?
            var bytes = 0
            var count = 0
            try writer.records(zone: id, afterName: name, limit: limit) { row in
                if !row.deleted { rows.append(row) }
                last = row.name
                bytes += row.body.count
                count += 1
                return bytes < byteLimit
            }
            let schema = Schema(
                version: try writer.schemaVersion(), types: try writer.types(), fields: try writer.fields())
            var step = Step(writer: writer, schema: schema, zone: zone, now: now, sequence: zone.sequence)
            for row in rows { try visit(&step, row) }
            if step.sequence != zone.sequence || step.addedRecords != 0 || step.addedBytes != 0 {
                try writer.updateZone(
                    id: id, sequence: step.sequence, addRecords: step.addedRecords, addBytes: step.addedBytes)
            }
            return count < limit && bytes < byteLimit ? nil : last
        }
    }
}
