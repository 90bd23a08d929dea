import Foundation

extension PocketBase {
    /// A collection with the same indexes; tags are a field of several names, in which it looks by reading JSON.
    func makeQueryCollection() throws {
        let names = (0..<1200).map { "\"\(QueryRecord.tag($0))\"" }.joined(separator: ",")
        try make(
            """
            {"name":"queries","type":"base","fields":[{"name":"category","type":"text"},{"name":"count","type":"number"},\
            {"name":"words","type":"text"},{"name":"tags","type":"select","maxSelect":3,"values":[\(names)]},\
            {"name":"place","type":"geoPoint"}],\
            "indexes":["CREATE INDEX queries_category ON queries (category)","CREATE INDEX queries_count ON queries (count)"],\
            "listRule":\(Self.rule),"viewRule":\(Self.rule),"createRule":\(Self.rule)}
            """)
        let connection = try HTTPConnection(port: process.port)
        for start in stride(from: 0, to: QueryRecord.count, by: 200) {
            let requests = (start..<start + 200).map {
                #"{"method":"POST","url":"/api/collections/queries/records","body":\#(QueryRecord($0).flatJSON)}"#
            }
            let answer = try connection.ask(
                HTTPQuestion(
                    "POST", "/api/batch", headers: headers,
                    body: #"{"requests":[\#(requests.joined(separator: ","))]}"#))
            guard answer.status == 200 else {
                throw HTTPConnection.Failure(description: String(decoding: answer.body.prefix(500), as: UTF8.self))
            }
        }
    }

    /// Fifty records that pass a filter, without the total.
    func query(_ filter: String, sort: String = "") -> HTTPQuestion {
        let escaped = filter.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? filter
        let sort = sort.isEmpty ? "" : "&sort=\(sort)"
        return HTTPQuestion(
            "GET", "/api/collections/queries/records?perPage=50&skipTotal=1\(sort)&filter=\(escaped)",
            headers: headers)
    }

    /// A page of 200 in the order of a number.
    func queryPage(_ number: Int) -> HTTPQuestion {
        HTTPQuestion(
            "GET", "/api/collections/queries/records?page=\(number)&perPage=200&skipTotal=1&sort=count",
            headers: headers)
    }
}
