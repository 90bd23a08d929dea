/// The failed items of an operation, for the completion blocks that tell of them in one error.
///
/// In an atomic zone every item of the batch has an entry, the culprit with its error and the rest with
/// `.batchRequestFailed`; elsewhere only failed items have one.
struct PartialFailures {
    private var errors: [AnyHashable: any Error] = [:]

    mutating func add(_ error: CKError, for item: some Hashable) {
        errors[AnyHashable(item)] = error
    }

    /// `.partialFailure` with the items' errors; nil where nothing failed.
    var error: CKError? {
        guard !errors.isEmpty else { return nil }
        return CKError(
            .partialFailure, reason: "Some items failed; their errors are under CKPartialErrorsByItemIDKey",
            userInfo: [CKPartialErrorsByItemIDKey: errors])
    }
}

extension Result {
    var failure: Failure? {
        if case .failure(let error) = self { return error }
        return nil
    }
}
