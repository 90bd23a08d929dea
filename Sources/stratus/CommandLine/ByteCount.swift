/// Numbers of bytes as people write them.
enum ByteCount {
    private static let units: [(suffix: String, factor: Int)] = [
        ("kib", 1 << 10), ("mib", 1 << 20), ("gib", 1 << 30), ("tib", 1 << 40),
        ("kb", 1_000), ("mb", 1_000_000), ("gb", 1_000_000_000), ("tb", 1_000_000_000_000), ("b", 1),
    ]

    static func parse(_ text: String) -> Int? {
        let lowered = text.lowercased().filter { $0 != " " && $0 != "_" && $0 != "," }
        let unit = units.first { lowered.hasSuffix($0.suffix) }
        let digits = lowered.dropLast(unit?.suffix.count ?? 0)
        guard let number = Int(digits), number >= 0 else { return nil }
        let (product, overflow) = number.multipliedReportingOverflow(by: unit?.factor ?? 1)
        return overflow ? nil : product
    }

    static func describe(_ bytes: Int) -> String {
        for (suffix, factor) in [("TB", 1_000_000_000_000), ("GB", 1_000_000_000), ("MB", 1_000_000), ("KB", 1_000)]
        where bytes >= factor {
            let tenths = bytes / (factor / 10)
            return tenths % 10 == 0 ? "\(tenths / 10) \(suffix)" : "\(tenths / 10).\(tenths % 10) \(suffix)"
        }
        return "\(bytes) bytes"
    }
}
