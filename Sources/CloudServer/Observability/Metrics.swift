import Synchronization

/// Counters of this process, for `/stratus/metrics`.
package final class Metrics: Sendable {
    package init() {}
}
