/// A space-time diagram of a trace, as one page for a browser.
///
/// Devices are columns, time goes downwards, messages are arrows. The page needs nothing but itself: no
/// network, no fonts, and its script only moves into a panel what every mark says by itself. The same
/// trace gives the same bytes.
package struct Diagram: Sendable {
    /// The most rows that are drawn; of longer scenarios the last ones are.
    package static let drawnRowCountMax = 600
    /// The most entries that the table lists; of longer scenarios the last ones are.
    package static let listedEntryCountMax = 5_000
    /// The most characters of one text that a panel or a row of the table shows.
    package static let shownCharacterCountMax = 2_000

    private let trace: Trace

    /// A picture of what happened.
    package init(_ trace: Trace) {
        self.trace = trace
    }

    /// The page, in HTML.
    package var page: String {
        DiagramPage(trace).text
    }
}

/// The page around a drawing.
struct DiagramPage {
    private let trace: Trace
    private let words: DiagramWords
    private let drawing: DiagramDrawing

    /// A page about a trace.
    init(_ trace: Trace) {
        self.trace = trace
        words = DiagramWords(trace: trace)
        drawing = DiagramDrawing(trace)
    }

    /// All of the page.
    var text: String {
        let title = trace.title.isEmpty ? "A scenario" : trace.title
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
        guard let outcome = trace.outcome else {
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

    /// All entries in words.
    private var table: String {
        let count = trace.entries.count
        let listed = trace.entries.suffix(Diagram.listedEntryCountMax)
        var text = "<details>\n<summary>All moments in words (\(count))</summary>\n"
        if listed.count < count {
            text += "<p>The last \(listed.count) moments; \(count - listed.count) before them "
            text += "are left out.</p>\n"
        }
        text +=
            "<table>\n<thead><tr><th>Time</th><th>Device</th><th>What happened</th></tr></thead>\n"
        text += "<tbody>\n"
        for entry in listed {
            let column = entry.deviceIndex.map { DiagramText.clipped(words.name($0), to: 40) } ?? ""
            var lines = [DiagramText.bounded(words.sentence(entry))]
            lines += words.lines(entry).map(DiagramText.bounded)
            let what = lines.map { DiagramText.escaped($0) }.joined(separator: "\n")
            text += "<tr><td>\(DiagramTime.clock(entry.time))</td>"
            text += "<td>\(DiagramText.escaped(column))</td><td>\(what)</td></tr>\n"
        }
        return text + "</tbody>\n</table>\n</details>"
    }
}

/// Times of a scenario in words.
enum DiagramTime {
    /// A time since the scenario began, to the millisecond.
    static func clock(_ time: Int64) -> String {
        let (seconds, milliseconds) = max(0, time).quotientAndRemainder(dividingBy: 1_000)
        let fraction = padded(milliseconds, 3)
        if seconds < 60 { return "\(seconds).\(fraction) s" }
        let clock =
            padded(seconds / 3_600 % 24, 2) + ":" + padded(seconds / 60 % 60, 2) + ":"
            + padded(seconds % 60, 2)
        let days = seconds / 86_400
        return (days == 0 ? "" : "\(days) d ") + "\(clock).\(fraction)"
    }

    /// How much later something is, in the largest unit that fits.
    static func later(_ gap: Int64) -> String {
        let units: [(Int64, String)] = [
            (86_400_000, "day"), (3_600_000, "hour"), (60_000, "minute"), (1_000, "second"),
        ]
        for (length, name) in units where gap >= length {
            let count = (gap + length / 2) / length
            return "\(count) \(name)\(count == 1 ? "" : "s") later"
        }
        return "\(gap) milliseconds later"
    }

    private static func padded(_ number: Int64, _ count: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
}

/// How the page looks, and the few lines that fill its panel.
enum DiagramStyle {
    /// The style sheet.
    static let sheet = #"""
        :root{color-scheme:light dark;--back:#fcfcfa;--ink:#1d2328;--faint:#667079;--rule:#e3e5e6;
        --lane:#8c969f;--way:#2b66ad;--bad:#b3261e;--badback:#fdeceb;--good:#1c7a3e;--hot:#9a5b00;
        --hotback:#ffe7b8;--gap:#f1f2f3;--ring:#1a73e8}
        @media (prefers-color-scheme:dark){:root{--back:#15181b;--ink:#e4e8eb;--faint:#98a3ac;
        --rule:#2a3036;--lane:#6d7882;--way:#84b6f2;--bad:#ff8f86;--badback:#3a1b19;--good:#74d194;
        --hot:#ffc35c;--hotback:#4a3510;--gap:#20252a;--ring:#8ab4f8}}
        *{box-sizing:border-box}html{scroll-padding:4rem 2rem 13rem}
        body{margin:0;background:var(--back);color:var(--ink);font:15px/1.45 system-ui,sans-serif;
        padding-bottom:13rem}
        .page{position:sticky;left:0;width:100vw;max-width:100%;padding:1rem 1.25rem 0;
        overflow-wrap:anywhere}
        @supports (width:1vw){.page{max-width:100vw}}
        h1{font-size:1.35rem;line-height:1.25;margin:0 0 .5rem;unicode-bidi:plaintext}
        h2{font-size:1rem;margin:1.5rem 0 .5rem}
        p{margin:.4rem 0;max-width:75ch}
        .badge{display:inline-block;border:2px solid;border-radius:4px;padding:0 .5rem;font-weight:700;
        margin-right:.5rem}
        .badge.good{color:var(--good)}.badge.bad{color:var(--bad)}
        .quiet{color:var(--faint)}
        .legend{list-style:none;display:flex;flex-wrap:wrap;gap:.1rem 1.1rem;padding:0;margin:.6rem 0;
        font-size:13px;color:var(--faint)}
        .legend li{display:flex;align-items:center;gap:.3rem}
        .sticky{position:sticky;top:0;z-index:1;background:var(--back);
        border-bottom:1px solid var(--lane)}
        .names,.body{display:block;width:100%;max-width:var(--most);min-width:var(--least);height:auto}.again{display:none}
        .again{border-bottom:1px solid var(--lane)}
        svg text{font:12px system-ui,sans-serif;fill:var(--ink);unicode-bidi:isolate}
        svg .name{font-weight:700;font-size:14px}
        svg .head,svg .time,svg .later{fill:var(--faint)}
        svg .time{font-size:11px;font-variant-numeric:tabular-nums}
        svg .scenario{font-size:13px}svg .aside,svg .later{font-style:italic}
        svg .label,svg .size{stroke:var(--back);stroke-width:4px;paint-order:stroke;
        stroke-linejoin:round}
        svg .size{fill:var(--way);font-size:11px}
        svg .hot{fill:var(--hot);font-weight:600}
        .rule{stroke:var(--rule)}.lane{stroke:var(--lane);stroke-width:2}
        .ended{stroke-dasharray:1 5;stroke-linecap:round}
        .gap{fill:var(--gap);stroke:var(--lane);stroke-dasharray:3 4}
        .solid{fill:var(--ink);stroke:var(--back)}.hollow{fill:var(--back);stroke:var(--ink);
        stroke-width:2}
        .back{fill:var(--back)}.line{fill:none;stroke:var(--ink);stroke-width:2}
        .thick{fill:none;stroke:var(--ink);stroke-width:3}
        .solid.bad{fill:var(--bad)}.hollow.bad,.line.bad,.thick.bad{stroke:var(--bad)}
        .good.thick{stroke:var(--good)}.solid.new{fill:var(--hot)}
        .conflict{fill:var(--hotback);stroke:var(--hot);stroke-width:2}
        .way{fill:none;stroke:var(--way);stroke-width:1.5}.tip{fill:var(--way)}
        .lost .way{stroke:var(--bad);stroke-dasharray:6 4}svg .missing{fill:var(--bad)}.labels{pointer-events:none}
        .band{fill:var(--badback);stroke:var(--bad);stroke-width:1.5}.stop{fill:var(--bad)}
        svg .bang{fill:var(--back);font-weight:800}svg .violated{fill:var(--bad);font-weight:600;
        font-size:13px}
        .mark{outline:none;cursor:default}
        .hit:not(.band){fill:transparent;stroke:transparent;stroke-width:3}
        path.hit:not(.band){fill:none;stroke-width:12;pointer-events:stroke}
        .mark:hover>.hit,.mark.shown>.hit{stroke:var(--rule)}
        .mark:focus>.hit{stroke:var(--ring);stroke-opacity:.75}
        .mark.message:focus>.hit{stroke-width:7}
        #detail{position:fixed;left:0;right:0;bottom:0;z-index:2;max-height:12rem;overflow:auto;
        background:var(--back);border-top:2px solid var(--lane);padding:.6rem 1.25rem;
        box-shadow:0 -4px 14px #0003;white-space:pre-wrap;overflow-wrap:anywhere;font-size:13px}
        table{border-collapse:collapse;font-size:13px;width:100%}
        th,td{text-align:left;vertical-align:top;padding:.2rem .8rem .2rem 0;
        border-bottom:1px solid var(--rule);overflow-wrap:anywhere;white-space:pre-line}
        th,td:nth-child(-n+2){white-space:nowrap}
        summary{cursor:pointer;font-weight:600;margin:1rem 0 .5rem}
        @media print{:root{--back:#fff;--ink:#000;--faint:#333;--rule:#ccc;--lane:#555;--way:#000;
        --bad:#000;--badback:#fff;--good:#000;--hot:#000;--hotback:#eee;--gap:#eee;
        color-scheme:light}
        body{padding:0;width:auto}.page{position:static}.page{width:auto;padding:0}
        .names,.body{max-width:none;min-width:0}.sticky{display:none}.again{display:block}
        .sheet{break-inside:avoid;padding-bottom:.5rem}
        #detail{display:none}summary{list-style:none}
        details::details-content{content-visibility:visible;display:block;block-size:auto}
        tr{break-inside:avoid}}
        """#

    /// The script: the panel says what the mark says that is pointed at.
    static let script = #"""
        (function(){
        var panel=document.getElementById('detail'),shown=null,table=document.querySelector('details');
        function show(event){
        var mark=event.target.closest?event.target.closest('.mark'):null;
        if(!mark||mark===shown)return;
        if(shown)shown.classList.remove('shown');
        shown=mark;mark.classList.add('shown');
        var text=mark.querySelector('title').textContent,end=(text+'\n').indexOf('\n');
        var first=document.createElement('b');first.textContent=text.slice(0,end);
        panel.replaceChildren(first,text.slice(end));panel.scrollTop=0;}
        ['mouseover','focusin','click'].forEach(function(name){document.addEventListener(name,show);});
        window.addEventListener('beforeprint',function(){table.open=true;});
        })();
        """#
}
