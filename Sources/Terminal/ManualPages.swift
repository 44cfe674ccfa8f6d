import Glibc

/// A manual page, made from help texts.
package struct ManualPage: Sendable {
    /// A part with a heading.
    package struct Section: Sendable {
        /// The heading, in capitals.
        package let title: String
        /// The text below the heading.
        package let blocks: [HelpBlock]

        /// A part with a heading.
        package init(_ title: String, _ blocks: [HelpBlock]) {
            self.title = title
            self.blocks = blocks
        }
    }

    /// Its name, as `tandem-list`.
    package let name: String
    /// 1 for programs, 5 for files.
    package let section: Int
    /// The page's topic, in one line.
    package let summary: String
    /// The forms of the command line, one a line; words in capitals are placeholders.
    package let calls: [String]
    /// The sections below the summary.
    package let sections: [Section]
    /// Other pages, with their sections.
    package let others: [(name: String, section: Int)]

    /// A page.
    package init(
        _ name: String, _ section: Int, _ summary: String, calls: [String], sections: [Section],
        others: [(name: String, section: Int)]
    ) {
        self.name = name
        self.section = section
        self.summary = summary
        self.calls = calls
        self.sections = sections
        self.others = others
    }

    /// The name of its file.
    package var fileName: String { "\(name).\(section)" }

    /// The parts of a command's page: examples as they come first in the help, then the rest.
    ///
    /// - Parameter common: options that every command has.
    package static func sections(
        _ introduction: String, _ help: String, common: [HelpBlock.Definition]
    ) -> [Section] {
        var rest = HelpBlock.blocks(of: help)[...]
        var examples: [HelpBlock] = []
        if case .literal? = rest.first { examples.append(rest.removeFirst()) }
        let lastOptions = rest.lastIndex { $0.isDefinitions }
        let firstOptions = rest.firstIndex { $0.isDefinitions }
        var description: [HelpBlock] = [.prose(introduction)]
        var options: [HelpBlock] = []
        for index in rest.indices {
            // A block between options explains those below it.
            if let firstOptions, let lastOptions, (firstOptions...lastOptions).contains(index) {
                options.append(rest[index])
            } else {
                description.append(rest[index])
            }
        }
        // In one list with those above, so that all are indented alike.
        if case .definitions(let own)? = options.last {
            options[options.count - 1] = .definitions(own + common)
        } else {
            options.append(.definitions(common))
        }
        return [
            Section("EXAMPLES", examples), Section("DESCRIPTION", description),
            Section("OPTIONS", options),
        ].filter { !$0.blocks.isEmpty }
    }

    /// The page in the language of manual pages.
    ///
    /// - Parameters:
    ///   - date: as `2026-11-21`.
    ///   - product: the program and its version.
    package func text(date: String, product: String) -> String {
        var lines = [
            ".\\\" Made by the program itself from its help texts.",
            ".TH \(ManualText.escaped(name.uppercased())) \(section) \"\(date)\" "
                + "\"\(ManualText.escaped(product))\" \"Tandem\"",
            ".SH NAME",
        ]
        // The form that indexes of pages look for, which may go over several lines.
        let summary = ManualText.prose(name + " \u{0} " + summary)
        lines += summary.map { $0.replacing("\\[u0000]", with: "\\-") }
        if !calls.isEmpty {
            lines.append(".SH SYNOPSIS")
            for (index, call) in calls.enumerated() {
                if index > 0 { lines.append(".br") }
                lines.append(ManualText.call(call))
            }
        }
        for section in sections {
            lines.append(".SH \(section.title)")
            for (index, block) in section.blocks.enumerated() {
                lines += Self.lines(block, isFirst: index == 0)
            }
        }
        if !others.isEmpty {
            lines.append(".SH SEE ALSO")
            for (index, other) in others.enumerated() {
                let comma = index + 1 < others.count ? "," : ""
                lines.append(".BR \(ManualText.escaped(other.name)) (\(other.section))\(comma)")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The most columns that words take beside what is said of them; longer ones have a line of their own.
    private static let termWidthMax = 22

    private static func lines(_ block: HelpBlock, isFirst: Bool) -> [String] {
        switch block {
        case .prose(let text): return (isFirst ? [] : [".PP"]) + ManualText.prose(text)
        case .literal(let text):
            // Without filling, and in the type of programs where there is one.
            return (isFirst ? [] : [".PP"]) + [".RS 2", ".EX"]
                + text.map { ManualText.escaped($0) } + [".EE", ".RE"]
        case .definitions(let definitions):
            let longest = definitions.map(\.term.count).max() ?? 0
            let width = min(longest + 2, Self.termWidthMax)
            return definitions.flatMap { definition in
                [".TP \(width)", ManualText.call(definition.term)]
                    + (definition.text.isEmpty ? ["\\&"] : ManualText.prose(definition.text))
            }
        }
    }
}

extension HelpBlock {
    fileprivate var isDefinitions: Bool {
        if case .definitions = self { true } else { false }
    }
}

/// Text in the language of manual pages, man(7); ASCII alone, so that every reader shows it.
enum ManualText {
    /// A text that stands as it is, on a line or in one.
    static func escaped(_ text: some StringProtocol) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            case "'": result += "\\(aq"
            case "`": result += "\\(ga"
            case "^": result += "\\(ha"
            case "~": result += "\\(ti"
            case "\"": result += "\\(dq"
            case " "..."~": result.unicodeScalars.append(scalar)
            default: result += "\\[u\(hexadecimal(scalar.value))]"
            }
        }
        // A dot at the beginning of a line would be a command.
        return result.hasPrefix(".") ? "\\&" + result : result
    }

    private static func hexadecimal(_ value: UInt32) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    /// The most bytes of a line of prose.
    private static let lineByteCountMax = 76

    /// Prose in lines; what stands between backquotes is bold.
    static func prose(_ text: String) -> [String] {
        let parts = text.split(separator: "`", omittingEmptySubsequences: false)
        let marked =
            parts.count % 2 == 1
            ? parts.enumerated().map { index, part in
                index % 2 == 1 ? "\\fB\(escaped(part))\\fP" : escaped(part)
            }.joined() : escaped(text)
        var lines: [String] = []
        for word in marked.split(separator: " ") {
            // A dot at the beginning of a line would be a command.
            let word = word.hasPrefix(".") ? "\\&" + word : String(word)
            if let last = lines.last, last.utf8.count + 1 + word.utf8.count <= lineByteCountMax {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(word)
            }
        }
        return lines
    }

    /// Words of a command line: those in capitals are placeholders, the rest is typed as it stands.
    static func call(_ text: String) -> String {
        let call = text.split(separator: " ").map { word in
            let letters = word.filter(\.isLetter)
            if letters.isEmpty { return escaped(word) }
            guard letters.allSatisfy(\.isUppercase) else { return "\\fB\(escaped(word))\\fP" }
            // Brackets and dots around a word are not part of it.
            let front = word.prefix { !$0.isLetter }
            let back = word.reversed().prefix { !$0.isLetter }.count
            let middle = word.dropFirst(front.count).dropLast(back)
            return escaped(front).replacing("\\&", with: "") + "\\fI\(escaped(middle))\\fP"
                + escaped(word.suffix(back)).replacing("\\&", with: "")
        }.joined(separator: " ")
        return call.hasPrefix(".") ? "\\&" + call : call
    }
}

/// A folder of manual pages.
package enum ManualShelf {
    /// Writes pages into a folder, which is made if it is missing; gives the paths.
    ///
    /// - Parameter product: the program and its version, for the foot of the pages.
    package static func write(
        _ pages: [ManualPage], into folder: String, product: String
    ) throws(CommandFailure) -> [String] {
        try Files.makeFolder(folder)
        let date = date()
        var paths: [String] = []
        for page in pages {
            let path = "\(folder)/\(page.fileName)"
            try Files.write(page.text(date: date, product: product).utf8, to: path)
            paths.append(path)
        }
        return paths
    }

    /// Today, or the day that `SOURCE_DATE_EPOCH` names (reproducible-builds.org), in UTC.
    private static func date() -> String {
        var seconds = time(nil)
        if let text = getenv("SOURCE_DATE_EPOCH"), let given = time_t(String(cString: text)) {
            seconds = given
        }
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func digits(_ value: Int32) -> String { value < 10 ? "0\(value)" : "\(value)" }
        return "\(parts.tm_year + 1900)-\(digits(parts.tm_mon + 1))-\(digits(parts.tm_mday))"
    }
}
