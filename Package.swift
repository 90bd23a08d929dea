// swift-tools-version: 6.2
import CompilerPluginSupport
import Foundation
import PackageDescription

#if canImport(Glibc)
    import Glibc
#endif

// Stratus uses no Swift package. What lies outside its purpose comes from Debian's C libraries, through
// system-library targets and the thinnest possible shims (rows "C libraries" below):
//
//   CSQLite        SQLite            the embedded store: the file format is the point
//   CPostgres      libpq             the scale-out store
//   CHTTPServer    GNU libmicrohttpd HTTP/1.1 with TLS, small and kept up
//   CJSON          simdjson          reads JSON a hundred times faster than Foundation on Linux
//   CCrypto        OpenSSL, libsodium HMAC, SHA-256, random; Argon2id for passwords
//   CTLS           OpenSSL (libssl)  the program's own few requests over TLS, certificate files, checksums of a client's files
//   CCommandLine   glibc             getopt_long, which Swift's Glibc module does not expose

let swift: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// Macros are built with the SwiftSyntax that the toolchain itself brings, since no package can be fetched where this is built
// and tested. That takes compiler flags which SwiftPM refuses in a package that another uses by its URL: a checkout takes
// the package swift-syntax instead, and so does a toolchain without these libraries.
let macroLibraries: String? = {
    if Context.packageDirectory.split(separator: "/").contains("checkouts") { return nil }
    // The manifest runs with a library of the very toolchain that builds the package.
    // (Read line by line: the file has no size, and Foundation reads only its beginning now and then.)
    #if canImport(Glibc)
        guard let maps = fopen("/proc/self/maps", "r") else { return nil }
        defer { fclose(maps) }
        var buffer = [CChar](repeating: 0, count: 8192)
        while fgets(&buffer, Int32(buffer.count), maps) != nil {
            let line = String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            guard let start = line.firstIndex(of: "/"), let end = line.range(of: "/lib/swift/pm/") else { continue }
            let folder = line[start..<end.lowerBound] + "/lib/swift/host"
            if FileManager.default.fileExists(atPath: folder + "/libSwiftSyntaxMacros.so") { return String(folder) }
        }
    #endif
    return nil
}()
let macroSettings: [SwiftSetting] =
    macroLibraries.map { [.unsafeFlags(["-I", $0])] } ?? [.define("SWIFT_SYNTAX_PACKAGE")]
let macroLinking: [LinkerSetting] =
    macroLibraries.map { [.unsafeFlags(["-L", $0, "-Xlinker", "-rpath", "-Xlinker", $0])] } ?? []
