import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Turns a stored property of a model class into accessors over typed storage beside it.
public struct PersistedPropertyMacro {
    /// The property and the position that `@Model` gave it.
    private static func property(
        _ declaration: some DeclSyntaxProtocol, _ node: AttributeSyntax
    ) -> ModelProperty? {
        guard let variable = declaration.as(VariableDeclSyntax.self), let binding = variable.bindings.first,
            let identifier = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier
        else { return nil }
        var index = 0
        if case .argumentList(let arguments) = node.arguments,
            let literal = arguments.first?.expression.as(IntegerLiteralExprSyntax.self)
        {
            index = Int(literal.literal.text) ?? 0
        }
        return ModelProperty(
            name: identifier.text, index: index, type: binding.typeAnnotation?.type.trimmed,
            initializer: binding.initializer?.value.trimmed, declaration: variable)
    }
}

extension PersistedPropertyMacro: PeerMacro {
    public static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let property = property(declaration, node) else { return [] }
        if let type = property.storageType {
            return ["@Transient @exclusivity(unchecked) private var \(raw: property.storageName): \(raw: type)"]
        }
        guard let initializer = property.initializer else { return [] }
        // The type is the initializer's. The property's init accessor puts the value there, and this is not evaluated.
        return [
            """
            @Transient @exclusivity(unchecked) private var \(raw: property.storageName) = \
            SwiftData._storage(of: \(initializer))
            """
        ]
    }
}

extension PersistedPropertyMacro: AccessorMacro {
    public static func expansion(
        of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        guard let property = property(declaration, node) else { return [] }
        let name = property.name
        let storage = property.storageName
        // From the first of the class's own properties on.
        let index = "Self._$base + \(property.index)"
        let access = "_$state.access(self, \\.\(name))"
        let initial: AccessorDeclSyntax = """
            @storageRestrictions(initializes: \(raw: storage))
            init(initialValue) {
                \(raw: storage) = .some(initialValue)
            }
            """
        // Storage is nil while the object is a fault, a to-many relationship is not read, or the store had nothing.
        let fallback = property.initializer.map { ", default: \($0.trimmedDescription)" } ?? ""
        let getter: AccessorDeclSyntax = """
            get {
                \(raw: access)
                if let value = \(raw: storage) { return value }
                _$state.load(self)
                if let value = \(raw: storage) { return value }
                let value = SwiftData._missing(self, \(raw: index), \(raw: storage)\(raw: fallback))
                \(raw: storage) = .some(value)
                return value
            }
            """
        let observers = Observers(property.declaration)
        let setter: AccessorDeclSyntax = """
            set {
                \(raw: observers.before(name))let _$old = SwiftData._willSet(self, \(raw: index), \\.\(raw: name), \(raw: storage))
                \(raw: storage) = .some(newValue)
                SwiftData._didSet(self, \(raw: index), \\.\(raw: name), _$old, newValue)
                \(raw: observers.after)
            }
            """
        let isConstant = property.declaration.bindingSpecifier.tokenKind == .keyword(.let)
        return isConstant ? [initial, getter] : [initial, getter, setter]
    }
}

/// The property's own `willSet` and `didSet`, which the setter runs.
private struct Observers {
    var willSet: AccessorDeclSyntax?
    var didSet: AccessorDeclSyntax?

    init(_ declaration: VariableDeclSyntax) {
        guard case .accessors(let list) = declaration.bindings.first?.accessorBlock?.accessors else { return }
        willSet = list.first { $0.accessorSpecifier.tokenKind == .keyword(.willSet) }
        didSet = list.first { $0.accessorSpecifier.tokenKind == .keyword(.didSet) }
    }

    func before(_ property: String) -> String {
        var text = ""
        if let didSet {
            text += "let \(didSet.parameters?.name.text ?? "oldValue") = self.\(property)\n"
        }
        if let willSet, let body = willSet.body {
            // In a function of its own: a `return` ends the observer, not the assignment.
            text +=
                "({ \(willSet.parameters.map { "\($0.name.text) in " } ?? "(newValue) in ")\(body.statements.description) })(newValue)\n"
        }
        return text
    }

    var after: String {
        guard let body = didSet?.body else { return "" }
        return "do {\(body.statements.description)}"
    }
}
