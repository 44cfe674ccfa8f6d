/// Which module may import which: the floors, written down once more apart from the manifest.
enum FloorTable {
    /// What the modules below the programs may import, our own and the system's.
    ///
    /// A line that grows here is a decision about the architecture, not a repair of a test.
    static let imports: [String: Set<String>] = [
        "Causality": [],
        "Records": ["Causality"],
        "Merge": ["Causality", "Records"],
        "Wire": ["Causality", "Records"],
        "Storage": [
            "Causality", "Records", "Merge", "Wire", "CSQLite", "CLinux", "Glibc",
        ],
        "Session": ["Causality", "Records", "Wire"],
        "Replication": ["Causality", "Records", "Wire", "Storage", "Session"],
        "Sealing": ["Causality", "Records", "Wire", "COpenSSL"],
        "Security": ["CLinux", "COpenSSL", "Glibc"],
        "Transport": ["Security", "CLinux", "Glibc", "Synchronization"],
        "Relay": ["Causality", "Records", "Wire", "Storage", "Session"],
        "Runtime": [
            "Causality", "Records", "Wire", "Storage", "Session", "Replication", "Relay", "Sealing",
            "Security", "Transport", "CLinux", "Glibc", "Synchronization",
        ],
        "Pairing": [
            "Causality", "Records", "Merge", "Wire", "Storage", "Session", "Sealing",
            "Security", "Transport", "Runtime", "Replication", "Glibc",
        ],
        "Tandem": [
            "Causality", "Records", "Merge", "Wire", "Storage", "Session", "Sealing", "Security",
            "Transport", "Runtime", "Pairing", "Synchronization",
        ],
        "ToDo": ["Causality", "Records", "Merge", "Wire", "Storage", "FoundationEssentials"],
        "Simulation": [
            "Causality", "Records", "Merge", "Wire", "Storage", "Session", "Replication", "Relay",
            "ToDo", "CSQLite",
        ],
    ]

    /// Modules of the toolchain that programs and tests may import without declaring them.
    static let undeclared: Set<String> = [
        "Glibc", "FoundationEssentials", "Synchronization", "Testing", "PackageDescription",
    ]

    /// Folders in which no clock, chance, thread or output may be named.
    static let deterministicFolders = ["Sources/Core", "Sources/Engine", "Sources/Simulation"]

    /// The module a file belongs to, by its folder; nil outside of the modules.
    static func module(of path: String) -> String? {
        let parts = path.split(separator: "/").map { String($0) }
        guard parts.count >= 3 else { return nil }
        switch parts[0] {
        case "Sources":
            return ["Core", "Engine", "Shell"].contains(parts[1]) && parts.count > 3
                ? parts[2] : parts[1]
        case "Tests", "Tools": return parts[1]
        case "Examples": return parts[1]
        default: return nil
        }
    }
}
