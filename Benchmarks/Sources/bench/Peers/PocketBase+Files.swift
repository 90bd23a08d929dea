import Foundation

extension PocketBase {
    /// A collection with a file field, which anybody may read who has the address: the same as for Stratus' addresses.
    func makeFileCollection() throws {
        try make(
            """
            {"name":"photos","type":"base","fields":[{"name":"photo","type":"file","maxSelect":1,"maxSize":100000000}],\
            "listRule":\(Self.rule),"viewRule":\(Self.rule),"createRule":\(Self.rule)}
            """)
    }

    /// The one request that saves a record with a file.
    func saveFile(_ file: [UInt8], on connection: HTTPConnection) throws -> String {
        let head =
            "--bench\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"photo.bin\"\r\n"
            + "Content-Type: application/octet-stream\r\n\r\n"
        let body = Array(head.utf8) + file + Array("\r\n--bench--\r\n".utf8)
        let own = headers.filter { $0.0 != "Content-Type" }
        let answer = try connection.ask(
            HTTPQuestion(
                "POST", "/api/collections/photos/records",
                headers: own + [("Content-Type", "multipart/form-data; boundary=bench")], bytes: body))
        guard answer.status == 200,
            let object = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any],
            let id = object["id"] as? String, let name = object["photo"] as? String
        else {
            throw HTTPConnection.Failure(description: String(decoding: answer.body.prefix(500), as: UTF8.self))
        }
        return "/api/files/photos/\(id)/\(name)"
    }
}
