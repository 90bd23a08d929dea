import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Model`.
public struct PersistentModelMacro {}

extension PersistentModelMacro: MemberMacro {
    public static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let model = ModelClass(declaration, missing: protocols, in: context, diagnosing: true) else { return [] }
        model.diagnose(in: context)
        return model.members.map { DeclSyntax(stringLiteral: $0) }
    }
}

extension PersistentModelMacro: MemberAttributeMacro {
    public static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingAttributesFor member: some DeclSyntaxProtocol, in context: some MacroExpansionContext
    ) throws -> [AttributeSyntax] {
        guard declaration.is(ClassDeclSyntax.self), let variable = member.as(VariableDeclSyntax.self),
            variable.isPersisted, !variable.isLazy,
            let name = variable.bindings.first?.pattern.as(IdentifierPatternSyntax.self)?.identifier.text,
            let property = declaration.persistedProperties.first(where: { $0.name == name })
        else { return [] }
        if let options = property.attribute(named: "Attribute"), options.names(option: "transformable") {
            return ["@SwiftData._TransformablePersistedProperty(\(raw: property.index))"]
        }
        return ["@SwiftData._PersistedProperty(\(raw: property.index))"]
    }
}

extension PersistentModelMacro: ExtensionMacro {
    public static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        guard declaration.is(ClassDeclSyntax.self) else { return [] }
        let names = Set(protocols.compactMap(\.lastName))
        let type = type.trimmedDescription
        var extensions: [DeclSyntax] = []
        if names.contains("PersistentModel") {
            extensions.append("extension \(raw: type): SwiftData.PersistentModel {}")
        }
        if names.contains("Observable") {
            extensions.append("extension \(raw: type): Observation.Observable {}")
        }
        // A class of models is not Sendable: this says so to whoever tries, and what to send instead.
        if names.contains("Sendable") {
            extensions.append(
                """
                @available(*, unavailable, message: "PersistentModels are not Sendable, consider utilizing a ModelActor \
                or use \(raw: type)'s persistentModelID instead")
                extension \(raw: type): Sendable {}
                """)
        }
        return extensions.compactMap { $0.as(ExtensionDeclSyntax.self) }
    }
}

extension AttributeSyntax {
    /// Whether an option of that name is among the arguments: `.transformable(by: …)`.
    func names(option: String) -> Bool {
        guard case .argumentList(let arguments) = arguments else { return false }
        return arguments.contains { argument in
            let expression =
                argument.expression.as(FunctionCallExprSyntax.self)?.calledExpression ?? argument.expression
            return expression.as(MemberAccessExprSyntax.self)?.declName.baseName.text == option
        }
    }

    /// The arguments as they are written, without the parentheses.
    var argumentText: String {
        guard case .argumentList(let arguments) = arguments else { return "" }
        return arguments.trimmedDescription
    }
}
