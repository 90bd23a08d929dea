import Foundation

extension Stratus {
    /// The three requests that save a record with a file: an address, the file, the record.
    func saveFile(_ name: String, _ file: [UInt8], on connection: HTTPConnection) throws {
        let token = #"{"recordName":"\#(name)","recordType":"Photo","fieldName":"photo"}"#
        let addresses = try json(
            connection.ask(post("assets/upload", #"{"tokens":[\#(token)],"zoneID":{"zoneName":"Files"}}"#)))
        guard let url = (addresses["tokens"] as? [[String: Any]])?.first?["url"] as? String,
            let path = url.range(of: "/stratus/").map({ String(url[$0.lowerBound...]) })
        else { throw HTTPConnection.Failure(description: "no address: \(addresses)") }
        let receipt = try json(connection.ask(HTTPQuestion("POST", path, bytes: file)))
        let value = String(
            decoding: try JSONSerialization.data(withJSONObject: receipt["singleFile"] ?? [:]), as: UTF8.self)
        let saved = try connection.ask(
            post(
                "records/modify",
                #"{"operations":[{"operationType":"create","record":{"recordName":"\#(name)","recordType":"Photo","fields":{"photo":{"value":\#(value),"type":"ASSETID"}}}}],"zoneID":{"zoneName":"Files"},"desiredKeys":[]}"#
            ))
        let text = String(decoding: saved.body, as: UTF8.self)
        guard saved.status == 200, !text.contains("serverErrorCode") else {
            throw HTTPConnection.Failure(description: "the record was not saved: \(text.prefix(500))")
        }
    }

    /// Where to fetch the file of a record.
    func filePath(_ name: String) throws -> String {
        let found = try ask(
            post("records/lookup", #"{"records":[{"recordName":"\#(name)"}],"zoneID":{"zoneName":"Files"}}"#))
        let fields = (found["records"] as? [[String: Any]])?.first?["fields"] as? [String: [String: Any]]
        guard let url = (fields?["photo"]?["value"] as? [String: Any])?["downloadURL"] as? String,
            let start = url.range(of: "/stratus/")?.lowerBound
        else { throw HTTPConnection.Failure(description: "no address in \(found)") }
        return url[start...].replacingOccurrences(of: "${f}", with: "photo")
    }

    private func json(_ answer: HTTPConnection.Answer) throws -> [String: Any] {
        guard answer.status == 200,
            let object = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
        else {
            throw HTTPConnection.Failure(
                description: "\(answer.status): \(String(decoding: answer.body.prefix(500), as: UTF8.self))")
        }
        return object
    }
}
