import Foundation

extension Stratus {
    /// Saves all records twice: in a zone of their own, and divided among ten.
    func fillForQueries() throws {
        let connection = try HTTPConnection(port: process.port)
        let divided = (0..<QueryRecord.zones).map { zone in
            ("Part\(zone)", stride(from: zone, to: QueryRecord.count, by: QueryRecord.zones).map { $0 }, "Part")
        }
        for (zone, numbers, type) in [("Query", Array(0..<QueryRecord.count), "Query")] + divided {
            try ask(createZone(zone))
            for start in stride(from: 0, to: numbers.count, by: 200) {
                let operations = numbers[start..<min(start + 200, numbers.count)].map {
                    #"{"operationType":"create","record":{"recordName":"q\#($0)","recordType":"\#(type)","fields":\#(QueryRecord($0).cloudKitFields)}}"#
                }
                let question = post(
                    "records/modify",
                    #"{"operations":[\#(operations.joined(separator: ","))],"zoneID":{"zoneName":"\#(zone)"},"desiredKeys":[]}"#
                )
                let answer = try connection.ask(question)
                guard answer.status == 200 else {
                    throw HTTPConnection.Failure(description: String(decoding: answer.body.prefix(500), as: UTF8.self))
                }
            }
        }
    }

    /// Fifty records that pass a filter.
    func query(
        _ comparator: String, _ field: String, _ value: String, sort: String? = nil, distance: Int? = nil
    ) -> HTTPQuestion {
        let distance = distance.map { #","distance":\#($0)"# } ?? ""
        let sort = sort.map { #","sortBy":[\#($0)]"# } ?? ""
        return post(
            "records/query",
            """
            {"query":{"recordType":"Query","filterBy":[{"comparator":"\(comparator)","fieldName":"\(field)",\
            "fieldValue":{"value":\(value)}\(distance)}]\(sort)},"zoneID":{"zoneName":"Query"},"resultsLimit":50}
            """)
    }

    /// A page of 200 of all zones in the order of a number, after a marker.
    func zoneWidePage(after marker: String?) -> HTTPQuestion {
        let marker = marker.map { #","continuationMarker":"\#($0)""# } ?? ""
        return post(
            "records/query",
            """
            {"query":{"recordType":"Part","sortBy":[{"fieldName":"count"}]},"zoneWide":true,"resultsLimit":200\(marker)}
            """)
    }

    /// The markers of the first pages of all zones, with nil for the beginning.
    func zoneWideMarkers(_ pages: Int) throws -> [String?] {
        var markers: [String?] = [nil]
        while markers.count < pages {
            guard let next = try ask(zoneWidePage(after: markers.last ?? nil))["continuationMarker"] as? String else {
                break
            }
            markers.append(next)
        }
        return markers
    }
}
