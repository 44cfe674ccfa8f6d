/// An option as a help page explains it.
struct OptionHelp {
    /// With the hyphens in front; more than one if they are explained together.
    let names: [String]
    /// What the value is, in capitals; nil if there is none.
    let value: String?
    /// What it does, in one line.
    let text: String

    /// The options that every command has.
    static let common = [
        OptionHelp(names: ["--json"], value: nil, text: "the result for programs"),
        OptionHelp(
            names: ["--store"], value: "FOLDER",
            text: "the store (default TANDEM_STORE, else $XDG_DATA_HOME/tandem)"),
        OptionHelp(names: ["--yes"], value: nil, text: "do not ask"),
        OptionHelp(names: ["--no-input"], value: nil, text: "never ask: refuse instead"),
        OptionHelp(names: ["--help"], value: nil, text: "explain the command"),
    ]

    /// The options that a help text explains: lines that begin with `--`, with what is indented below.
    static func options(in help: String) -> [OptionHelp] {
        var options: [OptionHelp] = []
        var block: [Substring] = []
        func finish() {
            if !block.isEmpty { options.append(OptionHelp(block)) }
            block = []
        }
        for line in help.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("--") {
                finish()
                block = [line]
            } else if !block.isEmpty, line.hasPrefix("  ") {
                block.append(line)
            } else {
                finish()
            }
        }
        finish()
        return options
    }

    private init(names: [String], value: String?, text: String) {
        self.names = names
        self.value = value
        self.text = text
    }

    /// Reads `--by WORD   text`, `--top, --bottom   text` or `--from DAY, --to DAY   text`.
    private init(_ block: [Substring]) {
        let first = block.first ?? ""
        let end = first.range(of: "  ")?.lowerBound ?? first.endIndex
        let words = first[..<end].split { $0 == " " || $0 == "," }.map { String($0) }
        names = words.filter { $0.hasPrefix("--") }
        value = words.first { !$0.hasPrefix("--") }
        let lines = [first[end...]] + block.dropFirst()
        text = lines.flatMap { $0.split(separator: " ") }.joined(separator: " ")
    }
}

extension Substring {
    /// Where a text stands first.
    fileprivate func range(of text: String) -> Range<Index>? { ranges(of: text).first }
}
