// swift-tools-version: 6.2
import PackageDescription

/// One set of rules for every target: Swift 6, strict concurrency, no warnings.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

/// A library target; its folder is `Sources/<name>`.
func module(
    _ name: String, on dependencies: [Target.Dependency] = [],
    linking libraries: [LinkerSetting] = []
) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Sources/\(name)",
        swiftSettings: settings, linkerSettings: libraries)
}

/// A module that is there only with the trait `Encryption`.
func encryption(_ module: String) -> Target.Dependency {
    .target(name: module, condition: .when(traits: ["Encryption"]))
}

/// A module that is there only with the trait `Web`.
func web(_ module: String) -> Target.Dependency {
    .target(name: module, condition: .when(traits: ["Web"]))
}

/// A module that is there only with the trait `PostgreSQL`.
func postgreSQL(_ module: String) -> Target.Dependency {
    .target(name: module, condition: .when(traits: ["PostgreSQL"]))
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

/// Traits besides the default ones, for every command of a run: `--traits` has to be said to each of them.
let furtherTraits = Set(
    (Context.environment["TANDEM_TRAITS"] ?? "").split(separator: ",").map { String($0) })

let package = Package(
    name: "tandem",
    products: [
        .library(name: "Tandem", targets: ["Tandem"]),
        .executable(name: "tandem", targets: ["tandem"]),
        .executable(name: "tandem-web", targets: ["tandem-web"]),
        .executable(name: "tandem-relay", targets: ["tandem-relay"]),
        .executable(name: "simulate", targets: ["simulate"]),
    ],
    traits: [
        .trait(
            name: "Encryption",
            description: "TLS 1.3 and sealed records through OpenSSL 3 (needs libssl-dev)"),
        .trait(
            name: "Web",
            description: "HTTP and CalDAV (needs libmicrohttpd-dev and libexpat1-dev)"),
        .trait(
            name: "PostgreSQL",
            description: "relays that share a PostgreSQL database (needs libpq-dev)"),
        .default(enabledTraits: furtherTraits.union(["Encryption", "Web"])),
    ],
    targets: [
        // System libraries.
        .systemLibrary(
            name: "CSQLite", path: "Sources/CSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CLinux", path: "Sources/CLinux"),
        // The headers of libssl-dev; the libraries are loaded when they are called.
        .target(name: "COpenSSL", path: "Sources/COpenSSL"),

        .systemLibrary(
            name: "CMicrohttpd", path: "Sources/CMicrohttpd", pkgConfig: "libmicrohttpd",
            providers: [.apt(["libmicrohttpd-dev"])]),
        .systemLibrary(
            name: "CExpat", path: "Sources/CExpat", pkgConfig: "expat",
            providers: [.apt(["libexpat1-dev"])]),
        .systemLibrary(
            name: "CPQ", path: "Sources/CPQ", pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"])]),

        // Values and rules. No Foundation, clock, chance, input or output, threads.
        // The standard library's rounding calls libm, which nothing links where Glibc is not imported.
        module("Core", linking: [.linkedLibrary("m")]),

        // A reader and a writer of JSON, for every module and program.
        module("JSON"),

        // A reader and a writer of files of settings.
        module("Settings"),

        // Deterministic machines and the disk.
        module("Storage", on: ["Core", "CSQLite", "CLinux"]),
        module("Session", on: ["Core"]),
        module("Replica", on: ["Core", "Storage", "Session"]),
        module("Relay", on: ["Core", "Storage", "Session"]),

        // The store of relays that share a PostgreSQL database.
        module(
            "RelayPostgreSQL", on: ["Core", "Storage", "Relay", "CLinux", postgreSQL("CPQ")]),

        // The world: OpenSSL, sockets, timers, the clock, chance.
        module("Crypto", on: ["Core", encryption("COpenSSL")]),
        module("Transport", on: ["Core", "Crypto", "CLinux"]),

        // The two things that run: what a device can do, and a relay.
        module(
            "Devices",
            on: [
                "Core", "Storage", "Session", "Replica", "Crypto", "Transport", "CLinux",
            ]),
        module(
            "RelayServer",
            on: ["Core", "Storage", "Session", "Relay", "Crypto", "Transport", "Settings"]),

        // The to-do domain on the store.
        module("ToDo", on: ["Core", "JSON", "Settings", "Storage"]),

        // The servers of HTTP: its floor and the local page.
        module("HTTP", on: ["Core", "Transport", web("CMicrohttpd")]),
        module(
            "Page",
            on: ["JSON", "Devices", "ToDo", "HTTP"]),

        // The gateway for calendars: CalDAV on HTTP.
        module(
            "CalDAV",
            on: ["Devices", "ToDo", "HTTP", web("CExpat")]),

        // The one public module, for apps.
        module(
            "Tandem",
            on: ["Core", "Storage", "Session", "Crypto", "Transport", "Devices"]),

        // The engine in a simulated world: no socket, no clock, no chance.
        module(
            "Simulation",
            on: ["Core", "Storage", "Session", "Replica", "Relay", "ToDo", "CSQLite"]),

        // Shared by the programs: the command line, the screen and manual pages.
        module("Terminal", on: ["Core", "JSON"]),

        // An app that embeds the engine, as anybody would write it.
        .target(
            name: "PhotoLibrary", dependencies: ["Tandem"], path: "Examples/PhotoLibrary",
            swiftSettings: settings),
        .executableTarget(
            name: "Photos", dependencies: ["Tandem", "PhotoLibrary"], path: "Examples/Photos",
            swiftSettings: settings),

        // Everything with a main.
        tool("tandem", on: ["JSON", "Devices", "RelayServer", "ToDo", "Terminal"]),
        tool(
            "tandem-web",
            on: [
                "JSON", "Transport", "Devices", "ToDo", "HTTP", "Page", "CalDAV",
            ]),
        tool(
            "tandem-relay",
            on: ["JSON", "Relay", "RelayPostgreSQL", "Devices", "RelayServer"]),
        tool(
            "bench",
            on: [
                "Core", "Storage", "Session", "Replica", "Relay", "Crypto", "Transport", "Devices",
                "RelayServer", "RelayPostgreSQL", "ToDo", "JSON", "Terminal", "CSQLite", "CLinux",
                postgreSQL("CPQ"),
            ]),
        tool(
            "crowd", on: ["Core", "JSON", "Storage", "Session", "Crypto", "Transport", "Devices"]),
        .executableTarget(
            name: "simulate",
            dependencies: ["Core", "JSON", "Storage", "ToDo", "Simulation", "Terminal"],
            path: "Tools/simulate", exclude: ["README.md", "Scenarios", "pairs.py", "seeds.txt"],
            swiftSettings: settings),
        .target(
            name: "VectorFiles", dependencies: ["Core", "JSON"], path: "Tools/VectorFiles",
            swiftSettings: settings),
        tool("vectors", on: ["VectorFiles", "Terminal"]),

        // Tests.
        .target(
            name: "TestSupport", dependencies: ["Core", "Storage", "Session"],
            path: "Tests/TestSupport", swiftSettings: settings),
        tests(of: "JSON", on: ["JSON"]),
        tests(of: "Core", on: ["Core", "VectorFiles", "TestSupport"]),
        tests(of: "Storage", on: ["Core", "Storage", "CSQLite", "TestSupport"]),
        tests(of: "Session", on: ["Core", "Session", "TestSupport"]),
        tests(
            of: "Replica",
            on: ["Core", "JSON", "Storage", "Session", "Replica", "VectorFiles", "TestSupport"]),
        // The conformance suite of relay stores, for the tests of each.
        .target(
            name: "RelayTestSupport", dependencies: ["Core", "Storage", "Session", "Relay"],
            path: "Tests/RelayTestSupport", swiftSettings: settings),
        tests(
            of: "Relay",
            on: ["Core", "Storage", "Session", "Relay", "TestSupport", "RelayTestSupport"]),
        tests(
            of: "RelayPostgreSQL",
            on: [
                "Core", "Storage", "Session", "Relay", "RelayPostgreSQL", "RelayTestSupport",
                "CLinux", "tandem-relay",
            ]),
        tests(
            of: "Crypto", on: ["Core", "JSON", "Crypto", "CLinux", "VectorFiles", "TestSupport"]),
        tests(
            of: "Transport",
            on: ["Core", "Session", "Crypto", "Transport", "Devices", "CLinux", "TestSupport"]),
        .target(
            name: "DeviceTestSupport", dependencies: ["Core", "Storage", "Transport", "Devices"],
            path: "Tests/DeviceTestSupport", swiftSettings: settings),
        tests(
            of: "Devices",
            on: [
                "Core", "JSON", "Storage", "Session", "Replica", "Crypto", "Transport", "Devices",
                "VectorFiles", "TestSupport", "DeviceTestSupport", "CLinux",
            ]),
        tests(
            of: "RelayServer",
            on: [
                "Core", "Storage", "Session", "Relay", "Crypto", "Transport", "Devices",
                "RelayServer", "DeviceTestSupport",
            ]),
        .target(
            name: "ToDoTestSupport", dependencies: ["Core", "Storage", "ToDo", "TestSupport"],
            path: "Tests/ToDoTestSupport", swiftSettings: settings),
        tests(
            of: "ToDo",
            on: [
                "Core", "JSON", "Settings", "Storage", "ToDo", "VectorFiles", "TestSupport",
                "ToDoTestSupport",
            ]),
        tests(
            of: "Command",
            on: ["Core", "Storage", "Terminal", "ToDo", "ToDoTestSupport", "tandem"]),
        tests(of: "HTTP", on: ["Core", "Transport", "HTTP", "TestSupport"]),
        tests(
            of: "Page",
            on: [
                "Core", "JSON", "Storage", "Crypto", "Transport", "Devices", "ToDo", "HTTP", "Page",
                "TestSupport", "ToDoTestSupport", "DeviceTestSupport",
            ]),
        tests(
            of: "CalDAV",
            on: [
                "Core", "Storage", "Transport", "Devices", "ToDo", "HTTP", "CalDAV", "TestSupport",
                "ToDoTestSupport", "DeviceTestSupport",
            ]),
        tests(of: "Tandem", on: ["Tandem", "PhotoLibrary"]),
        tests(
            of: "Simulation",
            on: [
                "Core", "Storage", "Session", "Replica", "Relay", "ToDo", "Simulation", "CSQLite",
                "TestSupport", "RelayTestSupport",
            ]),
        tests(of: "Terminal", on: ["Core", "JSON", "Terminal"]),
        tests(of: "Vector", on: ["JSON", "VectorFiles", "TestSupport"]),
        tests(of: "Tidy", on: []),

        // A function for each door through which foreign bytes come. `./Tools/fuzz` feeds them, and on every
        // test run FuzzTests the inputs that it kept in Tests/Fuzz.
        .target(
            name: "FuzzTargets",
            dependencies: [
                "Core", "JSON", "Storage", "Session", "Replica", "Relay", "Crypto", "Transport",
                "Devices", "RelayServer", "Settings", "ToDo", "Simulation", "HTTP", "CalDAV",
                "TestSupport",
            ], path: "Tests/FuzzTargets", swiftSettings: settings),
        tests(of: "Fuzz", on: ["FuzzTargets"]),

        // The walks of ARCHITECTURE.md, measured: each is run here, and its files are counted.
        .systemLibrary(name: "CCoverage", path: "Tests/CCoverage"),
        tests(
            of: "Walk",
            on: [
                "Core", "Storage", "Relay", "Crypto", "Transport", "Devices", "RelayServer", "ToDo",
                "Terminal", "DeviceTestSupport", "CCoverage", "tandem", "simulate",
            ]),
    ]
)

// The program that `./Tools/fuzz` builds; no other build has it, but that with coverage of `./Tools/walks`.
if let fuzzing = Context.environment["TANDEM_FUZZ"] {
    let isForLibFuzzer = fuzzing == "libfuzzer"
    package.targets.append(
        .executableTarget(
            name: "FuzzProgram", dependencies: ["FuzzTargets"], path: "Tests/FuzzProgram",
            swiftSettings: settings + (isForLibFuzzer ? [.define("FUZZING")] : []),
            linkerSettings: isForLibFuzzer ? [.unsafeFlags(["-sanitize=fuzzer"])] : []))
    // libFuzzer hears of the engine alone: what made-up peers and stores do would only hide that. Where few inputs lead
    // to or libcrypto takes the time, the optimizer costs more than it saves.
    let plain: Set = ["Transport", "Devices", "RelayServer", "Simulation"]
    for target in package.targets
    where isForLibFuzzer && target.type == .regular && target.path?.hasPrefix("Sources/") == true {
        let flags = ["-sanitize=fuzzer"] + (plain.contains(target.name) ? ["-Onone"] : [])
        target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(flags)]
    }
}

// The shortest edit-test loop: `TANDEM_ONLY=Storage swift test` builds that module, its tests and
// what they stand on, and nothing else. Give it a --scratch-path of its own: it is another package.
if let only = Context.environment["TANDEM_ONLY"] {
    var kept = Set(only.split(separator: ",").flatMap { [String($0), $0 + "Tests"] })
    var before = 0
    while kept.count > before {
        before = kept.count
        for target in package.targets where kept.contains(target.name) {
            for dependency in target.dependencies {
                switch dependency {
                case .targetItem(let name, _), .byNameItem(let name, _): kept.insert(name)
                default: break
                }
            }
        }
    }
    package.targets.removeAll { !kept.contains($0.name) }
    package.products = []
}
