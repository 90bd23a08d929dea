// bench: times Stratus beside its peers and prints a table of ratios. Started by `./bench`, which builds and installs what
// it needs and passes the programs' paths.

import Foundation

@main
struct Bench {
    static let usage = "usage: ./bench server [--json FILE] [--seconds N] [--scale RECORDS]\n"

    static func main() {
        var arguments = Arguments(CommandLine.arguments.dropFirst())
        let jsonPath = arguments.take("--json")
        let seconds = arguments.take("--seconds").flatMap(Double.init) ?? 4
        let scale = arguments.take("--scale").flatMap(Int.init) ?? 1_000_000
        let programs = ["--stratus", "--pocketbase", "--kinto"].compactMap { arguments.take($0) }
        guard arguments.rest == ["server"], programs.count == 3 else { fail(usage, code: 2) }
        do {
            let urls = programs.map { URL(fileURLWithPath: $0) }
            let benchmark = ServerBenchmark(
                programs: .init(stratus: urls[0], pocketBase: urls[1], kinto: urls[2]), seconds: seconds, scale: scale)
            let results = try benchmark.run()
            if let jsonPath { try results.write(to: jsonPath) }
        } catch {
            fail("bench: \(error)\n", code: 1)
        }
    }

    private static func fail(_ message: String, code: Int32) -> Never {
        FileHandle.standardError.write(Data(message.utf8))
        exit(code)
    }
}

private struct Arguments {
    var rest: [String]

    init(_ arguments: ArraySlice<String>) {
        rest = Array(arguments)
    }

    /// Removes an option and returns its value.
    mutating func take(_ name: String) -> String? {
        guard let index = rest.firstIndex(of: name), index + 1 < rest.count else { return nil }
        defer { rest.removeSubrange(index...index + 1) }
        return rest[index + 1]
    }
}
