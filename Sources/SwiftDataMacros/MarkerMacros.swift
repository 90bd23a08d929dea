import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

// `@Model` reads these; by themselves they write nothing, but say where they make no sense.

public struct AttributePropertyMacro: PeerMacro {
    public static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        []
    }
}

public struct RelationshipPropertyMacro: PeerMacro {
    public static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        []
    }
}

public struct TransientPropertyMacro: PeerMacro {
    public static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let variable = declaration.as(VariableDeclSyntax.self) else { return [] }
        for binding in variable.bindings {
            guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text,
                !name.hasPrefix("_"), variable.bindingSpecifier.tokenKind == .keyword(.var),
                binding.initializer == nil, binding.accessorBlock == nil,
                let type = binding.typeAnnotation?.type, !type.isOptional
            else { continue }
            context.diagnose(
                Diagnostic(
                    node: Syntax(variable),
                    message: ModelDiagnostic(
                        "@Transient requires non-optional property '\(name)' to have a default value",
                        id: "transientWithoutDefault")))
        }
        return []
    }
}

/// `#Unique` and `#Index`.
public struct ClassDeclarationMarkerMacro: DeclarationMacro {
    public static func expansion(
        of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        []
    }
}
