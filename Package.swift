// swift-tools-version: 6.2
import PackageDescription

/// One set of rules for every target: Swift 6, strict concurrency, no warnings.
///
/// Faults can be planted in debug builds only.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
    .define("PLANTED_FAULTS", .when(configuration: .debug)),
]

/// A library target of one floor; its folder is `Sources/<floor>/<name>`.
func floor(
    _ floor: String, _ name: String, on dependencies: [Target.Dependency] = [],
    linking libraries: [LinkerSetting] = []
) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Sources/\(floor)/\(name)",
        swiftSettings: settings, linkerSettings: libraries)
}

/// A module that is there only with the trait `Encryption`.
func encryption(_ module: String) -> Target.Dependency {
    .target(name: module, condition: .when(traits: ["Encryption"]))
}

/// A program; its folder is `Tools/<name>`.
func tool(_ name: String, on dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: "Tools/\(name)", swiftSettings: settings)
}

/// The tests of one module.
func tests(of name: String, on dependencies: [Target.Dependency]) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: dependencies, path: "Tests/\(name)Tests",
        swiftSettings: settings)
}

let package = Package(
    name: "tandem",
    products: [
        .library(name: "Tandem", targets: ["Tandem"]),
        .executable(name: "tandem", targets: ["tandem"]),
        .executable(name: "simulate", targets: ["simulate"]),
    ],
    traits: [
        .trait(
            name: "Encryption",
            description: "TLS 1.3 and sealed records through OpenSSL 3 (needs libssl-dev)"),
        .default(enabledTraits: ["Encryption"]),
    ],
    targets: [
        // System libraries.
        .systemLibrary(
            name: "CSQLite", path: "Sources/CSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CLinux", path: "Sources/CLinux"),
        .systemLibrary(
            name: "COpenSSL", path: "Sources/COpenSSL", pkgConfig: "libssl",
            providers: [.apt(["libssl-dev"])]),

        // Floor 0, Core: values and rules. No Foundation, clock, chance, input or output, threads.
        floor("Core", "Causality"),
        // The standard library's rounding calls libm, which nothing links where Glibc is not imported.
        floor("Core", "Records", on: ["Causality"], linking: [.linkedLibrary("m")]),
        floor("Core", "Merge", on: ["Causality", "Records"]),
        floor("Core", "Wire", on: ["Causality", "Records"]),

        // Floor 1, Engine: deterministic machines and the disk.
        floor(
            "Engine", "Storage", on: ["Causality", "Records", "Merge", "Wire", "CSQLite", "CLinux"]),
        floor("Engine", "Session", on: ["Causality", "Records", "Wire"]),
        floor(
            "Engine", "Replication", on: ["Causality", "Records", "Wire", "Storage", "Session"]),
        floor(
            "Engine", "Relay", on: ["Causality", "Records", "Wire", "Storage", "Session"]),

        floor(
            "Engine", "Sealing", on: ["Causality", "Records", "Wire", encryption("COpenSSL")]),

        // Floor 2, Shell: the only floor that touches the world.
        floor("Shell", "Security", on: ["CLinux", encryption("COpenSSL")]),
        floor("Shell", "Transport", on: ["Security", "CLinux"]),
        floor(
            "Shell", "Runtime",
            on: [
                "Causality", "Records", "Wire", "Storage", "Session", "Replication", "Relay",
                "Sealing", "Security", "Transport", "CLinux",
            ]),

        floor(
            "Shell", "Pairing",
            on: [
                "Causality", "Records", "Merge", "Wire", "Storage", "Session", "Replication",
                "Sealing", "Security", "Transport", "Runtime",
            ]),

        // The to-do domain on the store.
        .target(
            name: "ToDo", dependencies: ["Causality", "Records", "Merge", "Wire", "Storage"],
            path: "Sources/ToDo", swiftSettings: settings),

        // What apps embed: the one public module.
        .target(
            name: "Tandem",
            dependencies: [
                "Causality", "Records", "Merge", "Wire", "Storage", "Session", "Sealing",
                "Security", "Transport", "Runtime", "Pairing",
            ], path: "Sources/Tandem", swiftSettings: settings),

        // The engine in a made-up world: never the Shell.
        .target(
            name: "Simulation",
            dependencies: [
                "Causality", "Records", "Merge", "Wire", "Storage", "Session", "Replication",
                "Relay", "ToDo", "CSQLite",
            ], path: "Sources/Simulation", swiftSettings: settings),

        // An app that embeds the engine, as anybody would write it.
        .target(
            name: "PhotoLibrary", dependencies: ["Tandem"], path: "Examples/PhotoLibrary",
            swiftSettings: settings),
        .executableTarget(
            name: "Photos", dependencies: ["Tandem", "PhotoLibrary"], path: "Examples/Photos",
            swiftSettings: settings),

        // Everything with a main.
        tool(
            "tandem",
            on: [
                "Causality", "Records", "Merge", "Wire", "Storage", "Session", "Replication",
                "Relay",
                "Sealing", "Security", "Transport", "Runtime", "Pairing", "ToDo", "ManualPages",
                "ScreenText",
            ]),
        .target(name: "ScreenText", path: "Tools/ScreenText", swiftSettings: settings),
        .target(
            name: "ManualPages", path: "Tools/ManualPages", swiftSettings: settings),
        tool(
            "bench",
            on: [
                "Causality", "Records", "Merge", "Wire", "Storage", "Session", "Replication",
                "Relay",
                "Sealing", "Security", "Transport", "Runtime", "ToDo", "CSQLite", "CLinux",
            ]),
        .executableTarget(
            name: "simulate",
            dependencies: [
                "Causality", "Records", "Storage", "ToDo", "Simulation", "ManualPages",
            ],
            path: "Tools/simulate", exclude: ["README.md", "Scenarios", "pairs.py", "seeds.txt"],
            swiftSettings: settings),
        .target(
            name: "VectorFiles", dependencies: ["Causality", "Records", "Merge", "Wire"],
            path: "Tools/VectorFiles", swiftSettings: settings),
        tool("vectors", on: ["VectorFiles"]),

        // Tests.
        .target(
            name: "TestSupport",
            dependencies: ["Causality", "Records", "Merge", "Wire", "Storage", "Session"],
            path: "Tests/TestSupport", swiftSettings: settings),
        tests(of: "Causality", on: ["Causality", "TestSupport"]),
        tests(of: "Records", on: ["Causality", "Records", "TestSupport"]),
        tests(of: "Merge", on: ["Causality", "Records", "Merge", "Wire", "TestSupport"]),
        tests(of: "Wire", on: ["Causality", "Records", "Wire", "VectorFiles", "TestSupport"]),
        tests(
            of: "Storage",
            on: ["Causality", "Records", "Merge", "Wire", "Storage", "CSQLite", "TestSupport"]),
        tests(
            of: "Session",
            on: ["Causality", "Records", "Merge", "Wire", "Session", "TestSupport"]),
        tests(
            of: "Replication",
            on: [
                "Causality", "Records", "Merge", "Wire", "Storage", "Session", "Replication",
                "TestSupport",
            ]),
        tests(of: "Security", on: ["Security", "CLinux"]),
        tests(
            of: "Transport", on: ["Security", "Transport", "Runtime", "CLinux", "TestSupport"]),
        tests(
            of: "Relay",
            on: [
                "Causality", "Records", "Wire", "Storage", "Session", "Relay", "TestSupport",
            ]),
        tests(
            of: "ToDo",
            on: ["Causality", "Records", "Merge", "Wire", "Storage", "ToDo", "TestSupport"]),
        tests(
            of: "Runtime",
            on: [
                "Causality", "Records", "Wire", "Storage", "Session", "Relay", "Sealing", "Runtime",
                "Security", "Transport",
            ]),
        tests(of: "Tandem", on: ["Tandem", "PhotoLibrary"]),
        tests(of: "Vector", on: ["VectorFiles"]),
        tests(
            of: "Simulation",
            on: [
                "Causality", "Records", "Merge", "Wire", "Storage", "Session", "Replication",
                "Relay", "ToDo", "Simulation", "CSQLite", "TestSupport",
            ]),
        tests(of: "Sealing", on: ["Causality", "Records", "Sealing"]),
        tests(
            of: "Pairing",
            on: [
                "Causality", "Records", "Wire", "Storage", "Sealing", "Security", "Transport",
                "Runtime", "Pairing",
            ]),
        tests(of: "ManualPages", on: ["ManualPages"]),
        tests(of: "ScreenText", on: ["ScreenText"]),
        tests(of: "Tidy", on: []),
    ]
)
