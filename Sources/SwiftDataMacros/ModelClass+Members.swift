import SwiftSyntax
import SwiftSyntaxBuilder

extension ModelClass {
    /// What `@Model` adds to the class.
    ///
    /// Names that begin with `_$` are SwiftData's own. The storage itself is written by the properties' own macro.
    var members: [String] {
        var members = superclass == nil ? rootMembers : []
        members += [
            backingDataInitializer, blankInitializer, schemaMetadata, load, bind, unload, relationship, propertyCount,
            "private static var _$base: Int { \(superclass.map { "\($0)._$propertyCount" } ?? "0") }",
        ]
        members.append(
            """
            \(access)\(overriding)class var _$superclass: (any SwiftData.PersistentModel.Type)? { \
            \(superclass.map { "\($0).self" } ?? "nil") }
            """)
        return members
    }

    private var rootMembers: [String] {
        [
            // Not bound to an actor that the class may be bound to: `access` and `withMutation` are not either.
            "@Transient nonisolated(unsafe) \(plainAccess)let _$state = SwiftData._ModelState()",
            """
            @Transient private var _$backingData: any SwiftData.BackingData<\(name)> {
                get { SwiftData._backingData(of: self) }
                set { SwiftData._setBackingData(newValue, of: self) }
            }
            """,
            """
            public var persistentBackingData: any SwiftData.BackingData<\(name)> {
                get { SwiftData._backingData(of: self) }
                set { SwiftData._setBackingData(newValue, of: self) }
            }
            """,
            """
            @Transient private nonisolated var _$observationRegistrar: Observation.ObservationRegistrar {
                _$state.observationRegistrar
            }
            """,
            """
            internal nonisolated func access<_M>(keyPath: KeyPath<\(name), _M>) {
                _$observationRegistrar.access(self, keyPath: keyPath)
            }
            """,
            """
            internal nonisolated func withMutation<_M, _MR>(
                keyPath: KeyPath<\(name), _M>, _ mutation: () throws -> _MR
            ) rethrows -> _MR {
                try _$observationRegistrar.withMutation(of: self, keyPath: keyPath, mutation)
            }
            """,
            "struct _SwiftDataNoType {}",
        ]
    }

    /// Assigns nil to each property's storage: what a fault has.
    private var clearing: String {
        properties.map { "\($0.storageName) = nil" }.joined(separator: "\n    ")
    }

    private var backingDataInitializer: String {
        if superclass != nil {
            return """
                \(required)\(plainAccess)init(backingData: any SwiftData.BackingData<\(rootName)>) {
                    \(clearing)
                    super.init(backingData: backingData)
                }
                """
        }
        return """
            \(required)\(plainAccess)init(backingData: any SwiftData.BackingData<\(name)>) {
                \(clearing)
                SwiftData._setBackingData(backingData, of: self)
            }
            """
    }

    /// A subclass names its root through the superclass, whose own name is all that the source shows.
    private var rootName: String { (superclass ?? name) + ".Root" }

    private var blankInitializer: String {
        """
        \(required)\(plainAccess)init(_$blank blank: SwiftData._Blank) {
            \(clearing)
            \(superclass == nil ? "" : "super.init(_$blank: blank)")
        }
        """
    }

    private var base: String { superclass == nil || properties.isEmpty ? "" : "let base = \(name)._$base" }

    private func position(_ property: ModelProperty) -> String {
        superclass == nil ? "\(property.index)" : "base + \(property.index)"
    }

    private var load: String {
        let lines = properties.map { "SwiftData._read(&\($0.storageName), row, \(position($0)))" }
        return """
            \(access)\(overriding)func _$load(_ row: SwiftData._Row) {
                \(superclass == nil ? "" : "super._$load(row)")
                \(base)
                \(lines.joined(separator: "\n    "))
            }
            """
    }

    private var bind: String {
        let lines = properties.map {
            "if row.binds(\(position($0))) { SwiftData._write(\($0.storageName), row, \(position($0))) }"
        }
        return """
            \(access)\(overriding)func _$bind(_ row: SwiftData._RowValues) {
                \(superclass == nil ? "" : "super._$bind(row)")
                \(base)
                \(lines.joined(separator: "\n    "))
            }
            """
    }

    private var unload: String {
        """
        \(access)\(overriding)func _$unload() {
            \(superclass == nil ? "" : "super._$unload()")
            \(clearing)
        }
        """
    }

    private var relationship: String {
        let cases = properties.map {
            "case \($0.index): SwiftData._perform(&operation, &\($0.storageName))"
        }
        let index = superclass.map { "operation.index - \($0)._$propertyCount" } ?? "operation.index"
        return """
            \(access)\(overriding)func _$perform(_ operation: inout SwiftData._PropertyOperation) {
                switch \(index) {
                \(cases.joined(separator: "\n    "))
                default: \(superclass == nil ? "break" : "super._$perform(&operation)")
                }
            }
            """
    }

    private var propertyCount: String {
        let own = "\(properties.count)"
        return """
            \(access)\(overriding)class var _$propertyCount: Int { \(superclass.map { "\($0)._$propertyCount + " } ?? "")\(own) }
            """
    }

    private var schemaMetadata: String {
        let entries = properties.map(metadata) + declaredEntries(of: "Index") + declaredEntries(of: "Unique")
        return """
            \(access)\(overriding)class var schemaMetadata: [SwiftData.Schema.PropertyMetadata] {
                return [
                    \(entries.joined(separator: ",\n        "))
                ]
            }
            """
    }

    private func metadata(of property: ModelProperty) -> String {
        var defaultValue = "nil"
        if let initializer = property.initializer {
            // Typed, so that `.active` and `[]` mean what they mean in the declaration.
            defaultValue =
                property.type.map { "(\(initializer)) as \($0.storedSpelling)" } ?? initializer.trimmedDescription
        }
        var metadata = "nil"
        for kind in ["Attribute", "Relationship"] {
            if let attribute = property.attribute(named: kind) {
                metadata = "SwiftData.Schema.\(kind)(\(attribute.argumentText))"
            }
        }
        return """
            SwiftData.Schema.PropertyMetadata(name: "\(property.plainName)", keypath: \\\(name).\(property.name), \
            defaultValue: \(defaultValue), metadata: \(metadata))
            """
    }

    /// The entries that `#Index` and `#Unique` inside the class stand for.
    private func declaredEntries(of macro: String) -> [String] {
        declaration.memberBlock.members.compactMap { member in
            guard let expansion = member.decl.as(MacroExpansionDeclSyntax.self), expansion.macroName.text == macro
            else {
                return nil
            }
            let type = expansion.genericArgumentClause?.trimmedDescription ?? "<\(name)>"
            return """
                SwiftData.Schema.PropertyMetadata(name: "SwiftData.Schema.\(macro)", \
                keypath: \\SwiftData.Schema.encodingVersion, defaultValue: nil, \
                metadata: SwiftData.Schema.\(macro)\(type)(\(expansion.arguments.trimmedDescription)))
                """
        }
    }
}