let macroDependencies: [Target.Dependency] =
    macroLibraries == nil
    ? [
        .product(name: "SwiftCompilerPlugin", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
    ] : []
let macroTestDependencies: [Target.Dependency] =
    macroLibraries == nil ? [.product(name: "SwiftSyntaxMacroExpansion", package: "swift-syntax")] : []

let package = Package(
    name: "Stratus",
    products: [
        .library(name: "CloudKit", targets: ["CloudKit"]),
        .library(name: "CoreLocation", targets: ["CoreLocation"]),
        .library(name: "SwiftData", targets: ["SwiftData"]),
        .library(name: "CloudKitTesting", targets: ["CloudKitTesting"]),
        .library(name: "CloudStoreConformance", targets: ["CloudStoreConformance"]),
        .executable(name: "stratus", targets: ["stratus"]),
    ],
    dependencies: macroLibraries == nil
        ? [.package(url: "https://github.com/swiftlang/swift-syntax.git", "602.0.0"..<"605.0.0")] : [],
    targets: [
        // Programs
        .executableTarget(
            name: "stratus",
            dependencies: [
                "CloudServer", "CloudStore", "SQL", "WebServices", "SchemaLanguage", "CCommandLine", "CTLS",
            ],
            swiftSettings: swift),

        // For tests
        .target(
            name: "CloudKitTesting", dependencies: ["CloudKit", "CloudServer", "CloudStore", "WebServices"],
            swiftSettings: swift),

        // What an app imports
        .target(
            name: "CloudKit", dependencies: ["WebServices", "PredicateFormat", "CoreLocation", "CTLS"],
            swiftSettings: swift),
        .target(name: "CoreLocation", swiftSettings: swift),
        .target(name: "SwiftData", dependencies: ["SwiftDataMacros", "PersistentStore"], swiftSettings: swift),
        .macro(
            name: "SwiftDataMacros", dependencies: macroDependencies, swiftSettings: swift + macroSettings,
            linkerSettings: macroLinking),

        // The server
        .target(
            name: "CloudServer",
            dependencies: ["CloudStore", "WebServices", "SchemaLanguage", "Cryptography", "CHTTPServer"],
            swiftSettings: swift),
        .target(name: "Cryptography", dependencies: ["CCrypto"], swiftSettings: swift),

        // What both sides speak
        .target(name: "WebServices", dependencies: ["CJSON"], swiftSettings: swift),
        .target(name: "PredicateFormat", swiftSettings: swift),
        .target(name: "SchemaLanguage", swiftSettings: swift),

        // Storage
        .target(name: "CloudStore", dependencies: ["SQL", "PostgresSQL"], swiftSettings: swift),
        .target(name: "CloudStoreConformance", dependencies: ["CloudStore", "SQL"], swiftSettings: swift),
        .target(name: "PersistentStore", dependencies: ["SQL", "CSQLite"], swiftSettings: swift),
        .target(name: "PostgresSQL", dependencies: ["SQL", "CPostgres"], swiftSettings: swift),
        .target(name: "SQL", dependencies: ["CSQLite"], swiftSettings: swift),

        // C libraries
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "CTLS", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .target(name: "CHTTPServer", linkerSettings: [.linkedLibrary("microhttpd")]),
        .target(
            name: "CJSON", linkerSettings: [.linkedLibrary("simdjson")]),
        .target(name: "CCrypto", linkerSettings: [.linkedLibrary("crypto"), .linkedLibrary("sodium")]),
        .target(name: "CCommandLine"),

        // Measurements
        .executableTarget(
            name: "StoreBenchmark", dependencies: ["CloudStore", "SQL"], path: "Benchmarks/Store", swiftSettings: swift),
        .executableTarget(
            name: "SyncBenchmark", dependencies: ["CloudKit", "WebServices"], path: "Benchmarks/Sync",
            swiftSettings: swift),
        // Model classes as an app has them: in another module than SwiftData.
        .executableTarget(
            name: "ModelBenchmark", dependencies: ["SwiftData", "PersistentStore"], path: "Benchmarks/Models",
            swiftSettings: swift),

        // Tests
        .target(name: "Behaviours", path: "Tests/Support/Behaviours", swiftSettings: swift),
        .target(
            name: "ChildProcesses", dependencies: ["CChildProcesses"], path: "Tests/Support/ChildProcesses",
            swiftSettings: swift),
        .target(name: "CChildProcesses", path: "Tests/Support/CChildProcesses"),
        .testTarget(
            name: "SwiftDataMacrosTests", dependencies: ["Behaviours", "SwiftDataMacros"] + macroTestDependencies,
            swiftSettings: swift + macroSettings, linkerSettings: macroLinking),
        .testTarget(
            name: "SwiftDataPredicateTests",
            dependencies: ["Behaviours", "SwiftData", "PersistentStore", "ModelsElsewhere"],
            swiftSettings: swift),
        .target(
            name: "ModelsElsewhere", dependencies: ["SwiftData"], path: "Tests/Support/ModelsElsewhere",
            swiftSettings: swift),
        .testTarget(
            name: "SwiftDataTests",
            dependencies: ["Behaviours", "ChildProcesses", "SwiftData", "PersistentStore", "SQL", "SwiftDataProbe"],
            swiftSettings: swift),
        .executableTarget(
            name: "SwiftDataProbe", dependencies: ["SwiftData"], path: "Tests/Support/SwiftDataProbe",
            swiftSettings: swift),
        // Model classes as apps of an older language mode write them.
        .testTarget(
            name: "SwiftDataSwift5Tests", dependencies: ["Behaviours", "SwiftData"],
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .testTarget(name: "SQLTests", dependencies: ["SQL", "PostgresSQL", "ThrowawayPostgres"], swiftSettings: swift),
        .testTarget(
            name: "PersistentStoreTests",
            dependencies: ["ChildProcesses", "PersistentStore", "SQL", "CSQLite", "CCrashVFS", "PersistentStoreProbe"],
            swiftSettings: swift),
        .executableTarget(
            name: "PersistentStoreProbe", dependencies: ["PersistentStore", "SQL", "CCrashVFS"],
            path: "Tests/Support/PersistentStoreProbe", swiftSettings: swift),
        .testTarget(
            name: "CloudStoreTests",
            dependencies: [
                "ChildProcesses", "CloudStore", "CloudStoreConformance", "SQL", "PostgresSQL", "OldLayouts",
                "ThrowawayPostgres", "CCrashVFS", "StoreCrashProbe",
            ],
            swiftSettings: swift),
        .target(
            name: "OldLayouts", dependencies: ["SQL"], path: "Tests/Support/OldLayouts", swiftSettings: swift),
        .target(name: "CCrashVFS", dependencies: ["CSQLite"], path: "Tests/Support/CCrashVFS"),
        .executableTarget(
            name: "StoreCrashProbe", dependencies: ["CloudStore", "SQL", "CCrashVFS"],
            path: "Tests/Support/StoreCrashProbe",
            swiftSettings: swift),
        .target(
            name: "ThrowawayPostgres", dependencies: ["ChildProcesses"], path: "Tests/Support/ThrowawayPostgres",
            swiftSettings: swift),
        .testTarget(
            name: "stratusTests",
            dependencies: ["ChildProcesses", "stratus", "CloudStore", "SQL", "CTLS", "AssetDevice"],
            swiftSettings: swift),
        .executableTarget(
            name: "AssetDevice", dependencies: ["CloudKit"], path: "Tests/Support/AssetDevice", swiftSettings: swift),
        .testTarget(name: "WebServicesTests", dependencies: ["WebServices"], swiftSettings: swift),
        .testTarget(name: "PredicateFormatTests", dependencies: ["PredicateFormat"], swiftSettings: swift),
        .testTarget(name: "SchemaLanguageTests", dependencies: ["SchemaLanguage"], swiftSettings: swift),
        .testTarget(
            name: "CryptographyTests", dependencies: ["Cryptography", "WebServices"], swiftSettings: swift),
        .testTarget(
            name: "CloudServerTests",
            dependencies: [
                "Behaviours", "ChildProcesses", "CloudServer", "CloudStore", "Cryptography", "OldLayouts",
                "SchemaLanguage", "SQL",
                "WebServices",
            ],
            swiftSettings: swift
        ),
        .testTarget(name: "CloudKitTests", dependencies: ["CloudKit", "WebServices"], swiftSettings: swift),
        // An app as language mode 5 has it, for the tests with clients that others wrote.
        .executableTarget(
            name: "SyncedDevice", dependencies: ["CloudKit"], path: "Tests/Support/SyncedDevice",
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .testTarget(
            name: "ConformanceTests",
            dependencies: [
                "Behaviours", "ChildProcesses", "CloudKit", "CloudKitTesting", "CloudServer", "CoreLocation",
                "SchemaLanguage",
                "WebServices",
            ],
            exclude: ["Fidelity/Behaviours.tsv"], swiftSettings: swift
        ),
        .testTarget(
            name: "SimulationTests", dependencies: ["CloudKit", "CloudServer", "CloudStore", "SQL", "WebServices"],
            swiftSettings: swift),
    ],
    cxxLanguageStandard: .cxx17
)
