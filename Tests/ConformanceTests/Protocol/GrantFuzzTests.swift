import Behaviours
import CloudKitTesting
import CloudServer
import Foundation
import Testing
import WebServices

/// What gives a right (addresses and receipts of files, web tokens, the sign-in form), changed in every way: whatever the
/// server did not give out as it is gives nothing, and is answered in the terms of protocol and HTTP.
///
/// A failing seed is in the name of the test case; `STRATUS_FUZZ_ROUNDS` makes runs longer.
@Suite("Nothing made up is believed")
struct GrantFuzzTests {
    private static let rounds = ProcessInfo.processInfo.environment["STRATUS_FUZZ_ROUNDS"].flatMap { Int($0) } ?? 250
    private static let seeds: [UInt64] = [1, 2, 3]
    private static let file = (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 2) }

    /// A person with a record that has a file.
    private struct Prepared {
        var client: Client
        var mutator: RequestMutator
        var uploadPath: String
        var downloadPath: String
        var receipt: Asset
    }

    private func prepared(_ wire: Wire = .http) throws -> Prepared {
        let client = try Service(wire).signIn()
        let receipt = try client.upload(Self.file)
        let record = try client.create("n0", ["x": .asset(receipt)])
        func path(_ url: String) throws -> String {
            String(url[try #require(url.range(of: "/stratus/")).lowerBound...])
        }
        let download = try path(try #require(record.asset()?.downloadURL)).replacing("${f}", with: "f")
        let upload = try path(try client.address())
        let tokens = [
            upload.split(separator: "/").last.map(String.init) ?? "", receipt.receipt ?? "",
            download.split(separator: "/").dropLast().last.map(String.init) ?? "",
            client.credentials.webAuthToken ?? "", try client.databaseChanges().syncToken,
        ]
        return Prepared(
            client: client, mutator: RequestMutator(tokens: tokens), uploadPath: upload, downloadPath: download,
            receipt: receipt)
    }

    /// Whether two texts stand for the same bytes: base64 has more than one spelling for some.
    private static func areSame(_ one: String, _ other: String) -> Bool {
        guard let one = Base64.decode(one), let other = Base64.decode(other) else { return one == other }
        return one == other
    }

    private func checkServes(_ prepared: Prepared) throws {
        for client in [prepared.client, try prepared.client.service.signIn("somebody else")] {
            let record = try client.create("afterwards", ["x": .asset(try client.upload([1, 2, 3]))])
            #expect(try client.fetch(try #require(record.asset()?.downloadURL)) == [1, 2, 3])
        }
        #expect(try HTTPClient(port: prepared.client.service.port).send("GET", prepared.downloadPath).body == Self.file)
    }

    // MARK: - Files

    /// A path whose parts were changed, and whether it still says the same.
    private func changed(
        _ path: String, token position: Int, _ mutator: RequestMutator, _ random: inout SeededGenerator
    ) -> (path: String, isSame: Bool) {
        let valid = path.split(separator: "/").map(String.init)
        var parts = valid
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
            let part = Int.random(in: 2..<parts.count, using: &random)
            parts[part] = mutator.damaged(parts[part], &random)
        case 1: parts[4] = parts[4] == "development" ? "production" : "development"
        case 2: parts[2] = parts[2] == "upload" ? "file" : "upload"
        case 3: parts.insert(parts[position], at: position)
        default: parts[position] = mutator.token(&random)
        }
        let isSame =
            parts.count == valid.count && Self.areSame(parts[position], valid[position])
            && parts[..<position] == valid[..<position]
        return ("/" + parts.map(\.percentEncoded).joined(separator: "/"), isSame)
    }

    @Test(
        "An address to send a file to that was changed takes none, whatever else is sent with it",
        .behaviour("asset.fuzz"), arguments: seeds)
    func uploads(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let prepared = try prepared()
        let http = HTTPClient(port: prepared.client.service.port)
        var taken = 0
        for _ in 0..<Self.rounds {
            let isValid = Int.random(in: 0..<3, using: &random) == 0
            let (path, isSame) =
                isValid
                ? (prepared.uploadPath, true) : changed(prepared.uploadPath, token: 5, prepared.mutator, &random)
            let method = ["POST", "PUT", "PUT", "GET", "DELETE", "OPTIONS"].randomElement(using: &random) ?? "PUT"
            let (contentType, body) = wrapped(&random, prepared.mutator)
            let answer = try http.send(
                method, path, headers: [("Content-Type", contentType)] + prepared.mutator.headers(&random), body: body)
            let what = "\(method) \(path) \(contentType)"
            #expect([200, 400, 403, 404, 405, 413, 429, 503].contains(answer.status), "\(answer.status) for \(what)")
            if answer.status != 200 { #expect(answer.error != nil || method == "OPTIONS", "\(what)") }
            guard answer.status == 200, method == "POST" || method == "PUT" else { continue }
            #expect(isSame, "a made-up address was believed: \(what)")
            let asset = try AssetsUpload.Receipt(body: answer.body).singleFile
            #expect(asset.size <= body.count, "\(what)")
            taken += 1
        }
        #expect(taken > 0)
        try checkServes(prepared)
    }

    /// A body in multipart/form-data or not, whole or not.
    private func wrapped(
        _ random: inout SeededGenerator, _ mutator: RequestMutator
    ) -> (contentType: String, body: [UInt8]) {
        let boundary = ["sep", "--", "", String(repeating: "b", count: 71), "a b"].randomElement(using: &random) ?? ""
        var type = [
            "multipart/form-data; boundary=\(boundary)", "multipart/form-data; boundary=\"\(boundary)\"",
            "multipart/form-data", "application/octet-stream", "",
        ].randomElement(using: &random)
        if Bool.random(using: &random) {
            type = type.map { mutator.damaged($0, &random).filter { $0.isASCII && !$0.isNewline && $0 != "\0" } }
        }
        let length = Int.random(in: 0..<3000, using: &random)
        let content = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
        let head = "--\(boundary)\r\nContent-Disposition: form-data; name=\"files\"\r\n\r\n"
        var body = Array(head.utf8) + content + Array("\r\n--\(boundary)--\r\n".utf8)
        if Bool.random(using: &random) { body = mutator.damagedBytes(body, &random) }
        return (type ?? "", body)
    }

    @Test(
        "An address of a file that was changed gives nothing, and any Range a part of the file or all of it",
        .behaviour("asset.fuzz"), arguments: seeds)
    func downloads(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let prepared = try prepared()
        let http = HTTPClient(port: prepared.client.service.port)
        let tag = try #require(try http.send("GET", prepared.downloadPath).headers["etag"])
        var parts = 0
        for _ in 0..<Self.rounds {
            let isValid = Bool.random(using: &random)
            let (path, isSame) =
                isValid
                ? (prepared.downloadPath, true) : changed(prepared.downloadPath, token: 5, prepared.mutator, &random)
            let headers = rangeHeaders(tag, &random, prepared.mutator)
            let method = ["GET", "GET", "GET", "HEAD", "POST", "OPTIONS"].randomElement(using: &random) ?? "GET"
            let answer = try http.send(method, path, headers: headers)
            let what = "\(method) \(path) \(headers)"
            #expect(
                [200, 206, 304, 400, 403, 404, 405, 413, 416, 429, 503].contains(answer.status),
                "\(answer.status) for \(what)")
            guard method == "GET", [200, 206].contains(answer.status) else { continue }
            #expect(isSame, "a made-up address was believed: \(what)")
            if answer.status == 200 {
                #expect(answer.body == Self.file, "\(what)")
            } else {
                let range = try #require(
                    answer.headers["content-range"]?.wholeMatch(of: /bytes (\d+)-(\d+)\/5000/), "\(what)")
                let (first, last) = (try #require(Int(range.1)), try #require(Int(range.2)))
                #expect(first <= last && last < 5000 && answer.body == Array(Self.file[first...last]), "\(what)")
                parts += 1
            }
        }
        #expect(parts > 0)
        try checkServes(prepared)
    }

    private func rangeHeaders(
        _ tag: String, _ random: inout SeededGenerator, _ mutator: RequestMutator
    ) -> [(String, String)] {
        func number() -> String {
            [
                String(Int.random(in: 0..<6000, using: &random)), "", "-1", "0", "4999", "5000",
                "99999999999999999999999", "0x1", "+1",
            ].randomElement(using: &random) ?? ""
        }
        var range = "bytes=\(number())-\(number())"
        if Int.random(in: 0..<3, using: &random) == 0 { range += ",\(number())-\(number())" }
        if Int.random(in: 0..<3, using: &random) == 0 {
            range = mutator.damaged(range, &random).filter { $0.isASCII && !$0.isNewline && $0 != "\0" }
        }
        var headers = [("Range", range)]
        let other = [tag, "\"x\"", "W/\(tag)", "*", "", "Thu, 01 Jan 1970 00:00:00 GMT"]
        for name in ["If-Range", "If-None-Match", "If-Match"] where Int.random(in: 0..<3, using: &random) == 0 {
            headers.append((name, other.randomElement(using: &random) ?? ""))
        }
        return headers
    }

    @Test(
        "A receipt that was changed lets no record have the file", .behaviour("asset.fuzz"), arguments: Wire.allCases,
        seeds)
    func receipts(_ wire: Wire, _ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let prepared = try prepared(wire)
        let valid = prepared.receipt
        let ben = try prepared.client.service.signIn("ben")
        for number in 0..<Self.rounds {
            var asset = valid
            switch Int.random(in: 0..<6, using: &random) {
            case 0: asset.size = [0, -1, 17, .max, .min].randomElement(using: &random) ?? 0
            case 1: asset.fileChecksum = prepared.mutator.damaged(asset.fileChecksum, &random)
            case 2: asset.receipt = nil
            default: asset.receipt = prepared.mutator.token(&random)
            }
            let isSame =
                asset.size == valid.size && asset.fileChecksum == valid.fileChecksum
                && asset.receipt.map { Self.areSame($0, valid.receipt ?? "") } == true
            let sender = Bool.random(using: &random) ? prepared.client : ben
            let results = try? sender.modify([.init(.forceReplace, .note("f\(number)", ["x": .asset(asset)]))])
            let isSaved = results?.first?.record != nil
            #expect(isSaved == (isSame && sender.credentials == prepared.client.credentials), "\(asset)")
            if let error = results?.first?.error { #expect(error.code == .badRequest, "\(asset)") }
        }
        if wire == .http { try checkServes(prepared) }
    }

    // MARK: - People

    @Test(
        "A web token that was changed is nobody's", .behaviour("auth.fuzz"), arguments: Wire.allCases, seeds)
    func webTokens(_ wire: Wire, _ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let prepared = try prepared(wire)
        let valid = try #require(prepared.client.credentials.webAuthToken)
        for _ in 0..<Self.rounds {
            var stranger = prepared.client
            let token =
                Bool.random(using: &random)
                ? prepared.mutator.damaged(valid, &random) : prepared.mutator.token(&random)
            stranger.credentials.webAuthToken = token
            switch try stranger.reply(.zonesList).result {
            case .success: #expect(Self.areSame(token, valid), "a made-up token was believed: \(token)")
            case .failure(let error):
                #expect([.authenticationFailed, .authenticationRequired, .badRequest].contains(error.code), "\(token)")
            }
        }
        _ = try prepared.client.answer(.zonesList)
    }

    @Test(
        "A sign-in form that was changed signs nobody in but who knows the password", .behaviour("auth.fuzz"),
        arguments: seeds)
    func signInForms(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let service = try Service(.http) { $0.createsAccountsOnFirstUse = false }
        _ = try service.administration.createAccount(name: "ben", password: "secret")
        let mutator = RequestMutator(tokens: ["ben", "secret"])
        let http = HTTPClient(port: service.port)
        let page = try http.send("GET", "/stratus/sign-in")
        let cookie = try #require(page.headers["set-cookie"]?.prefix { $0 != ";" })
        let text = String(decoding: page.body, as: UTF8.self)
        let code = try #require(text.firstMatch(of: /name="form" value="([^"]+)"/)?.1)
        let valid =
            "form=\(code)&container=\(Service.container)&app=&opener=&account=ben&password=secret&keepSignedIn=true"
        var signedIn = 0
        for round in 0..<max(Self.rounds / 5, 20) {
            // Long enough for the last failures to be forgotten.
            service.clock.advance(by: .seconds(3600))
            var body = valid
            if round % 10 > 0 {
                body =
                    Bool.random(using: &random)
                    ? mutator.damaged(valid, &random) : rearranged(valid, mutator, &random)
            }
            var headers = [("Content-Type", "application/x-www-form-urlencoded"), ("Cookie", String(cookie))]
            if round % 10 > 5 { headers += mutator.headers(&random) }
            if Int.random(in: 0..<8, using: &random) == 0 { headers.remove(at: 1) }
            let answer = try http.send("POST", "/stratus/sign-in", headers: headers, body: Array(body.utf8))
            #expect([200, 303, 400, 401, 403, 413, 429, 503].contains(answer.status), "\(answer.status) for \(body)")
            let handsOver =
                String(decoding: answer.body, as: UTF8.self).contains("</textarea>")
                || answer.headers["location"] != nil
            #expect(handsOver == [200, 303].contains(answer.status), "\(body)")
            guard handsOver else { continue }
            let form = HTTPRequest(method: "GET", target: "/?\(body)")?.query
            #expect(form?["account"] == "ben" && form?["password"] == "secret", "signed in by \(body)")
            #expect(form?["form"] == String(code), "signed in without the page's code: \(body)")
            signedIn += 1
        }
        #expect(signedIn > 0)
    }

    /// The fields of a form, some gone, some doubled, some with other values.
    private func rearranged(
        _ form: String, _ mutator: RequestMutator, _ random: inout SeededGenerator
    ) -> String {
        var fields = form.split(separator: "&").map(String.init)
        for _ in 0...Int.random(in: 0..<3, using: &random) {
            guard let position = fields.indices.randomElement(using: &random) else { break }
            switch Int.random(in: 0..<4, using: &random) {
            case 0: fields.remove(at: position)
            case 1: fields.swapAt(position, 0)
            case 2:
                let name = fields[position].prefix { $0 != "=" }
                fields.insert("\(name)=\(mutator.token(&random).percentEncoded)", at: position)
            default:
                let name = fields[position].prefix { $0 != "=" }
                fields[position] = "\(name)=\(mutator.token(&random).percentEncoded)"
            }
        }
        return fields.joined(separator: "&")
    }
}
