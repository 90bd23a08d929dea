import CloudStore
import WebServices

/// The operations of one request on one zone: applied in order, all or nothing where the zone is atomic.
///
/// What can only be judged when all of the batch is in place (a parent that comes later, children that go later) is looked
/// at afterwards. Operations that break such a rule are taken out, everything is undone, and the rest is applied again.
struct ZoneBatch {
    enum Outcome {
        case saved(RecordRow)
        /// nil where there was nothing to delete.
        case deleted(RecordRow?)
        /// With the record as the server has it, beside a conflict.
        case failed(ServerError, RecordRow?)

        var isFailure: Bool {
            if case .failed = self { true } else { false }
        }
    }

    private let operations: [PreparedOperation]
    private let zone: ZoneRow
    private let isAtomic: Bool
    private let context: RequestContext
    private let writer: ContainerWriter
    private(set) var schema: GrowingSchema
    private(set) var spent: WriteExpense

    init(
        _ operations: [PreparedOperation], _ zone: ZoneRow, isAtomic: Bool, _ context: RequestContext,
        _ writer: ContainerWriter, _ schema: GrowingSchema, _ spent: WriteExpense
    ) {
        self.operations = operations
        self.zone = zone
        self.isAtomic = isAtomic
        self.context = context
        self.writer = writer
        self.schema = schema
        self.spent = spent
    }

    /// A round takes out the operations that break a rule and all that depend on them, so that the second is the last but
    /// for the oddest requests; the writer is not to be held by those.
    private static let rounds = 8

    /// Undoes a savepoint; never leaves this file.
    private struct Undo: Error {}

    /// One outcome an operation, in order.
    mutating func run() throws -> [Outcome] {
        var refused: [Int: ServerError] = [:]
        let before = schema
        for _ in 0..<Self.rounds {
            var attempt = ZoneBatchAttempt(operations, zone, context, writer, before, spent)
            do {
                try undoable {
                    try attempt.apply(refused: refused)
                    if isAtomic, attempt.hasFailures { throw Undo() }
                    let violations = try attempt.violations()
                    if !violations.isEmpty {
                        refused.merge(violations) { first, _ in first }
                        throw Undo()
                    }
                    try attempt.finish()
                }
                schema = attempt.schema
                spent = attempt.spent
                return attempt.outcomes
            } catch is Undo {
                schema = before
                guard isAtomic else { continue }
                // What was undone took its time as well.
                spent = attempt.spent
                return atomicFailure(attempt.outcomes, refused)
            }
        }
        throw ServerError.badRequest(
            "The records of the request depend on each other in too many ways: send them in several requests",
            .invalidReference)
    }

    /// Runs the body inside a savepoint, unless there is nothing that could have to be undone on its own: one record that
    /// refers to no other is checked as a whole before anything of it is written. Most saves are such; a savepoint is two
    /// statements of the twelve that they take.
    private func undoable(_ body: () throws -> Void) throws {
        if operations.count == 1, operations[0].isIndependent { try body() } else { try writer.savepoint(body) }
    }

    /// The culprits keep their errors, the innocents learn that they were not saved because of them.
    private func atomicFailure(_ outcomes: [Outcome], _ refused: [Int: ServerError]) -> [Outcome] {
        outcomes.enumerated().map { index, outcome in
            if let error = refused[index] { return .failed(error, nil) }
            return outcome.isFailure ? outcome : .failed(ServerError(.atomicError, "Atomic failure"), nil)
        }
    }
}
