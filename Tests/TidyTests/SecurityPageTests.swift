import Testing

/// The sections that other pages and people who report a fault rely on.
@Suite("Pages on security")
struct SecurityPageTests {
    private static let sections = [
        ".github/SECURITY.md": [
            "## Report a vulnerability", "## A device was lost or stolen", "## What is promised",
            "## What is not promised",
        ],
        "Protocol/12-Threats.md": [
            "### A local account", "### Pairing codes", "### Exhaustion of ids",
            "### Poisoned bodies", "### Floods without a proof", "### A member gone bad",
            "## 4. The promises and their tests",
        ],
    ]

    /// Headings that are not on a page, or have nothing below them.
    static func missing(_ headings: [String], on page: SourceFile) -> [String] {
        headings.filter { heading in
            guard let start = page.lines.firstIndex(of: heading) else { return true }
            let below = page.lines[(start + 1)...].prefix { !$0.hasPrefix("#") }
            return below.allSatisfy { $0.trimmed.isEmpty }
        }
    }

    @Test("the page for reports and the one on threats have their sections", arguments: sections)
    func sectionsAreThere(path: String, headings: [String]) throws {
        let page = try #require(SourceTree.shared.file(path), "\(path) is missing")
        #expect(Self.missing(headings, on: page) == [])
    }

    @Test("the page for reports says where a report goes, and each promise where it is kept")
    func promisesAreKept() throws {
        let page = try #require(SourceTree.shared.file(".github/SECURITY.md"))
        let sections = page.lines.joined(separator: "\n").split(separator: "\n## ")
        let report = try #require(sections.first { $0.hasPrefix("Report") })
        #expect(report.contains("in private"))
        let promises = try #require(sections.first { $0.hasPrefix("What is promised") })
        let rows = promises.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst()
        #expect(rows.count > 5)
        #expect(rows.allSatisfy { $0.contains("`Protocol/") || $0.contains("`Sources/") })
    }

    @Test("a section that is gone, and one without text, are found")
    func planted() {
        let page = SourceFile(path: "page.md", text: "## One\ntext\n## Two\n\n### Three\ntext\n")
        #expect(
            Self.missing(["## One", "## Two", "### Three", "## Three"], on: page)
                == ["## Two", "## Three"])
    }
}
