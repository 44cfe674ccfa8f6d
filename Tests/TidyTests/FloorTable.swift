/// Which module may import which: the floors, written down once more apart from the manifest.
enum FloorTable {
    /// The modules that those below the programs, and the commands that people run, may import: our own and the system's.
    ///
    /// A line that grows here is a decision about the architecture, not a repair of a test.
    static let imports: [String: Set<String>] = [
        "Core": [],
        "JSON": [],
        "Settings": [],
        "Storage": ["Core", "CSQLite", "CLinux", "Glibc"],
        "Session": ["Core"],
        "Replica": ["Core", "Storage", "Session"],
        "Relay": ["Core", "Storage", "Session"],
        "RelayPostgreSQL": ["Core", "Storage", "Relay", "CPQ", "CLinux", "Glibc"],
        "Crypto": ["Core", "COpenSSL", "Glibc"],
        "Transport": ["Core", "Crypto", "CLinux", "Glibc", "Synchronization"],
        "Devices": [
            "Core", "Storage", "Session", "Replica", "Crypto", "Transport", "CLinux", "Glibc",
            "Synchronization",
        ],
        "RelayServer": [
            "Core", "Storage", "Session", "Relay", "Crypto", "Transport", "Settings", "Glibc",
        ],
        // Glibc for the folder that is kept in step, whose files are opened without following links.
        "ToDo": ["Core", "JSON", "Settings", "Storage", "FoundationEssentials", "Glibc"],
        "HTTP": ["Core", "Transport", "CMicrohttpd", "Glibc"],
        // What is served over HTTP has no domain logic either: it calls Devices and ToDo, as the command does.
        "Page": ["JSON", "Devices", "ToDo", "HTTP"],
        // FoundationEssentials for base64, in which names and passwords come.
        "CalDAV": ["Devices", "ToDo", "HTTP", "CExpat", "FoundationEssentials"],
        "Tandem": [
            "Core", "Storage", "Session", "Crypto", "Transport", "Devices", "Synchronization",
        ],
        "Simulation": [
            "Core", "Storage", "Session", "Replica", "Relay", "ToDo", "CSQLite",
        ],
        "Terminal": ["Core", "Glibc", "JSON"],
        // The command has no domain logic: it parses, calls Devices, RelayServer or ToDo, and prints.
        "tandem": ["Devices", "RelayServer", "ToDo", "Terminal", "JSON", "Glibc"],
        // Transport for the loop that the servers of HTTP run in.
        "tandem-web": [
            "JSON", "Transport", "Devices", "ToDo", "HTTP", "Page", "CalDAV", "Glibc",
        ],
    ]

    /// Modules of the toolchain that programs and tests may import without declaring them.
    static let undeclared: Set<String> = [
        "Glibc", "FoundationEssentials", "Synchronization", "Testing", "PackageDescription",
    ]

    /// Folders in which no clock, chance, thread or output may be named.
    static let deterministicFolders = [
        "Sources/Core", "Sources/JSON", "Sources/Settings", "Sources/Storage", "Sources/Session",
        "Sources/Replica", "Sources/Relay", "Sources/Simulation",
    ]

    /// The module a file belongs to, by its folder; nil outside of the modules.
    static func module(of path: String) -> String? {
        let parts = path.split(separator: "/").map { String($0) }
        guard parts.count >= 3 else { return nil }
        switch parts[0] {
        case "Sources", "Tests", "Tools", "Examples": return parts[1]
        default: return nil
        }
    }
}
