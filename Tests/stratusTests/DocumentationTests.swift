import Foundation
import Testing

@Suite("Documentation/Configuration.md")
struct DocumentationTests {
    @Test("It has every option of serve with its variable, and every exit code")
    func complete() async throws {
        let help = try await Stratus()("serve", "--help").output
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(
            contentsOf: root.appendingPathComponent("Documentation/Configuration.md"), encoding: .utf8)
        let options = help.matches(of: /\n  --([a-z-]+)/).map { String($0.1) }.filter { $0 != "help" }
        #expect(options.count > 10)
        for option in options {
            let variable = "STRATUS_" + option.uppercased().replacing("-", with: "_")
            #expect(text.contains("| `\(option)`") || option == "config", "\(option)")
            #expect(help.contains("[\(variable)]"))
            #expect(text.contains("`\(variable)`"), "\(variable)")
        }
        let codes = try await Stratus()("--help").output.matches(of: /\n  ([0-9])  ([^\n]+)/)
        #expect(codes.count == 7)
        for code in codes { #expect(text.contains("| \(code.1) | "), "\(code.2)") }
    }
}
