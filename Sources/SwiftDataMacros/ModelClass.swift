import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// A class with `@Model` as it is written.
struct ModelClass {
    let declaration: ClassDeclSyntax
    let name: String
    let properties: [ModelProperty]
    /// The class's superclass, where that is a model too.
    let superclass: String?

    /// Nil, with a diagnostic, for what is no class.
    init?(
        _ declaration: some DeclGroupSyntax, missing protocols: [TypeSyntax], in context: some MacroExpansionContext,
        diagnosing: Bool
    ) {
        guard let declaration = declaration.as(ClassDeclSyntax.self) else {
            if let (kind, name) = declaration.kindAndName {
                context.diagnose(
                    Diagnostic(
                        node: Syntax(declaration),
                        message: ModelDiagnostic(
                            "'@Model' cannot be applied to \(kind) type '\(name)'", id: "notAClass")))
            }
            return nil
        }
        self.declaration = declaration
        name = declaration.name.text
        properties = declaration.persistedProperties
        // The compiler asks for the conformances that the class has not yet: one whose superclass is a model has them.
        let inherited = declaration.inheritanceClause?.inheritedTypes.map { $0.type.trimmed } ?? []
        let conformsAlready = !protocols.contains { $0.lastName == "PersistentModel" }
        let writesItself = inherited.contains { $0.lastName == "PersistentModel" }
        superclass = conformsAlready && !writesItself ? inherited.first?.trimmedDescription : nil
    }

    var isFinal: Bool { declaration.modifiers.contains { $0.name.tokenKind == .keyword(.final) } }

    /// What goes before members that must be seen wherever the class is.
    var access: String {
        for modifier in declaration.modifiers {
            switch modifier.name.tokenKind {
            case .keyword(.open): return "open "
            case .keyword(.public): return "public "
            case .keyword(.package): return "package "
            default: continue
            }
        }
        return ""
    }

    /// The same for what cannot be `open`: initializers and `final` members.
    var plainAccess: String { access == "open " ? "public " : access }
    /// (An override of a required initializer says so even where nothing can inherit it.)
    var required: String { isFinal && superclass == nil ? "" : "required " }
    var overriding: String { superclass == nil ? "" : "override " }

    func diagnose(in context: some MacroExpansionContext) {
        let members = declaration.memberBlock.members
        if !members.contains(where: { $0.decl.is(InitializerDeclSyntax.self) }) {
            context.diagnose(
                Diagnostic(
                    node: Syntax(declaration),
                    message: ModelDiagnostic(
                        "@Model requires an initializer be provided for '\(name)'", id: "noInitializer")))
        }
        for property in properties { diagnose(property, in: context) }
        for variable in members.variables where variable.bindings.count > 1 && !variable.isStatic {
            guard variable.attribute(named: "Transient") == nil else { continue }
            context.diagnose(
                Diagnostic(
                    node: Syntax(variable),
                    message: ModelDiagnostic(
                        "a @Model class keeps each stored property in a declaration of its own: write one 'var' a property",
                        id: "severalProperties")))
        }
    }

    // `let` is only a warning: the language itself refuses the property in its mode 6 and takes it in mode 5.
    private func diagnose(_ property: ModelProperty, in context: some MacroExpansionContext) {
        let variable = property.declaration
        if variable.bindingSpecifier.tokenKind == .keyword(.let) {
            let modifiers = variable.modifiers.trimmedDescription
            let hasSetAccess = variable.modifiers.contains { $0.detail?.detail.text == "set" }
            var mended = variable
            mended.bindingSpecifier = .keyword(
                .var, leadingTrivia: hasSetAccess ? variable.bindingSpecifier.leadingTrivia : [],
                trailingTrivia: variable.bindingSpecifier.trailingTrivia)
            if !hasSetAccess {
                let modifier = DeclModifierSyntax(
                    leadingTrivia: modifiers.isEmpty ? variable.bindingSpecifier.leadingTrivia : [],
                    name: .keyword(.private), detail: DeclModifierDetailSyntax(detail: .identifier("set")),
                    trailingTrivia: .space)
                mended.modifiers.append(modifier)
            }
            context.diagnose(
                Diagnostic(
                    node: Syntax(variable.bindingSpecifier),
                    message: ModelDiagnostic(
                        """
                        a stored property of a @Model class should not be 'let', since it is set again whenever its object \
                        is read from the store: write 'private(set) var \(property.name)'
                        """, id: "letProperty", severity: .warning),
                    fixIts: [
                        FixIt(
                            message: ModelFixIt("write 'private(set) var'", id: "letProperty"),
                            changes: [.replace(oldNode: Syntax(variable), newNode: Syntax(mended))])
                    ]))
        }
        if variable.isLazy {
            context.diagnose(
                Diagnostic(
                    node: Syntax(variable),
                    message: ModelDiagnostic(
                        "a lazy property cannot be kept in the store: mark '\(property.name)' @Transient",
                        id: "lazyProperty")))
        }
        for wrapper in Self.foreignWrappers where variable.attribute(named: wrapper) != nil {
            context.diagnose(
                Diagnostic(
                    node: Syntax(variable),
                    message: ModelDiagnostic(
                        """
                        @\(wrapper) cannot wrap a stored property of a @Model class, which is observable and kept by \
                        itself: remove the wrapper, or mark '\(property.name)' @Transient
                        """, id: "propertyWrapper")))
        }
    }

    private static let foreignWrappers = [
        "Published", "State", "StateObject", "ObservedObject", "Binding", "AppStorage", "SceneStorage", "Environment",
        "Query", "GestureState", "FocusState",
    ]
}

extension DeclGroupSyntax {
    fileprivate var kindAndName: (kind: String, name: String)? {
        if let declaration = self.as(StructDeclSyntax.self) { return ("struct", declaration.name.text) }
        if let declaration = self.as(ActorDeclSyntax.self) { return ("actor", declaration.name.text) }
        if let declaration = self.as(EnumDeclSyntax.self) { return ("enum", declaration.name.text) }
        return nil
    }
}
