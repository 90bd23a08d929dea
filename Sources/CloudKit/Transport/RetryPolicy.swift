import Foundation

/// The one place that decides whether a failed request is sent again by the framework itself.
///
/// As the CKOperation header tells it: at user-initiated and default quality of service a network error ends the
/// operation, while utility and background work is retried until its resource time-out.
package struct RetryPolicy: Sendable {
    /// Seconds to wait before attempt number `attempt` (the first retry is 1); nil gives the error to the caller.
    package var delay: @Sendable (_ error: CKError, _ attempt: Int, _ qualityOfService: QualityOfService) -> Double?
    /// Waits; tests hand in one that does not.
    package var sleep: @Sendable (_ seconds: Double) async throws -> Void

    package init(
        delay: @escaping @Sendable (CKError, Int, QualityOfService) -> Double?,
        sleep: @escaping @Sendable (Double) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }
    ) {
        self.delay = delay
        self.sleep = sleep
    }

    package static let never = RetryPolicy(delay: { _, _, _ in nil })

    package static let standard = RetryPolicy(delay: { error, attempt, qualityOfService in
        guard qualityOfService == .utility || qualityOfService == .background else { return nil }
        switch error.code {
        case .networkUnavailable, .networkFailure, .serviceUnavailable, .requestRateLimited, .zoneBusy:
            if let seconds = error.retryAfterSeconds { return seconds }
            return min(60, Double(1 << min(attempt, 6)) * 0.5)
        default:
            // A lost answer is not retried: the request may have been carried out, and only the caller knows
            // whether doing it again is harmless.
            return nil
        }
    })
}
