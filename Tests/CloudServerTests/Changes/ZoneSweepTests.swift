import Testing
import WebServices

@testable import CloudServer

/// A zone as its row and change index are, in memory.
struct ModelZone {
    struct Row {
        var name: String
        var sequence: Int64
        var deleted: Bool
        var device: Int
    }

    var history = ZoneHistory.test(sequence: 0)
    var rows: [String: Row] = [:]

    mutating func save(_ name: String, by device: Int = 0) {
        history.sequence += 1
        rows[name] = Row(name: name, sequence: history.sequence, deleted: false, device: device)
    }

    mutating func delete(_ name: String) {
        guard let row = rows[name], !row.deleted else { return }
        history.sequence += 1
        rows[name] = Row(name: name, sequence: history.sequence, deleted: true, device: row.device)
    }

    mutating func expireTombstones(through sequence: Int64) {
        rows = rows.filter { !$0.value.deleted || $0.value.sequence > sequence }
        history.horizon = max(history.horizon, sequence)
    }

    var live: [String: Int64] { rows.filter { !$0.value.deleted }.mapValues(\.sequence) }

    struct Page {
        var rows: [Row]
        var token: ZoneToken
        var moreComing: Bool
    }

    func page(
        _ token: ZoneToken?, limit: Int, reverse: Bool = false, device: Int = 0,
        budget: PageBudget = .init(records: 1000, bytes: 1000, rows: 1000)
    ) throws(ServerError) -> Page {
        var budget = budget
        var sweep = ZoneSweep(
            from: try (token ?? .start(history)).validated(against: history), reverse: reverse, in: history,
            limit: limit)
        var sent: [Row] = []
        let inOrder = rows.values.sorted { $0.sequence < $1.sequence }
        let following =
            sweep.isReverse
            ? inOrder.reversed().filter { $0.sequence < sweep.cursor } : inOrder.filter { $0.sequence > sweep.cursor }
        for row in sweep.isFinished ? [] : following {
            let step = sweep.offer(
                .init(
                    sequence: row.sequence, deleted: row.deleted, knownToDevice: device != 0 && row.device == device,
                    bytes: 1), budget: &budget)
            if step == .send { sent.append(row) }
            if step == .stop { break }
        }
        if !sweep.isFinished { sweep.finish() }
        return Page(rows: sent, token: sweep.token, moreComing: sweep.moreComing)
    }
}

/// A device that follows a zone by its feed alone, and saves to it now and then.
struct ModelClient {
    var device: Int
    var token: ZoneToken?
    var records: [String: Int64] = [:]

    mutating func take(_ page: ModelZone.Page) {
        for row in page.rows { records[row.name] = row.deleted ? nil : row.sequence }
        token = page.token
    }
}

@Suite("Pages of a zone's changes")
struct ZoneSweepTests {
    @Test("Pages of any size unite to the whole difference, each record once, and end with one token", arguments: 1...9)
    func pageSizes(limit: Int) throws {
        var zone = ModelZone()
        for number in 0..<23 { zone.save("r\(number)") }
        for number in stride(from: 0, to: 23, by: 4) { zone.delete("r\(number)") }
        for reverse in [false, true] {
            var client = ModelClient(device: 1)
            var seen: Set<String> = []
            var pages = 0
            var last: ModelZone.Page
            repeat {
                last = try zone.page(client.token, limit: limit, reverse: reverse)
                #expect(last.rows.count <= limit)
                for row in last.rows {
                    #expect(!row.deleted, "a new client never had it")
                    #expect(seen.insert(row.name).inserted)
                }
                #expect(last.moreComing == (last.rows.count == limit && seen.count < 17) || last.rows.isEmpty)
                client.take(last)
                pages += 1
            } while last.moreComing
            #expect(client.records == zone.live)
            #expect(client.token == .caughtUp(zone.history))
            #expect(pages == (17 + limit - 1) / limit)
        }
    }

    @Test("A caught-up client gets nothing, and its token back")
    func caughtUp() throws {
        var zone = ModelZone()
        zone.save("a")
        let page = try zone.page(.caughtUp(zone.history), limit: 10)
        #expect(page.rows.isEmpty && !page.moreComing && page.token == .caughtUp(zone.history))
    }

