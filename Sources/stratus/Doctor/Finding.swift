/// One thing that the doctor looked at.
struct Finding: Encodable, Sendable {
    enum Level: String, Encodable, Sendable {
        case ok, warning, problem
    }

    var level: Level
    /// What was looked at: `data folder`, `certificate`.
    var subject: String
    var finding: String
    /// What comes of it when nothing is done.
    var consequence: String?
    /// What to do.
    var remedy: String?

    static func ok(_ subject: String, _ finding: String) -> Finding {
        Finding(level: .ok, subject: subject, finding: finding)
    }

    static func warning(_ subject: String, _ finding: String, consequence: String, remedy: String) -> Finding {
        Finding(level: .warning, subject: subject, finding: finding, consequence: consequence, remedy: remedy)
    }

    static func problem(_ subject: String, _ finding: String, consequence: String, remedy: String) -> Finding {
        Finding(level: .problem, subject: subject, finding: finding, consequence: consequence, remedy: remedy)
    }

    /// As people read it.
    var text: String {
        let mark =
            switch level {
            case .ok: "ok      "
            case .warning: "warning "
            case .problem: "PROBLEM "
            }
        var text = "\(mark) \(subject): \(finding)"
        let indent = String(repeating: " ", count: 9)
        if let consequence { text += "\n\(indent)So: \(consequence)" }
        if let remedy { text += "\n\(indent)Do: \(remedy)" }
        return text
    }
}
