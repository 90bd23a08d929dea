/// What somebody who mistyped a word may have meant.
enum Suggestion {
    /// The candidate with the fewest edits, if there are few enough for the length of the word.
    static func closest(to word: String, among candidates: [String]) -> String? {
        let limit = max(1, word.count / 3)
        let ranked = candidates.map { (name: $0, edits: distance(word, $0)) }.filter { candidate in
            candidate.edits <= limit || (word.count >= 3 && candidate.name.hasPrefix(word))
        }
        return ranked.min { $0.edits < $1.edits }?.name
    }

    /// Insertions, deletions, replacements and swaps of neighbours that lead from one word to the other.
    static func distance(_ left: String, _ right: String) -> Int {
        let left = Array(left)
        let right = Array(right)
        if left.isEmpty || right.isEmpty { return left.count + right.count }
        var beforeLast = [Int]()
        var last = Array(0...right.count)
        for row in 1...left.count {
            var current = [row] + Array(repeating: 0, count: right.count)
            for column in 1...right.count {
                let replaced = last[column - 1] + (left[row - 1] == right[column - 1] ? 0 : 1)
                current[column] = min(replaced, last[column] + 1, current[column - 1] + 1)
                if row > 1, column > 1, left[row - 1] == right[column - 2], left[row - 2] == right[column - 1] {
                    current[column] = min(current[column], beforeLast[column - 2] + 1)
                }
            }
            beforeLast = last
            last = current
        }
        return last[right.count]
    }
}
