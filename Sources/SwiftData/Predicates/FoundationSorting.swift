import Foundation

// On Apple's platforms an order by text is that of `localizedStandard` unless it says otherwise. Foundation elsewhere has neither
// that comparator nor the default.

extension String.StandardComparator {
    /// As a person sorts: without regard to case at first, and numbers in the text by their value.
    public static let localizedStandard = localized([.caseInsensitive, .numeric, .widthInsensitive, .forcedOrdering])
    /// By the rules of the locale.
    public static let localized = localized([])

    /// Foundation has the type, which can carry this, but gives out only `lexical`. Falls back to that if the type is not laid out
    /// as it is known.
    private static func localized(_ options: String.CompareOptions) -> Self {
        var comparator = Self.lexical
        let fields = Mirror(reflecting: comparator).children.map { $0.label ?? "" }
        guard fields == ["options", "isLocalized", "order"], MemoryLayout<Self>.size == 10,
            MemoryLayout<String.CompareOptions>.size == 8
        else { return .lexical }
        withUnsafeMutableBytes(of: &comparator) { bytes in
            bytes.storeBytes(of: options, as: String.CompareOptions.self)
            bytes.storeBytes(of: true, toByteOffset: 8, as: Bool.self)
        }
        return comparator
    }
}

extension SortDescriptor where Compared: PersistentModel {
    /// By text, as a person sorts.
    public init(_ keyPath: any KeyPath<Compared, String> & Sendable, order: SortOrder = .forward) {
        self.init(keyPath, comparator: .localizedStandard, order: order)
    }

    /// By text, as a person sorts; nil comes first when forward.
    public init(_ keyPath: any KeyPath<Compared, String?> & Sendable, order: SortOrder = .forward) {
        self.init(keyPath, comparator: .localizedStandard, order: order)
    }
}
