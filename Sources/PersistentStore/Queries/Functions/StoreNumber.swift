import Foundation

/// Arithmetic that fails instead of trapping, in one place for SQL and for objects in memory. Nil is a step that failed.
enum StoreNumber {
    /// - Parameter type: how many bits an integer has, and whether a sign.
    static func compute(_ operation: StoreArithmetic, _ first: Int64, _ second: Int64, bits: Int, isSigned: Bool)
        -> Int64?
    {
        if !isSigned, bits >= 64 {
            let result = compute(operation, UInt64(bitPattern: first), UInt64(bitPattern: second))
            return result.map { Int64(bitPattern: $0) }
        }
        guard let result = compute(operation, first, second) else { return nil }
        guard bits < 64 else { return result }
        let (lowest, highest): (Int64, Int64) =
            isSigned ? (-(1 << (bits - 1)), 1 << (bits - 1) - 1) : (0, 1 << bits - 1)
        return result >= lowest && result <= highest ? result : nil
    }

    private static func compute<Number: FixedWidthInteger>(
        _ operation: StoreArithmetic, _ first: Number, _ second: Number
    ) -> Number? {
        let (result, failed) =
            switch operation {
            case .add: first.addingReportingOverflow(second)
            case .subtract: first.subtractingReportingOverflow(second)
            case .multiply: first.multipliedReportingOverflow(by: second)
            case .divide: first.dividedReportingOverflow(by: second)
            case .remainder: first.remainderReportingOverflow(dividingBy: second)
            }
        return failed ? nil : result
    }

    /// What is no number is taken for failed: SQLite cannot hold it.
    static func compute(_ operation: StoreArithmetic, _ first: Double, _ second: Double) -> Double? {
        let result =
            switch operation {
            case .add: first + second
            case .subtract: first - second
            case .multiply: first * second
            case .divide: first / second
            case .remainder: first.truncatingRemainder(dividingBy: second)
            }
        return result.isNaN ? nil : result
    }

    /// Rounded as a Float is. (A Double has more than twice a Float's digits, so rounding twice gives what rounding once would.)
    static func computeFloat(_ operation: StoreArithmetic, _ first: Double, _ second: Double) -> Double? {
        compute(operation, first, second).map { Double(Float($0)) }
    }
}
