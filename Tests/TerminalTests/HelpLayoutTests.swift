import Terminal
import Testing

@Suite("Help texts on narrow screens")
struct HelpLayoutTests {
    private static let help = """
          tandem sync desk:7717         a device that runs tandem serve
          tandem sync --live

        Without an address, syncs with every
        relay and device that is known.

        --live            stay connected and sync both ways as changes are made
        --address HOST:PORT
                          where other devices reach this one
        """

    @Test("a screen of 80 columns or more shows a text as it is written")
    func wide() {
        #expect(HelpLayout.fitted(Self.help, to: 80) == Self.help)
        #expect(HelpLayout.fitted(Self.help, to: 200) == Self.help)
    }

    @Test("prose is filled again, and an explanation stays in its column")
    func narrow() {
        #expect(
            HelpLayout.fitted(Self.help, to: 50) == """
                  tandem sync desk:7717
                      a device that runs tandem serve
                  tandem sync --live

                Without an address, syncs with every relay and
                device that is known.

                --live            stay connected and sync both
                                  ways as changes are made
                --address HOST:PORT
                                  where other devices reach this
                                  one
                """)
    }

    @Test("no line is too long and no word is lost", arguments: 30...79)
    func anyWidth(width: Int) {
        let narrow = HelpLayout.fitted(Self.help, to: width)
        #expect(
            narrow.split(whereSeparator: \.isWhitespace)
                == Self.help.split(whereSeparator: \.isWhitespace))
        for line in narrow.split(separator: "\n") {
            #expect(Cells.count(String(line)) <= width, "\(line)")
        }
    }
}
