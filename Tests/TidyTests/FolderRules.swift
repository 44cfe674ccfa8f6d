/// The direction inside a module: which folder of it may name the types of which other.
enum FolderRules {
    /// The folders of Core from the lowest rank up; folders of one rank do not know each other.
    static let coreRanks = [
        ["Causality"], ["CBOR"], ["Records"], ["Merge"], ["Messages"], ["Exchange"],
    ]

    private static let core = "Sources/Core/"

    /// Places where a file of Core names a top-level type of a folder that is not below its own.
    ///
    /// - Parameter files: all of Core; files elsewhere are passed over.
    static func coreFindings(in files: [SourceFile]) -> [Finding] {
        var findings: [Finding] = []
        var homes: [String: String] = [:]
        for file in files {
            guard let folder = folder(of: file) else { continue }
            guard rank(of: folder) != nil else {
                let rule = "the folder \(folder) of Core has no rank in FolderRules"
                findings.append(Finding(path: file.path, line: 0, rule: rule))
                continue
            }
            for type in DeclarationRules.topLevelTypes(in: file) { homes[type.name] = folder }
        }
        for file in files {
            guard let folder = folder(of: file), let own = rank(of: folder) else { continue }
            for (index, line) in file.swift.code.enumerated() {
                for name in Set(line.names) {
                    guard let home = homes[name], home != folder, let other = rank(of: home),
                        other >= own
                    else { continue }
                    let rule = "\(folder) names '\(name)', a type of the folder \(home)"
                    findings.append(file.finding(index, rule))
                }
            }
        }
        return findings
    }

    private static func rank(of folder: String) -> Int? {
        coreRanks.firstIndex { $0.contains(folder) }
    }

    /// The folder of Core in which a file lies; nil outside of Core.
    private static func folder(of file: SourceFile) -> String? {
        guard file.path.hasPrefix(core) else { return nil }
        let parts = file.path.dropFirst(core.count).split(separator: "/")
        return parts.count > 1 ? String(parts[0]) : ""
    }
}
