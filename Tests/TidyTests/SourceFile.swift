import FoundationEssentials

/// One text file of the tree.
struct SourceFile {
    /// Path from the package root, such as `Sources/Core/Messages/Frame.swift`.
    let path: String
    let lines: [String]
    /// The channels of a Swift file; of any other file they mean nothing.
    let swift: SwiftText

    init(path: String, text: String) {
        self.path = path
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
        swift = SwiftText(path.hasSuffix(".swift") ? text : "")
    }

    /// File name without folder and without its last extension.
    var stem: String {
        let name = path.split(separator: "/").last.map { String($0) } ?? path
        guard let dot = name.lastIndex(of: ".") else { return name }
        return String(name[..<dot])
    }

    /// The line count as an editor shows it: a final newline starts no line of its own.
    var lineCount: Int { lines.last == "" ? lines.count - 1 : lines.count }

    func finding(_ index: Int, _ rule: String) -> Finding {
        Finding(path: path, line: index + 1, rule: rule)
    }
}
