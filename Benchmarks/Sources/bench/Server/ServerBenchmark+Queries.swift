import Foundation

extension ServerBenchmark {
    /// One kind of question, as each contestant asks it for the number that tells one question from another.
    private struct Row {
        var name: String
        var ours: @Sendable (Int) -> HTTPQuestion
        var pocketBase: (@Sendable (Int) -> HTTPQuestion)?
        var raw: RawQueries.Kind?
    }

    /// Queries over 20,000 records, 50 at a time.
    func queries(
        _ stratus: Stratus, _ pocketBase: PocketBase, _ directory: URL, _ results: inout Results
    ) throws {
        try stratus.fillForQueries()
        try pocketBase.makeQueryCollection()
        let raw = try RawQueries(directory: directory)
        for row in rows(stratus, pocketBase) {
            let ours = try Load.run(port: stratus.process.port, connections: 4, seconds: seconds) { thread, count in
                row.ours(thread &* 331 &+ count &* 17)
            }
            if let question = row.pocketBase {
                let theirs = try Load.run(port: pocketBase.process.port, connections: 4, seconds: seconds) {
                    thread, count in question(thread &* 331 &+ count &* 17)
                }
                results.add(
                    .rate(
                        row.name, "queries/s", ours: ours.perSecond, peer: PocketBase.name, theirs: theirs.perSecond))
            }
            if let kind = row.raw {
                results.add(
                    .rate(
                        row.name, "queries/s", ours: ours.perSecond, peer: RawSQLite.name,
                        theirs: try raw.perSecond(kind, seconds: seconds)))
            }
        }
        let markers = try stratus.zoneWideMarkers(20)
        let ours = try Load.run(port: stratus.process.port, connections: 4, seconds: seconds) { thread, count in
            stratus.zoneWidePage(after: markers[(thread &+ count) % markers.count])
        }
        let theirs = try Load.run(port: pocketBase.process.port, connections: 4, seconds: seconds) { thread, count in
            pocketBase.queryPage(1 + (thread + count) % 20)
        }
        results.add(
            .rate("query/zone-wide", "pages/s", ours: ours.perSecond, peer: PocketBase.name, theirs: theirs.perSecond))
    }

    private func rows(_ stratus: Stratus, _ pocketBase: PocketBase) -> [Row] {
        let ascending = #"{"fieldName":"count"}"#
        return [
            Row(
                name: "query/equal",
                ours: { stratus.query("EQUALS", "category", "\"\(QueryRecord.category($0))\"") },
                pocketBase: { pocketBase.query("category='\(QueryRecord.category($0))'") }),
            Row(
                name: "query/range",
                ours: {
                    stratus.query("GREATER_THAN_OR_EQUALS", "count", "\($0 % QueryRecord.count)", sort: ascending)
                }, pocketBase: { pocketBase.query("count>=\($0 % QueryRecord.count)", sort: "count") }),
            Row(
                name: "query/contains", ours: { stratus.query("LIST_CONTAINS", "tags", "\"\(QueryRecord.tag($0))\"") },
                pocketBase: { pocketBase.query("tags?='\(QueryRecord.tag($0))'") }),
            Row(
                name: "query/words",
                ours: { stratus.query("CONTAINS_ALL_TOKENS", "words", "\"\(QueryRecord.word($0))\"") }, raw: .words),
            Row(
                name: "query/near",
                ours: {
                    let (latitude, longitude) = QueryRecord.place($0)
                    return stratus.query(
                        "NEAR", "place", #"{"latitude":\#(latitude),"longitude":\#(longitude)}"#, distance: 50_000)
                },
                pocketBase: {
                    let (latitude, longitude) = QueryRecord.place($0)
                    return pocketBase.query("geoDistance(place.lon,place.lat,\(longitude),\(latitude))<=50")
                }, raw: .near),
        ]
    }
}
