/// The rule for what a device can do: the tests by which the command and the library are compared have a case for each
/// method, or it stands here with the reason why it needs none.
enum CapabilityRules {
    /// The file whose scenarios are played by the command and by the library.
    static let scenarios = "Tests/TandemTests/CapabilityTests.swift"
    /// The file with the calls that a scenario may make.
    static let calls = "Tests/TandemTests/DrivenDevices.swift"

    /// `Device`, and the parts of it by which the command and the library do something.
    static let types: Set<String> = [
        "Device", "DeviceAccess", "DeviceCopies", "DeviceFolder", "DeviceJoining", "DevicePairing",
        "DeviceRepair", "DeviceSync", "DeleteHold",
    ]

    /// A method that other modules may call.
    struct Method: Equatable {
        let type: String
        let name: String
        /// The index of its line.
        let line: Int

        /// The type and the name, as the tables name it.
        var path: String { type + "." + name }
    }

    /// The methods of the types in a file that other modules may call.
    static func methods(in file: SourceFile) -> [Method] {
        var found: [Method] = []
        var depth = 0
        var type: String?
        var isOpen = false
        for (index, line) in file.swift.code.enumerated() {
            let words = line.names
            if depth == 0, let keyword = words.firstIndex(where: { typeKeywords.contains($0) }),
                keyword + 1 < words.count
            {
                type = words[keyword + 1]
                isOpen =
                    words[keyword] == "extension"
                    && !accessWords.isDisjoint(with: words[..<keyword])
            }
            if depth == 1, let type, types.contains(type),
                let keyword = words.firstIndex(of: "func"), keyword + 1 < words.count,
                isOpen || !accessWords.isDisjoint(with: words[..<keyword])
            {
                found.append(Method(type: type, name: words[keyword + 1], line: index))
            }
            for character in line {
                if character == "{" { depth += 1 }
                if character == "}" { depth -= 1 }
            }
        }
        return found
    }

    private static let typeKeywords: Set<String> = [
        "class", "struct", "enum", "actor", "extension",
    ]
    private static let accessWords: Set<String> = ["package", "public", "open"]

    /// Methods that are neither a case of the tests nor have a reason.
    static func missingFindings(in file: SourceFile) -> [Finding] {
        methods(in: file).filter { CapabilityTable.cases[$0.path] == nil }
            .filter { CapabilityTable.reasons[$0.path] == nil }.map { method in
                file.finding(
                    method.line,
                    "'\(method.path)' is no case of \(scenarios): add one, or say in CapabilityTable why not"
                )
            }
    }

    /// Lines of the tables that are wrong: of no method, of one that both have, without a call in a scenario, or for what
    /// one of the two programs does not call.
    ///
    /// - Parameters:
    ///   - methods: those of all files.
    ///   - callers: the files of the command and those of the library.
    static func tableFindings(
        _ methods: [Method], scenarios: SourceFile, calls: SourceFile,
        callers: (command: [SourceFile], library: [SourceFile])
    ) -> [Finding] {
        let paths = Set(methods.map(\.path))
        let called = Set(self.calls(in: [scenarios]))
        let declared = Set(
            calls.swift.code.map(\.names).compactMap { words in
                words.firstIndex(of: "func").flatMap { words.dropFirst($0 + 1).first }
            })
        let byCommand = Set(self.calls(in: callers.command))
        let byLibrary = Set(self.calls(in: callers.library))
        var rules: [String] = []
        for (path, names) in CapabilityTable.cases {
            if !paths.contains(path) { rules.append("'\(path)' has a case and is no method") }
            if CapabilityTable.reasons[path] != nil {
                rules.append("'\(path)' has a case and a reason not to have one")
            }
            for name in names where !declared.contains(name) || !called.contains(name) {
                rules.append("'\(path)' is said to be tested by '\(name)', which no scenario calls")
            }
            let method = path.names[1]
            if !byCommand.contains(method) || !byLibrary.contains(method) {
                rules.append("'\(path)' is not called by both: there is nothing to compare")
            }
        }
        for path in CapabilityTable.reasons.keys where !paths.contains(path) {
            rules.append("'\(path)' has a reason to have no case and is no method")
        }
        return rules.map { Finding(path: Self.scenarios, line: 0, rule: $0) }
    }

    /// The names that are called as members of something.
    private static func calls(in files: [SourceFile]) -> [String] {
        files.flatMap { file in
            file.swift.code.flatMap { line in
                line.split(separator: ".", omittingEmptySubsequences: false).dropFirst().map {
                    String($0.prefix { $0.isNamePart })
                }
            }
        }
    }
}
