import Foundation

/// The file of `stratus serve --config`: lines of `key = value`, where the keys are the names of the command's options.
///
///     # /etc/stratus.conf
///     data = /var/lib/stratus
///     port = 443
///     certificate = cloud.pem
enum ConfigurationFile {
    /// Options whose values are paths: a relative one counts from the file's own folder.
    static let paths: Set<String> = ["data", "certificate", "key", "port-file", "encryption-keys"]

    static func read(_ path: String, options: [Option]) throws -> [String: String] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw Failure(.usage, "The configuration file \(path) cannot be read.")
        }
        return try parse(
            String(decoding: data, as: UTF8.self), path: path, options: options,
            folder: URL(filePath: path).deletingLastPathComponent())
    }

    static func parse(_ text: String, path: String, options: [Option], folder: URL) throws -> [String: String] {
        let known = options.map(\.name).filter { $0 != "config" }
        var values: [String: String] = [:]
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let line = line.trimmingCharacters(in: .whitespaces)
            if line.isEmpty || line.hasPrefix("#") { continue }
            let place = "\(path), line \(index + 1)"
            guard let equals = line.firstIndex(of: "=") else {
                throw Failure(.usage, "\(place): “\(line)” is no line of the form key = value.")
            }
            let key = line[..<equals].trimmingCharacters(in: .whitespaces)
            var value = line[line.index(after: equals)...].trimmingCharacters(in: .whitespaces)
            guard known.contains(key) else {
                let close = Suggestion.closest(to: key, among: known).map { " Did you mean “\($0)”?" } ?? ""
                throw Failure(
                    .usage, "\(place): there is no key “\(key)”.\(close)",
                    remedy: "stratus serve --help lists the keys.")
            }
            guard values[key] == nil else {
                throw Failure(.usage, "\(place): “\(key)” is there twice.")
            }
            if paths.contains(key), !value.hasPrefix("/"), !value.isEmpty {
                value = folder.appending(path: value).path
            }
            values[key] = value
        }
        return values
    }
}
