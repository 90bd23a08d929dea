import Foundation
import WebServices

/// Repeatable randomness. (SplitMix64.)
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}

/// Makes requests, and unmakes them.
struct RequestMutator {
    /// Valid tokens and markers.
    let tokens: [String]

    private static let paths = ServerOperation.paths.map(\.path)

    // MARK: - Requests

    private static let valid: [(path: String, body: String)] = [
        (
            "records/modify",
            #"{"operations":[{"operationType":"create","record":{"recordName":"f1","recordType":"Note","fields":{"title":{"value":"x","type":"STRING"},"n":{"value":3,"type":"INT64"},"d":{"value":1.5,"type":"DOUBLE"},"t":{"value":1767225600000,"type":"TIMESTAMP"},"b":{"value":"AAEC","type":"BYTES"},"p":{"value":{"latitude":1,"longitude":2,"timestamp":5},"type":"LOCATION"},"r":{"value":{"recordName":"n0","action":"DELETE_SELF"},"type":"REFERENCE"},"l":{"value":["a","b"],"type":"STRING_LIST"},"a":{"value":{"fileChecksum":"AQ==","size":3,"receipt":"r"},"type":"ASSETID"}},"parent":{"recordName":"n1"}}},{"operationType":"forceUpdate","record":{"recordName":"n2","fields":{"title":{"value":null}}},"desiredKeys":["title"]},{"operationType":"update","record":{"recordName":"n3","recordChangeTag":"4","fields":{"title":{"value":"y"}}}},{"operationType":"forceDelete","record":{"recordName":"n4"}}],"zoneID":{"zoneName":"Notes"},"atomic":false,"numbersAsStrings":true}"#
        ),
        (
            "records/lookup",
            #"{"records":[{"recordName":"n0"},{"recordName":"n1","desiredKeys":[]}],"zoneID":{"zoneName":"Notes","ownerRecordName":"__defaultOwner__"},"desiredKeys":["title"]}"#
        ),
        (
            "records/query",
            #"{"query":{"recordType":"Note","filterBy":[{"comparator":"GREATER_THAN","fieldName":"n","fieldValue":{"value":1,"type":"INT64"}},{"comparator":"LIST_CONTAINS_ANY","fieldName":"l","fieldValue":{"value":["a"],"type":"STRING_LIST"}},{"comparator":"EQUALS","systemFieldName":"recordName","fieldValue":{"value":{"recordName":"n5"},"type":"REFERENCE"}}],"sortBy":[{"fieldName":"n","ascending":false},{"systemFieldName":"createdTimestamp"}]},"zoneID":{"zoneName":"Notes"},"resultsLimit":2,"desiredKeys":["n"]}"#
        ),
        ("records/query", #"{"query":{"recordType":"Note"},"zoneWide":true,"continuationMarker":"TOKEN"}"#),
        ("records/changes", #"{"zoneID":{"zoneName":"Notes"},"syncToken":"TOKEN","resultsLimit":3}"#),
        ("changes/database", #"{"syncToken":"TOKEN","resultsLimit":1}"#),
        (
            "changes/zone",
            #"{"zones":[{"zoneID":{"zoneName":"Notes"},"syncToken":"TOKEN","reverse":true,"desiredKeys":["n"],"desiredRecordTypes":["Note"],"resultsLimit":2,"numberAsStrings":true}],"resultsLimit":5}"#
        ),
        (
            "assets/upload",
            #"{"tokens":[{"recordName":"f1","recordType":"Note","fieldName":"x"},{"recordType":"Page","fieldName":"y"}],"zoneID":{"zoneName":"Notes"}}"#
        ),
        (
            "assets/rereference",
            #"{"assets":[{"recordName":"n0","fieldName":"x"}],"zoneID":{"zoneName":"Notes"},"targetZoneID":{"zoneName":"Trips"}}"#
        ),
        (
            "records/query",
            #"{"query":{"recordType":"Note","filterBy":[{"comparator":"COMPARATOR","fieldName":"FIELD","fieldValue":OPERAND,"distance":1000},{"comparator":"COMPARATOR","fieldName":"FIELD","fieldValue":OPERAND}],"sortBy":[{"fieldName":"FIELD"},{"fieldName":"p","relativeLocation":{"value":{"latitude":1,"longitude":2}}}]},"zoneID":{"zoneName":"Notes"},"resultsLimit":2}"#
        ),
        (
            "records/query",
            #"{"query":{"recordType":"Note","filterBy":[{"comparator":"COMPARATOR","fieldName":"FIELD","fieldValue":OPERAND}]},"zoneWide":true}"#
        ),
        (
            "records/query",
            #"{"query":{"recordType":"Note","filterBy":[{"comparator":"CONTAINS_ALL_TOKENS","fieldValue":OPERAND}]}}"#
        ),
        (
            "users/discover",
            #"{"lookupInfos":[{"emailAddress":"clara@example.com"},{"phoneNumber":"+1 555"},{"userRecordName":"TOKEN"}]}"#
        ), ("users/lookup/email", #"{"users":[{"emailAddress":"clara@example.com"},{"emailAddress":"a@b"}]}"#),
        ("users/lookup/id", #"{"users":[{"userRecordName":"TOKEN"},{"userRecordName":"_x"}]}"#),
        ("users/lookup/contacts", "{}"), ("users/permission", #"{"request":false}"#),
        (
            "subscriptions/modify",
            #"{"operations":[{"operationType":"create","subscription":{"subscriptionID":"s","subscriptionType":"query","zoneID":{"zoneName":"Notes"},"query":{"recordType":"Note","filterBy":[{"comparator":"COMPARATOR","fieldName":"FIELD","fieldValue":OPERAND}]},"firesOn":["create","update"],"notificationInfo":{"alertBody":"x","shouldSendContentAvailable":true}}},{"operationType":"delete","subscription":{"subscriptionID":"t"}}]}"#
        ), ("subscriptions/lookup", #"{"subscriptions":[{"subscriptionID":"s"}]}"#), ("subscriptions/list", "{}"),
        ("tokens/create", #"{"apnsEnvironment":"development","clientId":"c"}"#),
        ("tokens/register", #"{"apnsEnvironment":"development","apnsToken":"TOKEN","clientId":"c"}"#),
        ("zones/lookup", #"{"zones":[{"zoneName":"Notes"},{"zoneID":{"zoneName":"None"}}]}"#),
        (
            "zones/modify",
            #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"Fresh"}}},{"operationType":"delete","zone":{"zoneID":{"zoneName":"Fresh2"}}}]}"#
        ),
        ("zones/changes", #"{"metaSyncToken":"TOKEN"}"#), ("zones/list", "{}"), ("users/caller", "{}"),
    ]

    /// A valid request.
    func request(_ random: inout SeededGenerator) -> (path: String, body: String) {
        request(token: tokens.randomElement(using: &random) ?? "", &random)
    }

    func request(token: String, _ random: inout SeededGenerator) -> (path: String, body: String) {
        let (path, body) = Self.valid.randomElement(using: &random) ?? ("zones/list", "{}")
        let escaped = token.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        let comparator = RecordsQuery.Comparator.allCases.randomElement(using: &random)?.rawValue ?? ""
        let field = Self.fields.randomElement(using: &random) ?? ""
        let operand = Self.operands.randomElement(using: &random) ?? ""
        return (
            path,
            body.replacing("TOKEN", with: escaped).replacing("COMPARATOR", with: comparator)
                .replacing("FIELD", with: field).replacing("OPERAND", with: operand)
        )
    }

    /// Fields of all kinds.
    private static let fields = ["title", "n", "d", "t", "b", "p", "r", "l", "nl", "x", "none", "___createTime"]
    private static let operands = [
        #"{"value":"x","type":"STRING"}"#, #"{"value":3,"type":"INT64"}"#, #"{"value":1.5,"type":"DOUBLE"}"#,
        #"{"value":5,"type":"TIMESTAMP"}"#, #"{"value":"AAEC","type":"BYTES"}"#,
        #"{"value":{"latitude":1,"longitude":2},"type":"LOCATION"}"#,
        #"{"value":{"recordName":"n0"},"type":"REFERENCE"}"#, #"{"value":["a","b"],"type":"STRING_LIST"}"#,
        #"{"value":[1,2],"type":"INT64_LIST"}"#, #"{"value":[],"type":"STRING_LIST"}"#, #"{"value":null}"#,
        #"{"value":"x"}"#, #"{"value":3}"#, #"{"value":["a"]}"#, #"{"value":{"latitude":91,"longitude":-181}}"#,
    ]

    // MARK: - Bytes

    func damaged(_ text: String, _ random: inout SeededGenerator) -> String {
        String(decoding: damagedBytes(Array(text.utf8), &random), as: UTF8.self)
    }

    func damagedBytes(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        for _ in 0...Int.random(in: 0..<4, using: &random) {
            let position = Int.random(in: 0...bytes.count, using: &random)
            let end = min(bytes.count, position + Int.random(in: 0..<12, using: &random))
            switch Int.random(in: 0..<6, using: &random) {
            case 0 where position < bytes.count: bytes[position] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes.removeSubrange(position..<end)
            case 2: bytes.insert(contentsOf: bytes[position..<end], at: position)
            case 3: bytes.insert(UInt8.random(in: 0...255, using: &random), at: position)
            case 4:
                let piece = [
                    "{", "}", "[", "]", "\"", ",", ":", "null", "-1", "1e400", "\\u0000", "\\ud800",
                    "99999999999999999999",
                ].randomElement(using: &random)
                bytes.insert(contentsOf: (piece ?? "").utf8, at: position)
            default: bytes.removeLast(min(bytes.count, Int.random(in: 0..<9, using: &random)))
            }
        }
        return bytes
    }

    // MARK: - Structure

    /// Still JSON, but with values of other kinds, members gone, doubled or renamed, and numbers and lists out of bounds.
    func restructured(_ text: String, _ random: inout SeededGenerator) -> String {
        guard var value = try? JSONSerialization.jsonObject(with: Data(text.utf8)) else { return text }
        for _ in 0...Int.random(in: 0..<3, using: &random) { value = changed(value, depth: 0, &random) }
        guard let data = try? JSONSerialization.data(withJSONObject: value, options: [.fragmentsAllowed, .sortedKeys])
        else { return text }
        return String(decoding: data, as: UTF8.self)
    }

    private func changed(_ value: Any, depth: Int, _ random: inout SeededGenerator) -> Any {
        if depth > 0, Int.random(in: 0..<5, using: &random) == 0 { return stray(&random) }
        switch value {
        case var members as [String: Any]:
            guard let key = members.keys.sorted().randomElement(using: &random) else { return stray(&random) }
            switch Int.random(in: 0..<8, using: &random) {
            case 0: members[key] = nil
            case 1: members[members.keys.sorted().randomElement(using: &random) ?? key] = members[key]
            case 2: members[word(&random)] = members[key]
            default: members[key] = changed(members[key] ?? NSNull(), depth: depth + 1, &random)
            }
            return members
        case var elements as [Any]:
            guard let position = elements.indices.randomElement(using: &random) else { return [stray(&random)] }
            switch Int.random(in: 0..<6, using: &random) {
            case 0: elements.remove(at: position)
            case 1: elements.append(elements[position])
            case 2: elements = Array(repeating: elements[position], count: Int.random(in: 0..<450, using: &random))
            default: elements[position] = changed(elements[position], depth: depth + 1, &random)
            }
            return elements
        default:
            return stray(&random)
        }
    }

    private func stray(_ random: inout SeededGenerator) -> Any {
        switch Int.random(in: 0..<12, using: &random) {
        case 0: return NSNull()
        case 1: return Bool.random(using: &random)
        case 2: return Int64.random(in: .min ... .max, using: &random)
        case 3: return [Int64.max, .min, -1, 0, 1, 1 << 53].randomElement(using: &random) ?? 0
        case 4: return Double(sign: .plus, exponent: Int.random(in: -1000...1000, using: &random), significand: 1.5)
        case 5: return [Any]()
        case 6: return [String: Any]()
        case 7: return String(repeating: word(&random), count: Int.random(in: 0..<300, using: &random))
        case 8: return tokens.randomElement(using: &random) ?? ""
        case 9: return [[[["deep": [word(&random)]]]]]
        default: return word(&random)
        }
    }

    private func word(_ random: inout SeededGenerator) -> String {
        [
            "", "x", "_x", "_defaultZone", "Notes", "Note", "Users", "n0", "f1", "__defaultOwner__", "title",
            "___createTime",
            "STRING", "INT64_LIST", "REFERENCE", "ASSETID", "DELETE_SELF", "VALIDATE", "create", "delete",
            "forceReplace",
            "EQUALS", "IN", "BEGINS_WITH", "\u{0}", "a\u{0}b", "🙂", "e\u{301}", "\u{FFFD}", "1", "-0", "1e999",
            "'; DROP TABLE record; --", "%", "\\", "\"", "../..", "fields", "value", "type", "recordName", "zoneID",
            "parent",
        ].randomElement(using: &random) ?? ""
    }

    // MARK: - Tokens, paths, headers

    /// A token that nobody gave out, or one of another kind.
    func token(_ random: inout SeededGenerator) -> String {
        let valid = tokens.randomElement(using: &random) ?? ""
        switch Int.random(in: 0..<6, using: &random) {
        case 0: return valid
        case 1: return damaged(valid, &random)
        case 2:
            guard var bytes = Base64.decode(valid), !bytes.isEmpty else { return "" }
            bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            return Base64.encode(bytes)
        case 3:
            // The right beginning, and anything behind it.
            let head = Base64.decode(valid)?.prefix(Int.random(in: 0..<12, using: &random)) ?? []
            return Base64.encode(
                head + (0..<Int.random(in: 0..<60, using: &random)).map { _ in .random(in: 0...255, using: &random) })
        case 4: return String(repeating: valid, count: Int.random(in: 0..<4, using: &random))
        default: return word(&random)
        }
    }

    /// A request's target, its parts mixed up.
    func target(_ valid: String, _ random: inout SeededGenerator) -> String {
        let halves = valid.split(separator: "?", maxSplits: 1).map(String.init)
        var parts = halves[0].split(separator: "/").map(String.init)
        for _ in 0..<Int.random(in: 0..<3, using: &random) {
            let position = Int.random(in: 0..<max(parts.count, 1), using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0 where !parts.isEmpty: parts.remove(at: position)
            case 1 where !parts.isEmpty:
                parts[position] =
                    ["private", "public", "shared", "production", "2", "..", "", "stratus", "health", "session"]
                    .randomElement(using: &random) ?? ""
            case 2 where !parts.isEmpty:
                parts[position] = parts[position].utf8.map { "%" + String(Int($0) | 0x100, radix: 16).dropFirst() }
                    .joined()
            case 3: parts.insert(word(&random).percentEncoded, at: min(position, parts.count))
            default:
                if let path = Self.paths.randomElement(using: &random), parts.count >= 2 {
                    parts.replaceSubrange((parts.count - 2)..., with: path.split(separator: "/").map(String.init))
                }
            }
        }
        let query =
            Bool.random(using: &random) && halves.count > 1 ? halves[1] : "a=\(word(&random).percentEncoded)&&=%00&b"
        return "/" + parts.joined(separator: "/") + "?" + query
    }

    func headers(_ random: inout SeededGenerator) -> [(String, String)] {
        (0..<Int.random(in: 0..<4, using: &random)).map { _ in
            let name =
                [
                    "Origin", "X-Stratus-Client", "Content-Type", "Accept", "X-Apple-CloudKit-Request-KeyID", "Cookie",
                    "Referer", "Access-Control-Request-Method",
                ].randomElement(using: &random) ?? "Accept"
            let value =
                [
                    "native/", "native/%zz", "native/x%0d%0aX: y", "native/" + String(repeating: "x", count: 300),
                    "null",
                    "https://a.example", "*", "", String(repeating: "y", count: 600), "ä",
                ].randomElement(using: &random) ?? ""
            return (name, value)
        }
    }
}
