import Foundation

/// The texts that Swift takes for equal to one text: `é` may lie in a file as one scalar or as `e` with a combining accent.
///
/// SQLite compares bytes. A query for a text asks for every spelling of it, so that it finds what Swift's `==` finds and an index
/// on the column still serves.
enum CanonicalSpellings {
    /// A text with more spellings than this is compared by collation instead, which looks at every row.
    private static let limit = 4096

    /// Every spelling of the text; nil when there are too many.
    static func of(_ text: String) -> [String]? {
        if isPlain(text) { return [text] }
        let target = Array(text.decomposedStringWithCanonicalMapping.unicodeScalars)
        guard let orders = orders(of: target) else { return nil }
        var found: [String] = []
        var known: Set<[Unicode.Scalar]> = []
        for order in orders {
            var current: [Unicode.Scalar] = []
            guard spell(order, from: 0, &current, &known) else { return nil }
        }
        for scalars in known {
            var spelling = String.UnicodeScalarView()
            spelling.append(contentsOf: scalars)
            found.append(String(spelling))
        }
        return found.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// The bytes between which every text lies that begins with the prefix, if that can be told from it.
    static func range(ofTextBeginningWith prefix: String) -> (lower: String, upper: String)? {
        // The last character before another than ASCII may be spelled together with it.
        var plain = Array(prefix.utf8.prefix { $0 < 0x7F && !hasTwin($0) })
        if plain.count < prefix.utf8.count, !plain.isEmpty { plain.removeLast() }
        guard let last = plain.last else { return nil }
        let upper = plain.dropLast() + [last + 1]
        return (String(decoding: plain, as: UTF8.self), String(decoding: upper, as: UTF8.self))
    }

    private static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 < 0x80 && !hasTwin($0) }
    }

    /// `;`, `K` and the grave accent, of which Unicode has a second scalar that is the same character.
    private static func hasTwin(_ byte: UInt8) -> Bool {
        byte == 0x3B || byte == 0x4B || byte == 0x60
    }

    // MARK: - Orders of combining marks

    /// The orders in which the combining marks may stand without changing the text; nil when there are too many.
    private static func orders(of target: [Unicode.Scalar]) -> [[Unicode.Scalar]]? {
        var orders: [[Unicode.Scalar]] = [[]]
        var index = 0
        while index < target.count {
            var end = index
            while end < target.count, target[end].properties.canonicalCombiningClass != .notReordered { end += 1 }
            if end == index {
                for order in orders.indices { orders[order].append(target[index]) }
                index += 1
                continue
            }
            guard end - index <= 4 else { return nil }
            let variants = permutations(of: Array(target[index..<end]))
            guard orders.count * variants.count <= limit else { return nil }
            orders = orders.flatMap { order in variants.map { order + $0 } }
            index = end
        }
        return orders
    }

    /// The orders in which marks of one class keep theirs.
    private static func permutations(of marks: [Unicode.Scalar]) -> [[Unicode.Scalar]] {
        guard marks.count > 1 else { return [marks] }
        var all: [[Unicode.Scalar]] = []
        var classes: Set<Unicode.CanonicalCombiningClass> = []
        for index in marks.indices where classes.insert(marks[index].properties.canonicalCombiningClass).inserted {
            var rest = marks
            let first = rest.remove(at: index)
            all += permutations(of: rest).map { [first] + $0 }
        }
        return all
    }

    // MARK: - Composed scalars

    /// Adds every sequence of scalars that decomposes into the rest of the target; false when there are too many.
    private static func spell(
        _ target: [Unicode.Scalar], from index: Int, _ current: inout [Unicode.Scalar],
        _ found: inout Set<[Unicode.Scalar]>
    ) -> Bool {
        guard index < target.count else {
            found.insert(current)
            return found.count <= limit
        }
        for choice in choices(at: target[index]) where target[index...].starts(with: choice.parts) {
            current.append(choice.scalar)
            defer { current.removeLast() }
            guard spell(target, from: index + choice.parts.count, &current, &found) else { return false }
        }
        guard let syllables = syllables(target, at: index) else { return true }
        for (scalar, count) in syllables {
            current.append(scalar)
            defer { current.removeLast() }
            guard spell(target, from: index + count, &current, &found) else { return false }
        }
        return true
    }

    private struct Composed: Sendable {
        let scalar: Unicode.Scalar
        let parts: [Unicode.Scalar]
    }

    private static func choices(at first: Unicode.Scalar) -> [Composed] {
        [Composed(scalar: first, parts: [first])] + (composed[first] ?? [])
    }

    /// The scalars that stand for others, by the first of those. Hangul is computed.
    private static let composed: [Unicode.Scalar: [Composed]] = {
        var table: [Unicode.Scalar: [Composed]] = [:]
        let ranges: [ClosedRange<UInt32>] = [
            0xC0...0x33FF, 0xF900...0xFB4F, 0x1_0500...0x1_6FFF, 0x1_D100...0x1_D1FF, 0x2_F800...0x2_FA1F,
        ]
        for value in ranges.joined() {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let parts = Array(String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars)
            guard parts != [scalar], let first = parts.first else { continue }
            table[first, default: []].append(Composed(scalar: scalar, parts: parts))
        }
        return table
    }()

    /// The syllables of Hangul that the scalars from the index on may be spelled as, with how many scalars each takes.
    private static func syllables(_ target: [Unicode.Scalar], at index: Int) -> [(Unicode.Scalar, Int)]? {
        guard index + 1 < target.count, (0x1100...0x1112).contains(target[index].value),
            (0x1161...0x1175).contains(target[index + 1].value)
        else { return nil }
        let base = 0xAC00 + ((target[index].value - 0x1100) * 21 + (target[index + 1].value - 0x1161)) * 28
        var all: [(Unicode.Scalar, Int)] = []
        if let open = Unicode.Scalar(base) { all.append((open, 2)) }
        if index + 2 < target.count, (0x11A8...0x11C2).contains(target[index + 2].value),
            let closed = Unicode.Scalar(base + target[index + 2].value - 0x11A7)
        {
            all.append((closed, 3))
        }
        return all
    }
}
