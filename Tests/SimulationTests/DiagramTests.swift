import Simulation
import Testing

@Suite("Diagrams of chronicles")
struct DiagramTests {
    private static let glimpse = RecordGlimpse(
        clock: ["laptop: 2"], values: [#"title = "Oat milk""#], conflicts: [], state: .alive)
    private static let torn = RecordGlimpse(
        clock: ["laptop: 3", "phone: 4"], values: [#"title = "Soy milk""#],
        conflicts: [#"title: "Oat milk" or "Soy milk""#], state: .alive)

    private static func trace(
        _ events: [(Int?, TraceEvent)], devices: [String] = ["laptop", "phone"],
        title: String = "test"
    ) -> Trace {
        Trace(
            title: title, devices: devices,
            entries: events.enumerated().map {
                TraceEntry(
                    time: Int64($0.offset), deviceIndex: $0.element.0, step: nil, $0.element.1)
            })
    }

    /// One of each.
    private static let all: [(Int?, TraceEvent)] = [
        (0, .opened(newIdentity: nil)), (1, .opened(newIdentity: "the store is a copy")),
        (nil, .step("laptop creates milk")),
        (0, .wrote(item: "milk", words: "created", glimpse)),
        (0, .refused("there is no bread")),
        (0, .sent(message: 1, to: 1, kind: "hello", byteCount: 136)), (1, .received(message: 1)),
        (1, .sent(message: 2, to: 0, kind: "changes", byteCount: 1)),
        (0, .lost(message: 2, "the link broke")), (1, .merged(item: "milk", torn)),
        (0, .sessionEnded(with: 1, "in order", isWell: true)),
        (1, .sessionEnded(with: 0, "the session failed: lost", isWell: false)), (0, .closed),
        (1, .crashed), (1, .opened(newIdentity: nil)), (1, .lostPower),
        (0, .befell("is backed up as monday")), (nil, .befell("everything heals")),
        (0, .checked("expect laptop agrees", isTrue: true)),
        (1, .checked("expect phone agrees", isTrue: false)), (nil, .violated("phone disagrees")),
    ]

    /// The attributes of all marks whose class has a word.
    private static func marks(_ kind: String, in page: String) -> Int {
        page.components(between: #"<g class="mark "#, and: #"""#).filter {
            $0.split(separator: " ").contains { $0 == kind }
        }.count
    }

    @Test("every kind of happening has a mark of its own")
    func kinds() {
        let page = Diagram(Self.trace(Self.all)).page
        for kind in [
            "write", "merge", "identity", "closed", "crashed", "power", "session", "broken",
            "refused", "befell", "holds", "fails", "violation", "lost",
        ] { #expect(Self.marks(kind, in: page) == 1, "\(kind)") }
        #expect(Self.marks("opened", in: page) == 2)
        #expect(Self.marks("message", in: page) == 2)
        #expect(page.contains(">everything heals</text>"))
        #expect(page.contains(">laptop creates milk</text>"))
        #expect(page.contains(">hello, 136 bytes</text>"))
        #expect(page.contains(">lost: changes, 1 byte</text>"))
        #expect(page.contains(#"class="conflict""#))
        #expect(page.contains("clock: [laptop: 3, phone: 4]"))
        let marks = page.components(between: #"<g class="mark "#, and: ">")
        #expect(marks.allSatisfy { $0.contains(#"tabindex="0""#) && $0.contains("aria-label=") })
    }

    @Test("every tag is closed")
    func tags() {
        for devices in [
            [], ["laptop"], ["laptop", "phone"], ["a", "b", "c", "d", "e", "f", "g", "h"],
        ] {
            let page = Diagram(Self.trace(Self.all, devices: devices)).page
            #expect(Self.unbalanced(page) == nil, "\(devices.count) lanes")
        }
        #expect(Self.unbalanced(Diagram(Trace()).page) == nil)
    }

    /// The first tag that does not fit; nil if all do.
    private static func unbalanced(_ page: String) -> String? {
        var open: [Substring] = []
        var rest = page[...]
        for hidden in ["style", "script"] {
            guard let start = rest.firstRange(of: "<\(hidden)>"),
                let end = rest.firstRange(of: "</\(hidden)>")
            else { return hidden }
            rest = (rest[..<start.lowerBound] + rest[end.upperBound...])[...]
        }
        for tag in String(rest).components(between: "<", and: ">") {
            let name = tag.prefix { $0.isLetter || $0.isNumber || $0 == "/" }
            if tag.hasPrefix("!") || tag.hasSuffix("/") || ["meta"].contains(name) { continue }
            guard tag.hasPrefix("/") else {
                open.append(name)
                continue
            }
            guard open.popLast() == name.dropFirst() else { return tag }
        }
        return open.last.map(String.init)
    }

    @Test("what others wrote is never taken for markup, nor turns the page around")
    func hostile() {
        let evil = "</title><script>alert('x')</script>\"><b a=&b; \u{202e}\u{0}\u{1b}\n🧑‍🧑‍🧒‍🧒 שלום"
        let torn = RecordGlimpse(clock: [evil], values: [evil], conflicts: [evil], state: .deleted)
        var trace = Self.trace(
            [
                (0, .opened(newIdentity: evil)), (nil, .step(evil)),
                (0, .wrote(item: evil, words: evil, torn)), (0, .refused(evil)),
                (0, .sent(message: 1, to: 1, kind: evil, byteCount: 1)),
                (1, .lost(message: 1, evil)), (1, .lost(message: 9, evil)),
                (1, .merged(item: evil, torn)), (1, .sessionEnded(with: 0, evil, isWell: false)),
                (0, .befell(evil)), (0, .checked(evil, isTrue: false)), (nil, .violated(evil)),
            ], devices: [evil, "phone"], title: evil)
        trace.outcome = Outcome(.diverged, detail: evil)
        let page = Diagram(trace).page
        #expect(Self.unbalanced(page) == nil)
        #expect(page.components(between: "<script", and: ">").count == 1)
        #expect(!page.contains("<b a"))
        #expect(!page.unicodeScalars.contains("\u{202e}"))
        #expect(!page.unicodeScalars.contains("\u{0}"))
        #expect(page.contains("[U+202E]"))
        #expect(page.contains("🧑‍🧑‍🧒‍🧒"))
        #expect(page.contains("diverged"))
    }

    @Test("lanes and messages that do not exist do no harm")
    func unknown() {
        let page = Diagram(
            Self.trace([
                (7, .closed), (-1, .crashed), (0, .received(message: 3)),
                (0, .sent(message: 4, to: 9, kind: "hello", byteCount: 2)),
                (1, .sent(message: 5, to: 1, kind: "error", byteCount: 2)),
                (0, .sent(message: 6, to: 1, kind: "hello", byteCount: 2)),
                (1, .lost(message: 8, "nobody")), (5, .sessionEnded(with: 8, "x", isWell: true)),
            ])
        ).page
        #expect(Self.unbalanced(page) == nil)
        #expect(page.contains("to a stranger: hello"))
        #expect(page.contains("still on the way"))
        #expect(Self.marks("stray", in: page) == 1)
    }

    @Test("the table has every moment, in order")
    func table() {
        let page = Diagram(Self.trace(Self.all)).page
        let rows = page.components(between: "<tr><td>", and: "</tr>")
        #expect(rows.count == Self.all.count)
        #expect(rows[0].contains("<td>laptop</td><td>starts</td>"))
        #expect(rows[3].contains("writes milk: created"))
        #expect(rows[8].contains("never receives #2: the link broke"))
        #expect(rows[20].contains("0.020 s"))
        #expect(rows[20].contains("violation: phone disagrees"))
    }

    @Test("of a very long scenario the end is shown, and what is left out is said")
    func bounds() {
        let events: [(Int?, TraceEvent)] = (0..<6_000).map { (0, .befell("number \($0)!")) }
        let page = Diagram(Self.trace(events)).page
        #expect(Self.marks("befell", in: page) == Diagram.drawnRowCountMax)
        #expect(page.contains("5400 before them are left out"))
        let rows = page.components(between: "<tr><td>", and: "</tr>")
        #expect(rows.count == Diagram.listedEntryCountMax)
        #expect(rows.last?.contains("number 5999!") == true)
        #expect(page.contains("1000 before them are left out"))
        #expect(!page.contains("number 999!"))
    }

    @Test("a very long text is cut in the drawing and bounded everywhere")
    func longTexts() {
        let long = String(repeating: "milk ", count: 100_000)
        let page = Diagram(
            Self.trace(
                [
                    (nil, .step(long)), (0, .wrote(item: "milk", words: long, Self.glimpse)),
                    (nil, .violated(long)),
                ], title: long)
        ).page
        #expect(page.utf8.count < 60_000)
        #expect(page.contains("more characters"))
    }

    @Test("the drawing fits to the page, and is scrolled only where letters would be too small")
    func fits() throws {
        let widths = [1: 411, 2: 585, 3: 705, 4: 753, 6: 885, 8: 1_101]
        for (count, least) in widths {
            let devices = (0..<count).map { "device\($0)" }
            let page = Diagram(Self.trace(Self.all, devices: devices)).page
            let style = page.components(between: #"<main aria-label="Diagram" style=""#, and: "\"")
            #expect(style.first?.hasSuffix(";--least:\(least)px") ?? false, "\(style)")
        }
        let sheet = try #require(
            Diagram(Trace()).page.components(between: "<style>", and: "</style>").first)
        #expect(sheet.contains("width:100%;max-width:var(--most);min-width:var(--least)"))
        #expect(!sheet.contains("max-content"))
    }

    @Test("labels go on in further lines, and nothing of them is cut")
    func wraps() {
        let title = "title \"" + (1...12).map { "word\($0)" }.joined(separator: " ") + "\""
        let word = String(repeating: "abcdefghij", count: 8)
        let page = Diagram(
            Self.trace([
                (nil, .step("laptop edits milk \(title)")),
                (0, .wrote(item: "milk", words: title, Self.glimpse)),
                (1, .befell(word)), (nil, .violated("phone \(word)")),
            ])
        ).page
        let labels = Self.texts("label", in: page)
        #expect(labels.joined(separator: " ").hasPrefix("milk: " + title + " "))
        #expect(labels.joined().hasSuffix(word))
        #expect(labels.allSatisfy { $0.count <= 37 } && labels.count == 6)
        #expect(
            Self.texts("scenario", in: page).joined(separator: " ") == "laptop edits milk \(title)")
    }

    /// Returns the texts of one class in a drawing.
    static func texts(_ kind: String, in page: String) -> [String] {
        page.components(between: #"<text class="\#(kind)"#, and: "</text>").map { text in
            String(text.drop { $0 != ">" }.dropFirst()).replacing("&quot;", with: "\"")
        }
    }

    @Test("a long rest is one mark, and many messages of one side one arrow")
    func together() {
        var trace = Self.trace(
            [(nil, .step("laptop syncs with phone"))]
                + (1...20).map { (0, .sent(message: $0, to: 1, kind: "changes", byteCount: 10)) }
                + (1...20).map { (1, .received(message: $0)) })
        trace.entries.append(
            TraceEntry(time: 3 * 86_400_000 + 40, deviceIndex: 0, step: nil, .closed))
        let page = Diagram(trace).page
        #expect(Self.marks("message", in: page) == 1)
        #expect(page.contains("20 messages with changes, 200 bytes"))
        #expect(page.contains("3 days later"))
        #expect(page.contains("3 d 00:00:00.040"))
    }

    @Test("an arrow that is longer than a sheet goes on in the next ones, and is one mark")
    func sheets() {
        let page = Diagram(
            Self.trace(
                [(0, .sent(message: 1, to: 1, kind: "hello", byteCount: 136))]
                    + (0..<100).map { (0, .befell("number \($0)")) } + [(1, .received(message: 1))]
                    + (0..<100).map { (0, .befell("number \($0)")) })
        ).page
        let sheetCount = page.components(between: #"<div class="sheet"#, and: ">").count
        #expect(sheetCount > 3)
        #expect(Self.marks("message", in: page) == 1)
        let again = page.components(between: #"<g aria-hidden="true" class="message"#, and: ">")
        #expect(!again.isEmpty && again.count < sheetCount - 1)
        #expect(page.components(between: #"id="arrow"#, and: ">").count == 1)
        #expect(Self.unbalanced(page) == nil)
    }

    @Test("the same scenario gives the same bytes, and a page needs nothing else")
    func same() {
        func page() -> String {
            var options = WorldOptions()
            options.keepsTrace = true
            let world = World(
                WorldTests.scenario([
                    .edit(
                        .create(
                            device: "laptop", item: "milk",
                            [.value(field: "title", .text("Buy milk"))])),
                    .meeting(.sync("laptop", "phone")),
                ]), options: options)
            _ = world.run()
            world.end()
            return Diagram(world.trace).page
        }
        let first = page()
        #expect(first == page())
        #expect(first.contains("passed"))
        #expect(Self.unbalanced(first) == nil)
        #expect(!first.replacing("http://www.w3.org/2000/svg", with: "").contains("://"))
        #expect(!first.contains("src=") && !first.contains("@import") && !first.contains("href"))
    }
}

extension String {
    /// Returns the text between each occurrence of `start` and the next of `end`.
    fileprivate func components(between start: String, and end: String) -> [String] {
        var found: [String] = []
        var rest = self[...]
        while let from = rest.firstRange(of: start) {
            rest = rest[from.upperBound...]
            guard let to = rest.firstRange(of: end) else { break }
            found.append(String(rest[..<to.lowerBound]))
            rest = rest[to.upperBound...]
        }
        return found
    }
}
