import SwiftDiagnostics
import SwiftSyntax

/// What is wrong with a model class, said where it is wrong, with what to write instead.
struct ModelDiagnostic: DiagnosticMessage {
    var message: String
    var diagnosticID: MessageID
    var severity: DiagnosticSeverity

    init(_ message: String, id: String, severity: DiagnosticSeverity = .error) {
        self.message = message
        self.diagnosticID = MessageID(domain: "SwiftDataMacros", id: id)
        self.severity = severity
    }
}

struct ModelFixIt: FixItMessage {
    var message: String
    var fixItID: MessageID

    init(_ message: String, id: String) {
        self.message = message
        self.fixItID = MessageID(domain: "SwiftDataMacros", id: id)
    }
}
