import SQL

/// What went wrong in the store, with words that say which file and what to do.
package struct StoreError: Error, Equatable, CustomStringConvertible {
    package enum Kind: Sendable, Equatable {
        /// The file or database cannot be reached now.
        case unavailable
        /// The file is damaged.
        case corrupt
        /// No room: nothing of the request was kept.
        case full
        /// A rule of a table; a concurrent request did the same thing first.
        case constraint
        /// A value is longer than the store takes.
        case tooLarge
        /// Others hold what is needed; the same request may succeed again.
        case busy
        /// The store cannot do what was asked, or the file is not a store of this version.
        case invalid
    }

    package let kind: Kind
    package let message: String

    package init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    /// - Parameter place: the file or database.
    init(_ error: SQLError, in place: String) {
        switch error.code {
        case .busy:
            self.init(
                .busy, "\(place) is busy: \(error). Try again; if it stays busy, look for another process that uses it."
            )
        case .full:
            self.init(.full, "No room for \(place): \(error). Free some space; the store goes on by itself.")
        case .constraint:
            self.init(.constraint, "A rule of \(place) was broken: \(error)")
        case .corrupt:
            self.init(.corrupt, "\(place) is damaged or no store: \(error). Restore it from a backup.")
        case .unavailable:
            self.init(.unavailable, "\(place) cannot be used: \(error). Check that it exists and may be written.")
        case .tooLarge:
            self.init(.tooLarge, "A value is too large for \(place): \(error)")
        case .other:
            self.init(.invalid, "\(place) refused a request: \(error)")
        }
    }

    package var description: String { message }
}
