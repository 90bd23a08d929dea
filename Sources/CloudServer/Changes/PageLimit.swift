import WebServices

/// How many records an answer may hold. [Apple:PropertyMetrics]
enum PageLimit {
    /// A request's `resultsLimit`, within what one page may have: too large is cut, as Apple's service does it, and zero
    /// or less means none was given.
    static func records(_ requested: Int?, most: Int) -> Int {
        guard let requested, requested > 0 else { return most }
        return min(requested, most)
    }
}
