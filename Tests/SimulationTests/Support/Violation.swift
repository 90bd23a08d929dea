import WebServices

/// Something that must never happen, with what happened.
struct Violation: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) {
        self.description = description
    }
}

extension WebServices.Record {
    var value: Int64 { if case .int64(let value)? = fields["value"] { value } else { -1 } }
    var secret: Int64 { if case .int64(let value)? = fields["secret"] { value } else { -1 } }
    var batch: Int64 { if case .int64(let value)? = fields["batch"] { value } else { 0 } }
}
