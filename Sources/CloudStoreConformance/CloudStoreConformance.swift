// CloudStoreConformance: what every driver of the store has to do, capability by capability.
//
// A driver's tests run `ConformanceCase.all` against a subject of theirs, so that SQLite in a file, SQLite in memory and
// PostgreSQL cannot differ unnoticed. It knows the store's interface only; it must not know a driver, nor a test framework:
// a case that is not fulfilled throws `ConformanceFailure`.

import CloudStore

/// One promise of the store.
package struct ConformanceCase: Sendable, CustomStringConvertible {
    /// A sentence that is true of every driver.
    package let description: String
    package let run: @Sendable (ConformanceSubject) throws -> Void

    init(_ description: String, _ run: @escaping @Sendable (ConformanceSubject) throws -> Void) {
        self.description = description
        self.run = run
    }

    package static let all: [ConformanceCase] =
        zones + records + changeFeed + index + references + transactions + schema + maintenance + tokens + tokenStates
        + push + zoneKeys + assets + control + requests
}

/// What a case runs against: an open store, and names that no other case uses, since drivers may share a database.
package struct ConformanceSubject: Sendable {
    package let store: CloudStore
    /// Unique to the case.
    package let name: String

    package init(store: CloudStore, name: String) {
        self.store = store
        self.name = name
    }

    /// The case's own container, made when it is first asked for.
    func container(_ suffix: String = "") throws -> ContainerStore {
        try require(
            try store.container("iCloud.\(name)\(suffix)", "development", create: true), "a container that can be made")
    }
}

/// A promise that a driver did not keep.
package struct ConformanceFailure: Error, CustomStringConvertible {
    package let description: String
}

func expect(_ condition: Bool, _ what: String, file: String = #fileID, line: Int = #line) throws {
    if !condition { throw ConformanceFailure(description: "\(file):\(line): expected \(what)") }
}

func expectEqual<Value: Equatable>(_ found: Value, _ expected: Value, file: String = #fileID, line: Int = #line) throws
{
    if found != expected {
        throw ConformanceFailure(description: "\(file):\(line): expected \(expected), found \(found)")
    }
}

func require<Value>(_ value: Value?, _ what: String, file: String = #fileID, line: Int = #line) throws -> Value {
    guard let value else { throw ConformanceFailure(description: "\(file):\(line): expected \(what)") }
    return value
}

func expectStoreError(
    _ kind: StoreError.Kind, file: String = #fileID, line: Int = #line, _ body: () throws -> Void
) throws {
    do {
        try body()
    } catch let error as StoreError {
        return try expectEqual(error.kind, kind, file: file, line: line)
    }
    throw ConformanceFailure(description: "\(file):\(line): expected an error of kind \(kind)")
}
