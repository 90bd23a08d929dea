import Foundation

// The wire's TIMESTAMP counts milliseconds; an app's `Date` is finer, and Apple's framework gives back the very date that
// was saved. So a member of a TIMESTAMP, or of a list of them, may carry the extra key `exactValue` beside its documented
// ones: seconds since 2001-01-01 UTC as Foundation's dates count them, in a list one for each element. Our own client
// sends and reads it; to other clients nothing of it is sent. A value that does not round to the member's milliseconds is
// ignored.

extension Fields {
    /// The `exactValue` of a member: seconds since 2001-01-01 UTC, one for each element of a list; nil without one.
    package func exactSeconds(of entry: Entry) -> [Double]? {
        guard entry.kind.isExact else { return nil }
        // Behind the name, its quotes and the colon.
        let content = member(entry).dropFirst(entry.nameLength + 3)
        guard let exact = (try? JSONDocument(parsing: content))?.root.member("exactValue") else { return nil }
        return ExactValue(exact)?.seconds
    }

    /// The fields as other clients know them.
    package var withoutExactValues: Fields {
        guard contains(where: { $0.kind.isExact }) else { return self }
        var builder = FieldsBuilder(capacity: jsonLength)
        for entry in self {
            if entry.kind.isExact, let type = entry.kind.type {
                let kind = Kind(type, isEncrypted: entry.kind.isEncrypted)
                builder.append(name(of: entry), json: json(of: entry), kind: kind)
            } else {
                builder.append(copying: entry, of: self)
            }
        }
        return builder.finish()
    }
}

/// What an `exactValue` holds.
struct ExactValue {
    var seconds: [Double]
    var isList: Bool

    init(seconds: [Double], isList: Bool) {
        self.seconds = seconds
        self.isList = isList
    }

    /// nil for anything but a number or a list of them.
    init?(_ value: JSONValue) {
        if let array = value.array {
            seconds = []
            for element in array {
                guard let number = element.double else { return nil }
                seconds.append(number)
            }
            isList = true
        } else {
            guard let number = value.double else { return nil }
            seconds = [number]
            isList = false
        }
    }

    /// Whether it says the same as a member's milliseconds.
    func agrees(with value: FieldValue) -> Bool {
        switch value {
        case .timestamp(let milliseconds):
            return !isList && seconds.count == 1 && Self.milliseconds(seconds[0]) == milliseconds
        case .list(let elements, of: .timestamp):
            guard isList, elements.count == seconds.count else { return false }
            return zip(elements, seconds).allSatisfy { element, seconds in
                Self.milliseconds(seconds).map { .timestamp($0) == element } ?? false
            }
        default:
            return false
        }
    }

    /// As the client rounds a date.
    private static func milliseconds(_ seconds: Double) -> Int64? {
        Int64(exactly: ((seconds + Date.timeIntervalBetween1970AndReferenceDate) * 1000).rounded())
    }
}

extension JSONWriter {
    mutating func exactValue(_ value: ExactValue) {
        key("exactValue")
        if value.isList {
            beginArray()
            for number in value.seconds { double(number) }
            endArray()
        } else if let number = value.seconds.first {
            double(number)
        } else {
            null()
        }
    }
}
