import Foundation

/// What a predicate's functions take from the world.
package struct PredicateEnvironment: Sendable {
    /// For `now()`.
    package var now: @Sendable () -> Date
    /// For `random()` and `randomn(n)`: a number from 0 up to, not including, 1.
    package var randomFraction: @Sendable () -> Double

    package init(now: @escaping @Sendable () -> Date, randomFraction: @escaping @Sendable () -> Double) {
        self.now = now
        self.randomFraction = randomFraction
    }

    package static let system = PredicateEnvironment(
        now: { Date() }, randomFraction: { Double.random(in: 0..<1) })
}
