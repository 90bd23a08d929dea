import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros

@testable import SwiftDataMacros

/// A source with its macros expanded.
struct Expansion {
    let text: String
    let diagnostics: [Diagnostic]

    init(_ source: String) {
        let model = Self.expand(
            source,
            [
                "Model": MacroSpec(
                    type: PersistentModelMacro.self,
                    conformances: ["Observation.Observable", "SwiftData.PersistentModel", "Sendable"]),
                "Attribute": MacroSpec(type: AttributePropertyMacro.self),
                "Transient": MacroSpec(type: TransientPropertyMacro.self),
                "Unique": MacroSpec(type: ClassDeclarationMarkerMacro.self),
                "Index": MacroSpec(type: ClassDeclarationMarkerMacro.self),
                "ModelActor": MacroSpec(type: PersistentModelActorMacro.self, conformances: ["SwiftData.ModelActor"]),
            ])
        diagnostics = model.diagnostics
        // What `@Model` writes on the properties is qualified, which the expander does not look up.
        text =
            Self.expand(
                model.text.replacing("@SwiftData._Persisted", with: "@_Persisted"),
                ["_PersistedProperty": MacroSpec(type: PersistedPropertyMacro.self)]
            ).text
    }

    private static func expand(
        _ source: String, _ macros: [String: MacroSpec]
    ) -> (text: String, diagnostics: [Diagnostic]) {
        let file = Parser.parse(source: source)
        let context = BasicMacroExpansionContext(
            sourceFiles: [file: .init(moduleName: "App", fullFilePath: "App.swift")])
        let expanded = file.expand(
            macroSpecs: macros,
            contextGenerator: { BasicMacroExpansionContext(sharingWith: context, lexicalContext: [Syntax($0)]) },
            indentationWidth: .spaces(4))
        return (expanded.description, context.diagnostics)
    }

    var messages: [String] { diagnostics.map(\.message) }

    /// Whether the expansion has these lines, one after the other, whatever their indentation.
    func contains(_ lines: String) -> Bool { Self.lines(text).contains(Self.lines(lines)) }

    private static func lines(_ text: String) -> String {
        text.split(separator: "\n").map { $0.trimmingPrefix { $0 == " " } }.filter { !$0.isEmpty }
            .joined(separator: "\n")
    }
}
