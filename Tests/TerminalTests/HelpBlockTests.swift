import Terminal
import Testing

@Suite("Help texts and manual pages")
struct HelpBlockTests {
    private static let help = """
          tandem list
          tandem list --by day

        Free words look
        in titles; `+tag` chooses.

        --by WORD         sections: day,
                          or none
        --top, --bottom   the first,
                          the last
        --from DAY, --to DAY   the days
        --address HOST:PORT
                          where
        Prose behind options.

        token (no option)  a secret
        """

    @Test("a text falls into examples, prose and explanations, as its form says")
    func blocks() {
        #expect(
            HelpBlock.blocks(of: Self.help) == [
                .literal(["tandem list", "tandem list --by day"]),
                .prose("Free words look in titles; `+tag` chooses."),
                .definitions([
                    .init("--by WORD", "sections: day, or none"),
                    .init("--top, --bottom", "the first, the last"),
                    .init("--from DAY, --to DAY", "the days"),
                    .init("--address HOST:PORT", "where"),
                ]),
                .prose("Prose behind options."),
                .definitions([.init("token (no option)", "a secret")]),
            ])
        #expect(HelpBlock.blocks(of: "").isEmpty)
        #expect(
            HelpBlock.blocks(of: "It ends. With\n--json one object a line.")
                == [.prose("It ends. With --json one object a line.")])
        #expect(
            HelpBlock.blocks(of: "  --keep FOLDER  puts it\n                 there\n\n  7  seven")
                == [
                    .definitions([.init("--keep FOLDER", "puts it there")]), .literal(["7  seven"]),
                ])
    }

    @Test("options are found with their names, values and texts")
    func options() {
        let found = OptionHelp.options(in: Self.help)
        #expect(
            found.map { "\($0.names.joined(separator: "|")) \($0.value ?? "")" } == [
                "--by WORD", "--top|--bottom ", "--from|--to DAY", "--address HOST:PORT",
            ])
        #expect(found[0].text == "sections: day, or none")
    }

    @Test("nothing in a text is taken for a command of the page, and the page is ASCII")
    func escapes() {
        let page = ManualPage(
            "x-y", 1, "a \\ line of it's – own", calls: ["x-y [OPTION...] FILE"],
            sections: [
                .init(
                    "TEXT",
                    [
                        .prose(String(repeating: "long words ", count: 20) + ".so on"),
                        .prose(".TH is no command, 'nor this; `--by` … ümläut \u{1f331}"),
                        .literal([".so /etc/passwd", "'br", "\\fBx", "a^b~c"]),
                        .definitions([.init(".PP", ""), .init("--a", "`odd")]),
                    ])
            ], others: [("z", 5), ("w", 1)])
        let text = page.text(date: "2026-11-21", product: "x 1")
        #expect(text.utf8.allSatisfy { $0 < 0x80 && $0 >= 0x20 || $0 == 0x0a })
        let lines = text.split(separator: "\n")
        let commands = Set(
            lines.filter { $0.hasPrefix(".") || $0.hasPrefix("'") }.map {
                $0.split(separator: " ")[0]
            })
        #expect(
            commands == [".\\\"", ".TH", ".SH", ".RS", ".EX", ".EE", ".RE", ".TP", ".BR", ".PP"])
        #expect(text.contains("\\&.TH is no command, \\(aqnor this; \\fB\\-\\-by\\fP \\[u2026]"))
        #expect(lines.allSatisfy { $0.utf8.count <= 80 })
        #expect(text.contains("\\&.so /etc/passwd\n\\(aqbr\n\\efBx\na\\(hab\\(tic\n"))
        #expect(text.contains("\\fBx\\-y\\fP [\\fIOPTION\\fP...] \\fIFILE\\fP"))
        #expect(text.contains("\\[u1F331]"))
        #expect(text.contains(".BR z (5),\n.BR w (1)\n"))
    }

    @Test("examples come first, prose next, options last; what stands between options stays there")
    func sections() {
        let sections = ManualPage.sections("It does.", Self.help, common: [.init("--json", "J")])
        #expect(sections.map(\.title) == ["EXAMPLES", "DESCRIPTION", "OPTIONS"])
        #expect(sections[1].blocks.count == 2)
        #expect(sections[2].blocks.contains(.prose("Prose behind options.")))
        #expect(
            sections[2].blocks.last
                == .definitions([.init("token (no option)", "a secret"), .init("--json", "J")]))
    }
}
