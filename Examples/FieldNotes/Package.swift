// swift-tools-version: 6.2
import PackageDescription

// FieldNotes: a small note app whose notes follow their owner to every device through CloudKit.
//
// On Apple's platforms `import CloudKit` is Apple's framework; on Linux it is Stratus. Nothing below Sources/ knows the
// difference.

let package = Package(
    name: "FieldNotes",
    platforms: [.macOS(.v14), .iOS(.v17)],
    products: [
        .library(name: "FieldNotesModel", targets: ["FieldNotesModel"]),
        .library(name: "FieldNotesStore", targets: ["FieldNotesStore"]),
        .library(name: "FieldNotesCloud", targets: ["FieldNotesCloud"]),
        .executable(name: "fieldnotes", targets: ["fieldnotes"]),
    ],
    dependencies: [
        .package(name: "Stratus", path: "../..")
    ],
    targets: [
        .target(name: "FieldNotesModel"),
        .target(
            name: "FieldNotesStore",
            dependencies: [
                "FieldNotesModel",
                .product(name: "SwiftData", package: "Stratus", condition: .when(platforms: [.linux])),
            ]),
        .target(
            name: "FieldNotesCloud",
            dependencies: [
                "FieldNotesModel", "FieldNotesStore",
                .product(name: "CloudKit", package: "Stratus", condition: .when(platforms: [.linux])),
                .product(name: "SwiftData", package: "Stratus", condition: .when(platforms: [.linux])),
            ]),
        .executableTarget(
            name: "fieldnotes",
            dependencies: [
                "FieldNotesModel", "FieldNotesCloud",
                .product(name: "CloudKit", package: "Stratus", condition: .when(platforms: [.linux])),
            ]),
        .testTarget(name: "FieldNotesModelTests", dependencies: ["FieldNotesModel"]),
        .testTarget(
            name: "FieldNotesStoreTests",
            dependencies: [
                "FieldNotesStore", "FieldNotesModel",
                .product(name: "SwiftData", package: "Stratus", condition: .when(platforms: [.linux])),
            ]),
        // A cloud and its devices inside the test's process.
        .testTarget(
            name: "FieldNotesCloudTests",
            dependencies: [
                "FieldNotesCloud", "FieldNotesModel",
                .product(name: "CloudKit", package: "Stratus", condition: .when(platforms: [.linux])),
                .product(name: "CloudKitTesting", package: "Stratus", condition: .when(platforms: [.linux])),
            ]),
    ]
)
