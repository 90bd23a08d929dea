#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How a store's files are named.
struct DirectoryLayout: Sendable {
    let directory: URL

    var control: URL { directory.appendingPathComponent("control.sqlite") }
    var requests: URL { directory.appendingPathComponent("requests.sqlite") }
    var containers: URL { directory.appendingPathComponent("containers") }

    func container(_ identifier: String, _ environment: String) -> URL {
        containers.appendingPathComponent(
            "\(Self.escape(identifier)).\(Self.escape(environment, keepsDots: false)).sqlite")
    }

    /// The files of a container's assets, beside its database.
    func assets(_ identifier: String, _ environment: String) -> URL {
        Self.assets(in: containers, identifier, environment)
    }

    static func assets(in folder: URL, _ identifier: String, _ environment: String) -> URL {
        folder.appendingPathComponent("\(escape(identifier)).\(escape(environment, keepsDots: false)).assets")
    }

    /// The containers that have a file, by name.
    func existingContainers() throws(StoreError) -> [(identifier: String, environment: String)] {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: containers.path)
        } catch {
            throw StoreError(.unavailable, "The folder \(containers.path) cannot be listed: \(error)")
        }
        return names.sorted().compactMap { name in
            guard name.hasSuffix(".sqlite") else { return nil }
            // An escaped environment has no dot, so the last one before the ending divides.
            let stem = name.dropLast(".sqlite".count)
            guard let dot = stem.lastIndex(of: ".") else { return nil }
            return (Self.unescape(String(stem[..<dot])), Self.unescape(String(stem[stem.index(after: dot)...])))
        }
    }

    /// Letters, digits, `-`, `_` and dots (but a first one) stay; every other byte becomes `%XX`. No name leaves its folder.
    static func escape(_ text: String, keepsDots: Bool = true) -> String {
        var result = ""
        for (index, byte) in text.utf8.enumerated() {
            let isDot = byte == UInt8(ascii: ".") && index > 0 && keepsDots
            let isPlain =
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
                || byte == UInt8(ascii: "_") || isDot
            if isPlain {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                result += "%" + (digits.utf8.count == 1 ? "0" : "") + digits
            }
        }
        return result
    }

    static func unescape(_ text: String) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
