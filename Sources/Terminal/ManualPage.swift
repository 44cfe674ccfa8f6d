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
            for (place, call) in calls.enumerated() {
                if place > 0 { lines.append(".br") }
                lines.append(ManualText.call(call))
            }
        }
        for section in sections {
            lines.append(".SH \(section.title)")
            for (place, block) in section.blocks.enumerated() {
                lines += Self.lines(block, isFirst: place == 0)
            }
        }
        if !others.isEmpty {
            lines.append(".SH SEE ALSO")
            for (place, other) in others.enumerated() {
                let comma = place + 1 < others.count ? "," : ""
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
