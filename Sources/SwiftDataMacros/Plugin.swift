// SwiftDataMacros: what `@Model`, `#Unique`, `@ModelActor` … write into an app's source. It turns the properties of a
// model class into typed storage with accessors, and the class into something that can be read from a row and bound to
// one by position. It knows the names of SwiftData's underscored functions and nothing of how they work.

import SwiftSyntaxMacros

#if SWIFT_SYNTAX_PACKAGE
    import SwiftCompilerPlugin
#else
    @_spi(PluginMessage) import SwiftCompilerPluginMessageHandling
#endif

var macroTypes: [String: any Macro.Type] {
    [
        "PersistentModelMacro": PersistentModelMacro.self,
        "PersistedPropertyMacro": PersistedPropertyMacro.self,
        "TransformablePersistedPropertyMacro": PersistedPropertyMacro.self,
        "AttributePropertyMacro": AttributePropertyMacro.self,
        "RelationshipPropertyMacro": RelationshipPropertyMacro.self,
        "TransientPropertyMacro": TransientPropertyMacro.self,
        "UniqueConstraintsMacro": ClassDeclarationMarkerMacro.self,
        "IndexMacro": ClassDeclarationMarkerMacro.self,
        "PersistentModelActorMacro": PersistentModelActorMacro.self,
    ]
}

#if SWIFT_SYNTAX_PACKAGE
    @main
    struct SwiftDataMacrosPlugin: CompilerPlugin {
        let providingMacros: [any Macro.Type] = Array(macroTypes.values)

        func resolveMacro(moduleName: String, typeName: String) throws -> any Macro.Type {
            guard let type = macroTypes[typeName] else { throw UnknownMacro(name: typeName) }
            return type
        }
    }
#else
    // The toolchain ships SwiftSyntax without the module that has `CompilerPlugin`; this is what it does.
    @main
    struct SwiftDataMacrosPlugin: PluginProvider {
        @_spi(PluginMessage)
        public func resolveMacro(moduleName: String, typeName: String) throws -> any Macro.Type {
            guard let type = macroTypes[typeName] else { throw UnknownMacro(name: typeName) }
            return type
        }

        static func main() throws {
            let connection = try StandardIOMessageConnection()
            try CompilerPluginMessageListener(connection: connection, provider: SwiftDataMacrosPlugin()).main()
        }
    }
#endif

struct UnknownMacro: Error, CustomStringConvertible {
    var name: String
    var description: String { "SwiftDataMacros has no macro named \(name)" }
}
