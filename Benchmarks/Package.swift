// swift-tools-version: 6.2
import PackageDescription

// The measured comparisons. A package of its own, so that nobody who depends on Stratus builds it, and so that it meets
// Stratus as every peer: as a program that answers over HTTP.

let package = Package(
    name: "Benchmarks",
    targets: [
        .executableTarget(
            name: "bench", dependencies: ["CRawSQLite", "CRawStore", "CDevices"],
            swiftSettings: [.swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny")]),
        // Many devices, and a server that only holds polls.
        .target(name: "CDevices"),
        // The floor: the same rows and index rows written by hand in C.
        .target(name: "CRawSQLite", linkerSettings: [.linkedLibrary("sqlite3"), .linkedLibrary("m")]),
        // The floor of SwiftData: the rows of a store file, likewise.
        .target(name: "CRawStore", linkerSettings: [.linkedLibrary("sqlite3")]),
    ]
)
