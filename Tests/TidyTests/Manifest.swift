/// The declarations of `Package.swift`, read as text: asking SwiftPM would wait for the lock that
/// the running tests hold.
struct Manifest {
    static let path = "Package.swift"

    /// For each target the modules that it may import.
    private(set) var dependencies: [String: Set<String>] = [:]

    init(text: String) {
        let characters = Array(SwiftText(text).uncommented.joined(separator: "\n"))
        for call in Self.calls {
            for start in Self.occurrences(of: call.opening, in: characters) {
                let body = Self.balanced(characters, from: start + call.opening.count)
                declare(call, body)
            }
        }
    }

    /// One way in which the manifest declares a target.
    private struct Call {
        let opening: String
        /// The word before the target's name, or nil if the name is a bare literal.
        let nameLabel: String?
        /// Which of the bare literals is the name.
        let nameIndex: Int
        let suffix: String
        let dependencyLabel: String
    }

    private static let calls =
        [
            Call(
                opening: "module(", nameLabel: nil, nameIndex: 0, suffix: "", dependencyLabel: "on:"
            ),
            Call(
                opening: "tool(", nameLabel: nil, nameIndex: 0, suffix: "", dependencyLabel: "on:"),
            Call(
                opening: "tests(", nameLabel: nil, nameIndex: 0, suffix: "Tests",
                dependencyLabel: "on:"
            ),
        ]
        + ["target(", "executableTarget(", "testTarget(", "systemLibrary("].map {
            Call(
                opening: "." + $0, nameLabel: "name:", nameIndex: 0, suffix: "",
                dependencyLabel: "dependencies:")
        }

    private mutating func declare(_ call: Call, _ body: [Character]) {
        var nameSource = body
        if let label = call.nameLabel {
            guard let start = Self.occurrences(of: label, in: body).first else { return }
            nameSource = Array(body[(start + label.count)...])
            // `name: name` in a helper function declares nothing.
            guard nameSource.first(where: { !$0.isWhitespace }) == "\"" else { return }
        }
        let labelled = Self.occurrences(of: call.dependencyLabel, in: body).first
        let literals = Self.literals(in: nameSource)
        guard literals.count > call.nameIndex else { return }
        var modules: Set<String> = []
        if let labelled {
            var rest = body[(labelled + call.dependencyLabel.count)...]
            rest = rest.drop { $0 != "[" }.dropFirst()
            modules = Set(Self.literals(in: Array(rest.prefix { $0 != "]" })))
        }
        dependencies[literals[call.nameIndex] + call.suffix] = modules
    }

    /// Where the word starts, unless it is the end of a longer name.
    private static func occurrences(of word: String, in text: [Character]) -> [Int] {
        let sought = Array(word)
        guard text.count >= sought.count else { return [] }
        return (0...(text.count - sought.count)).filter { start in
            text[start] == sought[0]
                && text[start..<start + sought.count].elementsEqual(sought)
                && !(start > 0 && (text[start - 1].isNamePart || isDeclared(text, before: start)))
        }
    }

    /// Whether `func` stands before the position: a helper's declaration, not a call of it.
    private static func isDeclared(_ text: [Character], before start: Int) -> Bool {
        String(text[max(0, start - 5)..<start]) == "func "
    }

    /// The text up to the parenthesis that closes the one already open at `start`.
    private static func balanced(_ text: [Character], from start: Int) -> [Character] {
        var open = 1
        var end = start
        while end < text.count, open > 0 {
            if text[end] == "(" { open += 1 }
            if text[end] == ")" { open -= 1 }
            end += 1
        }
        return Array(text[start..<end])
    }

    private static func literals(in text: [Character]) -> [String] {
        text.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }
}
