/// Makes a failing script shorter: what is left fails, and no single action can be left out of it.
///
/// Delta debugging: parts are left out, large ones first, as long as what is left still fails.
///
/// - Parameters:
///   - attempts: so many runs at most; the result may then be longer than it needs to be.
///   - fails: whether the elements fail, in their order.
/// - Returns: the places of the elements that are left.
func shrink<Element>(_ elements: [Element], attempts: Int = 500, _ fails: ([Element]) -> Bool) -> [Int] {
    var kept = Array(elements.indices)
    var size = max(1, kept.count / 2)
    var left = attempts
    while true {
        var start = 0
        var hasShrunk = false
        while start < kept.count {
            guard left > 0 else { return kept }
            left -= 1
            let candidate = Array(kept[..<start] + kept[min(start + size, kept.count)...])
            if fails(candidate.map { elements[$0] }) {
                kept = candidate
                hasShrunk = true
            } else {
                start += size
            }
        }
        if size == 1 && !hasShrunk { return kept }
        size = max(1, size / 2)
    }
}
