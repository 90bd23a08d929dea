import Behaviours
import Foundation
import SwiftDiagnostics
import SwiftSyntax
import Testing

@Suite("@Model's expansion")
struct ModelMacroTests {
    @Test("A property becomes accessors over typed storage, whose type is spelled Optional")
    func accessors() {
        let expansion = Expansion(
            """
            @Model
            final class Note {
                var title: String
                var body: String?
                init() {}
            }
            """)
        #expect(expansion.messages.isEmpty)
        #expect(expansion.contains("@Transient @exclusivity(unchecked) private var _title: Swift.Optional<String>"))
        #expect(expansion.contains("@Transient @exclusivity(unchecked) private var _body: Swift.Optional<String?>"))
        #expect(
            expansion.contains(
                """
                @storageRestrictions(initializes: _title)
                init(initialValue) {
                    _title = .some(initialValue)
                }
                """))
        #expect(expansion.contains("SwiftData._read(&_title, row, 0)"))
        #expect(expansion.contains("SwiftData._read(&_body, row, 1)"))
        #expect(expansion.contains("extension Note: SwiftData.PersistentModel {"))
        #expect(expansion.contains("extension Note: Observation.Observable {"))
    }

    @Test("A property whose type is its initializer's has storage of that type, and the default is in the schema")
    func inferredTypes() {
        let expansion = Expansion(
            """
            @Model
            final class Note {
                var rating = 3
                var kind: Kind = .plain
                init() {}
            }
            """)
        #expect(
            expansion.contains("@Transient @exclusivity(unchecked) private var _rating = SwiftData._storage(of: 3)"))
        #expect(expansion.text.contains("keypath: \\Note.rating, defaultValue: 3, metadata: nil"))
        #expect(expansion.text.contains("keypath: \\Note.kind, defaultValue: (.plain) as Kind, metadata: nil"))
    }

    @Test(
        "What observation uses is bound to no actor, so that a class of the main actor can be a model",
        .behaviour("swiftdata.main-actor-models"))
    func actorBound() {
        let expansion = Expansion(
            """
            @Model
            @MainActor
            final class Note {
                var title = ""
                init() {}
            }
            """)
        #expect(expansion.contains("nonisolated(unsafe) let _$state = SwiftData._ModelState()"))
        #expect(expansion.contains("nonisolated var _$observationRegistrar: Observation.ObservationRegistrar {"))
    }

    @Test("Static, computed and transient properties are left alone")
    func untouched() {
        let expansion = Expansion(
            """
            @Model
            final class Note {
                static var shared = 1
                var computed: Int { 1 }
                @Transient var cache: [Int] = []
                var title: String
                init() {}
            }
            """)
        #expect(expansion.messages.isEmpty)
        #expect(!expansion.text.contains("_shared"))
        #expect(!expansion.text.contains("_computed"))
        #expect(!expansion.text.contains("_cache"))
        #expect(expansion.contains("SwiftData._read(&_title, row, 0)"))
    }

    @Test(
        "#Unique and #Index write nothing themselves and go into the schema, indexes first",
        .behaviour("swiftdata.constraints"))
    func constraints() {
        let expansion = Expansion(
            """
            @Model
            final class Note {
                #Unique<Note>([\\.a, \\.b])
                #Index<Note>([\\.a])
                var a: Int
                var b: Int
                init() {}
            }
            """)
        let index = expansion.text.range(of: "SwiftData.Schema.Index<Note>([\\.a])")
        let unique = expansion.text.range(of: "SwiftData.Schema.Unique<Note>([\\.a, \\.b])")
        #expect(index != nil && unique != nil)
        if let index, let unique { #expect(index.lowerBound < unique.lowerBound) }
    }

    @Test("Members are as visible as the class")
    func access() {
        let expansion = Expansion("@Model public class Note { var a: Int\n public init() {} }")
        #expect(
            expansion.text.contains("public required init(backingData: any SwiftData.BackingData<Note>)")
                || expansion.text.contains("required public init(backingData: any SwiftData.BackingData<Note>)"))
        #expect(expansion.text.contains("public class var schemaMetadata"))
    }

    @Test("Observers run inside the setter")
    func observers() {
        let expansion = Expansion(
            """
            @Model
            final class Note {
                var a: Int = 0 {
                    didSet { changed(oldValue) }
                }
                init() {}
            }
            """)
        #expect(expansion.contains("let oldValue = self.a"))
        #expect(expansion.text.contains("changed(oldValue)"))
    }

    @Test(
        "What is no class is refused, in Apple's words",
        arguments: [
            ("struct", "'@Model' cannot be applied to struct type 'X'"),
            ("actor", "'@Model' cannot be applied to actor type 'X'"),
        ])
    func notAClass(kind: String, message: String) {
        #expect(Expansion("@Model \(kind) X { var a = 1 }").messages.contains(message))
    }

    @Test("A class without an initializer is refused, in Apple's words", .behaviour("swiftdata.no-initializer"))
    func noInitializer() {
        #expect(
            Expansion("@Model final class X { var a = 1 }").messages
                == ["@Model requires an initializer be provided for 'X'"])
    }

    @Test(
        "A transient property without a default is refused, in Apple's words", .behaviour("swiftdata.transient-default")
    )
    func transientWithoutDefault() {
        let expansion = Expansion("@Model final class X { @Transient var a: Int\n init() {} }")
        #expect(expansion.messages == ["@Transient requires non-optional property 'a' to have a default value"])
        #expect(Expansion("@Model final class X { @Transient var a: Int?\n init() {} }").messages.isEmpty)
    }

    @Test("A constant is told of, with the mend")
    func constants() throws {
        let expansion = Expansion("@Model final class X {\n    let id: Int\n    init() {}\n}")
        let diagnostic = try #require(expansion.diagnostics.first)
        #expect(diagnostic.message.contains("write 'private(set) var id'"))
        #expect(diagnostic.diagMessage.severity == .warning)
        let change = try #require(diagnostic.fixIts.first?.changes.first)
        guard case .replace(_, let new) = change else {
            Issue.record("the mend replaces the declaration")
            return
        }
        #expect(new.trimmedDescription == "private(set) var id: Int")
    }

    @Test(
        "Lazy properties, wrappers of views and several variables at once are refused with the mend",
        .behaviour("swiftdata.unsupported-properties"))
    func refused() {
        #expect(
            Expansion("@Model final class X { lazy var a = 1\n init() {} }").messages
                == ["a lazy property cannot be kept in the store: mark 'a' @Transient"])
        #expect(
            Expansion("@Model final class X { @Published var a = 1\n init() {} }").messages.first?
                .contains("remove the wrapper") == true)
        #expect(
            Expansion("@Model final class X { var a = 1, b = 2\n init() {} }").messages.first?
                .contains("write one 'var' a property") == true)
    }

    @Test("@ModelActor gives an actor its executor and container")
    func modelActor() {
        let expansion = Expansion("@ModelActor actor Worker {}")
        #expect(expansion.text.contains("nonisolated let modelExecutor: any SwiftData.ModelExecutor"))
        #expect(expansion.text.contains("extension Worker: SwiftData.ModelActor"))
    }
}
