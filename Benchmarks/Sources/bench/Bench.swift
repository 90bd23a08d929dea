// bench: times Stratus beside its peers and prints a table of ratios. Started by `./bench`, which builds and installs what
// it needs and passes the programs' paths.

import Foundation

@main
struct Bench {
    static let usage = """
        usage: ./bench server [--json FILE] [--seconds N] [--scale RECORDS] [--only query|asset]
               ./bench sync [--json FILE] [--quick]
               ./bench store [--json FILE] [--quick] [--wall] [--grdb CHECKOUT]

        """

    static func main() {
        var arguments = Arguments(CommandLine.arguments.dropFirst())
        let jsonPath = arguments.take("--json")
        let seconds = arguments.take("--seconds").flatMap(Double.init) ?? 4
        let scale = arguments.take("--scale").flatMap(Int.init) ?? 1_000_000
        let only = arguments.take("--only").map { ServerBenchmark.Part(rawValue: $0) }
        let isQuick = arguments.takeFlag("--quick")
        let isWall = arguments.takeFlag("--wall")
        let programs = ["--stratus", "--pocketbase", "--kinto", "--devices", "--models", "--records"].map { name in
            arguments.take(name).map { URL(fileURLWithPath: $0) }
        }
        do {
            let results: Results
            if let only, only == nil {
                fail(usage, code: 2)
            } else if arguments.rest == ["server"], let stratus = programs[0], let pocketBase = programs[1],
                let kinto = programs[2]
            {
                results = try ServerBenchmark(
                    programs: .init(stratus: stratus, pocketBase: pocketBase, kinto: kinto), seconds: seconds,
                    scale: scale, only: only ?? nil
                ).run()
            } else if arguments.rest == ["sync"], let stratus = programs[0], let devices = programs[3] {
                results = try SyncBenchmark(stratus: stratus, devices: devices, isQuick: isQuick).run()
            } else if arguments.rest == ["store"], let models = programs[4] {
                results = try StoreBenchmark(
                    models: models, records: programs[5], isQuick: isQuick, clock: isWall ? .wall : .processor
                ).run()
            } else {
                fail(usage, code: 2)
            }
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

    /// Removes an option without a value, and tells whether it was there.
    mutating func takeFlag(_ name: String) -> Bool {
        guard let index = rest.firstIndex(of: name) else { return false }
        rest.remove(at: index)
        return true
    }
}