    @Test("The same token gives the same answer again")
    func reuse() throws {
        var zone = ModelZone()
        for number in 0..<10 { zone.save("\(number)") }
        let first = try zone.page(nil, limit: 4)
        for limit in [4, 4, 4] {
            let again = try zone.page(first.token, limit: limit)
            #expect(again.rows.map(\.name) == ["4", "5", "6", "7"])
            #expect(again.token == (try zone.page(first.token, limit: limit)).token)
        }
    }

    @Test("With a token, even the deletion of a record made after it is sent: the device may have made it")
    func ownRecord() throws {
        var zone = ModelZone()
        zone.save("old")
        let token = ZoneToken.caughtUp(zone.history)
        zone.save("made here")
        zone.delete("made here")
        #expect(try zone.page(token, limit: 10).rows.map(\.name) == ["made here"])
    }

    @Test("A first read skips old deletions, but not one that happens while it is under way")
    func deletionDuringFirstRead() throws {
        var zone = ModelZone()
        for name in ["a", "b", "gone"] { zone.save(name) }
        zone.delete("gone")
        var client = ModelClient(device: 1)
        client.take(try zone.page(nil, limit: 1))
        #expect(client.records.keys.sorted() == ["a"])
        zone.delete("a")
        let rest = try zone.page(client.token, limit: 10)
        #expect(rest.rows.map(\.name) == ["b", "a"])
        client.take(rest)
        #expect(client.records == zone.live)
    }

    @Test("A device that made a record gets its deletion even in a first read")
    func ownDeletionInFirstRead() throws {
        var zone = ModelZone()
        zone.save("mine", by: 5)
        zone.delete("mine")
        #expect(try zone.page(nil, limit: 10, device: 5).rows.map(\.name) == ["mine"])
        #expect(try zone.page(nil, limit: 10, device: 6).rows.isEmpty)
    }

    @Test("A page that may look at no more rows ends with a token that moved and moreComing")
    func rowBudget() throws {
        var zone = ModelZone()
        for number in 0..<50 { zone.save("\(number)") }
        for number in 0..<49 { zone.delete("\(number)") }
        var client = ModelClient(device: 1)
        var page = try zone.page(nil, limit: 10, budget: .init(records: 10, bytes: 10, rows: 7))
        var pages = 1
        while page.moreComing {
            let before = page.token.position
            page = try zone.page(page.token, limit: 10, budget: .init(records: 10, bytes: 10, rows: 7))
            #expect(page.token.position > before)
            client.take(page)
            pages += 1
        }
        #expect(pages == 8)
        #expect(page.token == .caughtUp(zone.history))
    }

    @Test("Bytes bound a page, but one record always goes")
    func byteBudget() throws {
        var zone = ModelZone()
        for number in 0..<5 { zone.save("\(number)") }
        #expect(try zone.page(nil, limit: 10, budget: .init(records: 10, bytes: 2, rows: 10)).rows.count == 2)
        #expect(try zone.page(nil, limit: 10, budget: .init(records: 10, bytes: 0, rows: 10)).rows.count == 1)
    }

    @Test("Clients that read by token equal the server after any history", arguments: 0..<150)
    func randomHistories(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var zone = ModelZone()
        var clients = (1...3).map { ModelClient(device: $0) }
        for _ in 0..<120 {
            let name = "r\(Int.random(in: 0..<12, using: &random))"
            let index = Int.random(in: 0..<3, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<3: zone.save(name)
            case 3: zone.save(name, by: clients[index].device); clients[index].records[name] = zone.history.sequence
            case 4..<6: zone.delete(name)
            case 6 where Int.random(in: 0..<3, using: &random) == 0:
                zone.expireTombstones(through: Int64.random(in: 0...zone.history.sequence, using: &random))
            default:
                let limit = Int.random(in: 1...4, using: &random)
                let reverse = Int.random(in: 0..<4, using: &random) == 0
                do {
                    let page = try zone.page(
                        clients[index].token, limit: limit, reverse: reverse, device: clients[index].device)
                    let before = clients[index].token?.position ?? 0
                    #expect(page.token.position >= before, "tokens only move forward")
                    clients[index].take(page)
                } catch {
                    #expect(error.code == .changeTokenExpired)
                    clients[index] = ModelClient(device: clients[index].device)
                }
            }
        }
        for var client in clients {
            var more = true
            while more {
                do {
                    let page = try zone.page(client.token, limit: 3, device: client.device)
                    more = page.moreComing
                    client.take(page)
                } catch {
                    client = ModelClient(device: client.device)
                }
            }

            #expect(client.records == zone.live)
        }
    }
}

/// SplitMix64: the same seed, the same history.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
