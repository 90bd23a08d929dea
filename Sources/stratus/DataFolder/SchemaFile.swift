import Foundation
import SchemaLanguage

/// A `.ckdb` file of somebody's; `-` is standard input.
enum SchemaFile {
    static func text(_ path: String) throws -> String {
        let data: Data
        do {
            data =
                path == "-"
                ? try FileHandle.standardInput.readToEnd() ?? Data() : try Data(contentsOf: URL(filePath: path))
        } catch {
            throw Failure(.notFound, "\(path) cannot be read.", remedy: "Name a schema file that is there.")
        }
        guard let text = String(data: data, encoding: .utf8) else {
            throw Failure(.usage, "\(path) is no UTF-8 text.", remedy: "Save it as UTF-8.")
        }
        return text
    }

    /// - Throws: `Failure` with every mistake and its place.
    static func read(_ path: String) throws -> SchemaDefinition {
        do {
            return try SchemaDefinition(text: try text(path))
        } catch let error as SchemaTextError {
            let lines = error.problems.map { "\(path):\($0.line):\($0.column): \($0.message). \($0.remedy)." }
            throw Failure(
                .usage, "\(path) is no valid schema.\n" + lines.joined(separator: "\n"),
                remedy: "stratus schema validate \(path)")
        }
    }

    static func write(_ text: String, to path: String) throws {
        do {
            try Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
        } catch {
            throw Failure(.failure, "\(path) cannot be written.", remedy: "Name another file with --output.")
        }
    }

    /// What is allowed and yet mostly a mistake.
    static func warnings(_ definition: SchemaDefinition) -> [String] {
        definition.typesWithoutGrants.map {
            "\($0) grants nothing: nobody can use it in the public database. (Private databases need no grants.)"
        }
    }
}
