/// The page around a drawing.
struct DiagramPage {
    private let chronicle: Chronicle
    private let words: DiagramWords
    private let drawing: DiagramDrawing

    /// A page about a chronicle.
    init(_ chronicle: Chronicle) {
        self.chronicle = chronicle
        words = DiagramWords(chronicle: chronicle)
        drawing = DiagramDrawing(chronicle)
    }

    /// All of the page.
    var text: String {
        let title = chronicle.title.isEmpty ? "A story" : chronicle.title
        let shown = DiagramText.escaped(DiagramText.bounded(title))
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
            style-src 'unsafe-inline'; script-src 'unsafe-inline'">
            <title>\(DiagramText.escaped(DiagramText.clipped(title, to: 80)))</title>
            <style>
            \(DiagramStyle.sheet)
            </style>
            </head>
            <body>
            <header class="page">
            <h1>\(shown)</h1>
            \(ending)
            \(legend)
            \(omission)</header>
            <main aria-label="Diagram" style="\(drawing.scaling)">
            <div class="sticky">\(drawing.header)</div>
            \(drawing.body)
            </main>
            <section class="page">
            \(table)
            </section>
            <aside id="detail" aria-live="polite">Point at a mark, or move to one with Tab, \
            to read what it is.</aside>
            <script>
            \(DiagramStyle.script)
            </script>
            </body>
            </html>

            """
    }

    /// How it ended.
    private var ending: String {
        guard let outcome = chronicle.outcome else {
            return #"<p><span class="badge">no ending</span></p>"#
        }
        let isWell = outcome.verdict == .passed
        let badge =
            #"<span class="badge \#(isWell ? "good" : "bad")">\#(isWell ? "✓" : "✗") "#
            + "\(outcome.verdict.word)</span>"
        let detail = DiagramText.escaped(DiagramText.bounded(outcome.detail))
        let counts =
            "\(Counted.words(outcome.stepCount, "step")), "
            + "\(Counted.words(outcome.eventCount, "event")), "
            + "trace \(String(outcome.traceHash, radix: 16))"
        return #"<p>\#(badge)\#(detail)</p><p class="quiet">\#(counts)</p>"#
    }

    private var legend: String {
        func item(_ drawing: String, _ meaning: String) -> String {
            #"<li><svg width="26" height="26" viewBox="-13 -13 26 26" aria-hidden="true">"#
                + "\(drawing)</svg>\(meaning)</li>\n"
        }
        let used = Set(marks.map(\.shape))
        var text = #"<ul class="legend" aria-label="Legend">"# + "\n"
        for shape in DiagramShape.allCases where used.contains(shape) {
            text += item(shape.drawing, shape.meaning)
        }
        if marks.contains(where: \.isConflicted) {
            text += item(DiagramShape.conflict, "the record has open conflicts")
        }
        if !drawing.arrows.isEmpty {
            let arrow =
                #"<path class="way" d="M-12 -3L6 3"/><path class="tip" d="M4 -1L12 5L3 6Z"/>"#
            text += item(arrow, "a message, or several")
        }
        if drawing.arrows.contains(where: \.isLost) {
            let lost =
                #"<g class="lost"><path class="way" d="M-12 -4L5 2"/></g>"#
                + #"<path class="thick bad" d="M2 -3L12 7M12 -3L2 7"/>"#
            text += item(lost, "a message that is lost")
        }
        return text + "</ul>"
    }

    private var marks: [DiagramMark] { drawing.marks }

    private var omission: String {
        guard drawing.omittedRowCount > 0 else { return "" }
        return "<p>The drawing shows the last \(Diagram.drawnRowCountMax) rows; "
            + "\(drawing.omittedRowCount) before them are left out.</p>\n"
    }

    /// All moments in words.
    private var table: String {
        let count = chronicle.moments.count
        let listed = chronicle.moments.suffix(Diagram.listedMomentCountMax)
        var text = "<details>\n<summary>All moments in words (\(count))</summary>\n"
        if listed.count < count {
            text += "<p>The last \(listed.count) moments; \(count - listed.count) before them "
            text += "are left out.</p>\n"
        }
        text +=
            "<table>\n<thead><tr><th>Time</th><th>Device</th><th>What happened</th></tr></thead>\n"
        text += "<tbody>\n"
        for moment in listed {
            let lane = moment.lane.map { DiagramText.clipped(words.name($0), to: 40) } ?? ""
            var lines = [DiagramText.bounded(words.sentence(moment))]
            lines += words.lines(moment).map(DiagramText.bounded)
            let what = lines.map { DiagramText.escaped($0) }.joined(separator: "\n")
            text += "<tr><td>\(DiagramTime.clock(moment.time))</td>"
            text += "<td>\(DiagramText.escaped(lane))</td><td>\(what)</td></tr>\n"
        }
        return text + "</tbody>\n</table>\n</details>"
    }
}
