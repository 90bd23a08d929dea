import SwiftSyntax
import SwiftSyntaxBuilder

/// A stored property of a model class as it is written.
struct ModelProperty {
    let name: String
    /// Where the property lies among the class's own ones.
    let index: Int
    /// Nil where the source leaves it to the initializer.
    let type: TypeSyntax?
    let initializer: ExprSyntax?
    let declaration: VariableDeclSyntax

    /// The name without backticks, as the schema has it.
    var plainName: String { name.withoutBackticks }
    var storageName: String { "_" + plainName }

    /// `Optional<T>`, spelled out: a variable written `T?` starts as nil by itself, after the property's own default has
    /// been put there.
    var storageType: String? {
        type.map { "Swift.Optional<\($0.storedSpelling)>" }
    }

    func attribute(named name: String) -> AttributeSyntax? { declaration.attribute(named: name) }
}

extension VariableDeclSyntax {
    func attribute(named name: String) -> AttributeSyntax? {
        for case .attribute(let attribute) in attributes where attribute.attributeName.lastName == name {
            return attribute
        }
        return nil
    }

    var isStatic: Bool {
        modifiers.contains { $0.name.tokenKind == .keyword(.static) || $0.name.tokenKind == .keyword(.class) }
    }

    var isLazy: Bool { modifiers.contains { $0.name.tokenKind == .keyword(.lazy) } }

    /// Whether `@Model` keeps the property in the store.
    var isPersisted: Bool {
        guard !isStatic, attribute(named: "Transient") == nil, bindings.count == 1, let binding = bindings.first,
            binding.pattern.is(IdentifierPatternSyntax.self)
        else { return false }
        guard let accessors = binding.accessorBlock else { return true }
        return accessors.areObservers
    }
}

extension AccessorBlockSyntax {
    /// `willSet` and `didSet` and nothing else.
    var areObservers: Bool {
        guard case .accessors(let list) = accessors else { return false }
        return list.allSatisfy {
            $0.accessorSpecifier.tokenKind == .keyword(.willSet) || $0.accessorSpecifier.tokenKind == .keyword(.didSet)
        }
    }
}

extension DeclGroupSyntax {
    /// The properties that are kept, in the order in which they are declared, those inside `#if` included.
    var persistedProperties: [ModelProperty] {
        var properties: [ModelProperty] = []
        for variable in memberBlock.members.variables where variable.isPersisted {
            guard let binding = variable.bindings.first,
                let identifier = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier
            else { continue }
            properties.append(
                ModelProperty(
                    name: identifier.text, index: properties.count, type: binding.typeAnnotation?.type.trimmed,
                    initializer: binding.initializer?.value.trimmed, declaration: variable))
        }
        return properties
    }
}

extension MemberBlockItemListSyntax {
    var variables: [VariableDeclSyntax] { compactMap { $0.decl.as(VariableDeclSyntax.self) } }
}

extension TypeSyntax {
    /// The last name of the type: `Attribute` of `SwiftData.Attribute`.
    var lastName: String? {
        if let identifier = self.as(IdentifierTypeSyntax.self) { return identifier.name.text }
        if let member = self.as(MemberTypeSyntax.self) { return member.name.text }
        return nil
    }

    /// As the storage has it: an implicitly unwrapped optional is an optional.
    var storedSpelling: String {
        if let implicit = self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
            return "\(implicit.wrappedType.trimmedDescription)?"
        }
        return trimmedDescription
    }

    var isOptional: Bool {
        if self.is(OptionalTypeSyntax.self) || self.is(ImplicitlyUnwrappedOptionalTypeSyntax.self) { return true }
        return lastName == "Optional"
    }
}

extension String {
    var withoutBackticks: String {
        hasPrefix("`") && hasSuffix("`") && count > 2 ? String(dropFirst().dropLast()) : self
    }
}
