/// The rules of which module may import which.
enum ImportRules {
    /// One `import` line.
    struct Import: Equatable {
        let line: Int
        let module: String
        let attributes: [String]
    }

    /// Every import of a file; `import struct A.B` names module `A`.
    static func imports(in file: SourceFile) -> [Import] {
        file.swift.code.enumerated().compactMap { index, line in
            let words = line.trimmed.split(separator: " ").map { String($0) }
            guard let keyword = words.firstIndex(of: "import"),
                words[..<keyword].allSatisfy({ $0.hasPrefix("@") || accessWords.contains($0) })
            else { return nil }
            let kinds: Set = [
                "struct", "class", "enum", "protocol", "typealias", "func", "let", "var",
            ]
            let named = words[(keyword + 1)...].first { !kinds.contains($0) } ?? ""
            let module = named.split(separator: ".").first.map { String($0) } ?? ""
            return Import(line: index, module: module, attributes: Array(words[..<keyword]))
        }
    }

    /// Imports of a module below the programs that the floor table does not allow.
    static func floorFindings(in file: SourceFile) -> [Finding] {
        guard let module = FloorTable.module(of: file.path),
            let allowed = FloorTable.imports[module]
        else { return [] }
        return imports(in: file).compactMap { item in
            let isUnicodeDoor =
                file.path.hasPrefix("Sources/Core/Records/") && item.module == "Swift"
                && item.attributes == ["@_spi(_Unicode)"]
            guard !allowed.contains(item.module), !isUnicodeDoor else { return nil }
            return file.finding(
                item.line, "\(module) stands on a floor that may not import \(item.module)")
        }
    }

    /// Imports that the manifest does not declare for the file's target.
    static func manifestFindings(in file: SourceFile, manifest: Manifest) -> [Finding] {
        guard let module = FloorTable.module(of: file.path) else { return [] }
        guard let declared = manifest.dependencies[module] else {
            return [
                Finding(path: file.path, line: 0, rule: "Package.swift has no target \(module)")
            ]
        }
        return imports(in: file).compactMap { item in
            guard item.module != "Swift", !declared.contains(item.module),
                !FloorTable.undeclared.contains(item.module)
            else { return nil }
            return file.finding(
                item.line, "Package.swift does not let \(module) depend on \(item.module)")
        }
    }

    /// Differences between the manifest and the floor table.
    static func manifestFindings(_ manifest: Manifest) -> [Finding] {
        var findings: [Finding] = []
        for (module, allowed) in FloorTable.imports {
            guard let declared = manifest.dependencies[module] else {
                let rule = "no target \(module), which the floor table names"
                findings.append(Finding(path: Manifest.path, line: 0, rule: rule))
                continue
            }
            for dependency in declared.subtracting(allowed) {
                let rule = "\(module) depends on \(dependency), which its floor may not import"
                findings.append(Finding(path: Manifest.path, line: 0, rule: rule))
            }
        }
        return findings.sorted()
    }

    private static let accessWords: Set<String> = [
        "public", "package", "internal", "fileprivate", "private",
    ]
}
