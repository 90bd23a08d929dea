// swift-tools-version: 6.2
import PackageDescription

// The rows of `./bench store` in GRDB, built against a checkout of it: `./bench store --grdb PATH` sets GRDB_CHECKOUT.

let package = Package(
    name: "GRDBBenchmark",
    dependencies: [.package(name: "GRDB", path: Context.environment["GRDB_CHECKOUT"] ?? "../.build/GRDB")],
    targets: [
        .executableTarget(
            name: "GRDBBenchmark", dependencies: [.product(name: "GRDB", package: "GRDB"), "CSnapshots"],
            swiftSettings: [.swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny")]),
        .target(name: "CSnapshots"),
    ]
)
