/// The drawing itself, in SVG.
struct DiagramDrawing {
    static let top = 8
    /// From so high on a sheet ends before the next step.
    static let sheetHeight = 300
    /// How high a sheet gets at most.
    static let sheetHeightMax = 450

    private let words: DiagramWords
    private let plan: DiagramPlan
    /// The first row that is drawn.
    private let first: Int
    /// The tops of the drawn rows, and their end.
    private var tops: [Int] = [DiagramDrawing.top]
    private let measures: DiagramMeasures

    /// Draws what is planned.
    init(_ trace: Trace) {
        words = DiagramWords(trace: trace)
        measures = DiagramMeasures(deviceCount: trace.devices.count)
        plan = DiagramPlan(trace, measures)
        first = max(0, plan.rows.count - Diagram.drawnRowCountMax)
        for row in plan.rows[first...] { tops.append(tops[tops.count - 1] + row.height) }
    }

    /// How many rows are left out.
    var omittedRowCount: Int { first }

    /// All marks that are drawn.
    var marks: [DiagramMark] { plan.rows[first...].flatMap(\.marks) }

    /// All arrows, those above the drawn rows too.
    var arrows: [DiagramArrow] { plan.arrows }

    /// How wide the drawing is.
    private var width: Int { measures.width }

    /// How the page may scale the drawing, for its style.
    var scaling: String { "--most:\(measures.mostWidth)px;--least:\(measures.leastWidth)px" }

    private var height: Int { tops[tops.count - 1] + 16 }

    private func x(_ column: Int) -> Int {
        DiagramMeasures.firstColumnX + column * measures.spacing
    }

    /// Where the marks of a row are; the upper edge for a row that is left out.
    private func y(_ row: Int) -> Int {
        row < first ? 0 : tops[row - first] + plan.rows[row].middle
    }

    // MARK: Parts

    /// The names of the columns.
    var header: String {
        var text = svg("names", height: 34)
        for (column, name) in words.trace.devices.enumerated() {
            let shown = DiagramText.clipped(name, to: measures.labelWidth)
            text += #"<g><title>\#(DiagramText.escaped(DiagramText.bounded(name)))</title>"#
            text += #"<text class="name" x="\#(x(column))" y="22" text-anchor="middle">"#
            text += DiagramText.escaped(shown) + "</text></g>\n"
        }
        text += #"<text class="head" x="\#(DiagramMeasures.timeX)" y="22">time</text>"#
        text +=
            #"<text class="head" x="\#(DiagramMeasures.narrationX)" y="22">the scenario</text></svg>"#
        return text
    }

    /// Columns, scenario, arrows and marks, in sheets that join and that a printer keeps whole.
    var body: String {
        var starting: [Int: [DiagramArrow]] = [:]
        for arrow in plan.arrows {
            guard let start = arrow.start, start >= first || (arrow.end ?? 0) >= first else {
                continue
            }
            starting[max(first, start), default: []].append(arrow)
        }
        var passing: [DiagramArrow] = []
        var text = ""
        for sheet in sheets {
            passing.removeAll { ($0.end ?? 0) < sheet.lowerBound }
            text += draw(sheet, starting, passing)
            for row in sheet { passing += starting[row] ?? [] }
        }
        return text
    }

    /// The rows of each sheet; one ends before a step where it can.
    private var sheets: [Range<Int>] {
        var sheets: [Range<Int>] = []
        var start = first
        for row in first..<plan.rows.count {
            let height = tops[row - first] - tops[start - first]
            let isStep = plan.rows[row].narrated != nil && plan.rows[row].kind == .entries
            guard height >= Self.sheetHeightMax || (height >= Self.sheetHeight && isStep)
            else { continue }
            sheets.append(start..<row)
            start = row
        }
        return sheets + [start..<plan.rows.count]
    }

    private func draw(
        _ sheet: Range<Int>, _ starting: [Int: [DiagramArrow]], _ passing: [DiagramArrow]
    ) -> String {
        let top = sheet.lowerBound == first ? 0 : tops[sheet.lowerBound - first]
        let bottom = sheet.upperBound == plan.rows.count ? height : tops[sheet.upperBound - first]
        var text = #"<div class="sheet"><div class="again" aria-hidden="true">\#(header)</div>"#
        text += svg("body", top: top, height: bottom - top)
        if top == 0 { text += Self.arrowHead }
        text += rules(sheet) + columns(from: top, to: bottom)
        for arrow in passing {
            text += #"<g aria-hidden="true" class="\#(kind(arrow))">"# + line(arrow) + "</g>\n"
        }
        var labels = ""
        for row in sheet {
            text += scenario(row)
            for arrow in starting[row] ?? [] {
                text += draw(arrow)
                labels += label(arrow)
            }
            for mark in plan.rows[row].marks {
                text += draw(mark, at: row)
                labels += label(mark, at: row)
            }
        }
        text += #"<g class="labels" aria-hidden="true">"# + "\n" + labels + "</g>\n"
        return text + "</svg>\n</div>\n"
    }

    private static let arrowHead =
        #"<defs><marker id="arrow" markerUnits="userSpaceOnUse" markerWidth="10" "#
        + #"markerHeight="10" refX="8.5" refY="5" orient="auto">"#
        + #"<path class="tip" d="M0 1L9 5L0 9Z"/></marker></defs>"# + "\n"

    private func svg(_ name: String, top: Int = 0, height: Int) -> String {
        #"<svg xmlns="http://www.w3.org/2000/svg" class="\#(name)" width="\#(width)" "#
            + #"height="\#(height)" viewBox="0 \#(top) \#(width) \#(height)">"# + "\n"
    }

    private func text(
        _ kind: String, _ x: Int, _ y: Int, _ words: String, end: Bool = false
    ) -> String {
        let anchor = end ? #" text-anchor="end""# : ""
        return #"<text class="\#(kind)" x="\#(x)" y="\#(y)"\#(anchor)>"#
            + DiagramText.escaped(words) + "</text>"
    }

    private func rules(_ sheet: Range<Int>) -> String {
        var text = ""
        for row in sheet
        where plan.rows[row].kind == .entries && !plan.rows[row].narration.isEmpty {
            let y = tops[row - first]
            text +=
                #"<path class="rule" d="M\#(DiagramMeasures.timeX) \#(y)H\#(width - 12)"/>"# + "\n"
        }
        return text
    }

    /// The columns: a line while the program runs, dots while it has ended, nothing after a crash.
    private func columns(from top: Int, to bottom: Int) -> String {
        var text = ""
        for column in words.trace.devices.indices {
            let turns = plan.turns.filter { $0.column == column }
            var state: DiagramPlan.Turn.State? = turns.first?.state == .running ? nil : .running
            var start = 0
            func piece(to end: Int) -> String {
                let (start, end) = (max(start, top), min(end, bottom))
                guard let state, state != .down, end > start else { return "" }
                let kind = state == .running ? "lane" : "lane ended"
                return #"<path class="\#(kind)" d="M\#(x(column)) \#(start)V\#(end)"/>"# + "\n"
            }
            for turn in turns {
                text += piece(to: y(turn.row))
                start = y(turn.row)
                state = turn.state
            }
            text += piece(to: height)
        }
        return text
    }

    // MARK: The scenario

    private func scenario(_ index: Int) -> String {
        let row = plan.rows[index]
        let top = tops[index - first]
        switch row.kind {
        case .gap: return gap(row, top)
        case .violation: return violation(row, top)
        case .entries: break
        }
        var result = ""
        let isNewTime = index == first || plan.rows[index - 1].time != row.time
        if isNewTime {
            result += text(
                "time", DiagramMeasures.timeX, top + row.middle + 4, DiagramTime.clock(row.time))
        }
        guard let narrated = row.narrated else { return result + "\n" }
        let entry = words.trace.entries[narrated]
        let isStep = if case .step = entry.event { true } else { false }
        var lines = ""
        for (number, line) in row.narration.enumerated() {
            lines += text(
                isStep ? "scenario" : "scenario aside", DiagramMeasures.narrationX,
                top + row.middle + 4 + 16 * number, line)
        }
        let detail = [
            "\(words.sentence(entry))  (\(DiagramTime.clock(entry.time)))"
        ].map(DiagramText.bounded)
        guard row.narration.last?.hasSuffix("…") == true else { return result + lines + "\n" }
        result += group("told", detail)
        result += #"<rect class="hit" x="\#(DiagramMeasures.narrationX - 6)" y="\#(top + 2)" "#
        result += #"width="\#(DiagramMeasures.firstColumnX - DiagramMeasures.narrationX - 12)" "#
        result += #"height="\#(row.height - 4)" rx="3"/>"#
        return result + lines + "</g>\n"
    }

    private func gap(_ row: DiagramRow, _ top: Int) -> String {
        let (upper, lower) = (top + 5, top + 25)
        return
            #"<path class="gap" d="M\#(DiagramMeasures.timeX) \#(upper)H\#(width - 12)V\#(lower)H\#(DiagramMeasures.timeX)Z"/>"#
            + text(
                "later", DiagramMeasures.narrationX, top + 19, "⋮  " + (row.narration.first ?? ""))
            + "\n"
    }

    private func violation(_ row: DiagramRow, _ top: Int) -> String {
        guard let narrated = row.narrated else { return "" }
        let entry = words.trace.entries[narrated]
        let detail = [
            "a promise was broken  (\(DiagramTime.clock(entry.time)))",
            DiagramText.bounded(words.sentence(entry)),
        ]
        var result = group("violation", detail)
        result +=
            #"<rect class="hit band" x="\#(DiagramMeasures.timeX)" y="\#(top + 5)" width="\#(width - 24)" "#
            + #"height="\#(row.height - 10)" rx="4"/>"#
        result += #"<path class="stop" d="M-4 -9H4L9 -4V4L4 9H-4L-9 4V-4Z" "#
        result +=
            #"transform="translate(\#(DiagramMeasures.timeX + 18) \#(top + row.height / 2))"/>"#
        result += text("bang", DiagramMeasures.timeX + 16, top + row.height / 2 + 5, "!")
        for (number, line) in row.narration.enumerated() {
            result += text(
                "violated", DiagramMeasures.timeX + 36, top + 24 + 16 * number,
                (number == 0 ? "broken: " : "") + line)
        }
        return result + "</g>\n"
    }

    /// The beginning of something that can be pointed at.
    private func group(_ kind: String, _ detail: [String], transform: String = "") -> String {
        let label = DiagramText.escaped(detail.first ?? "")
        let title = detail.map { DiagramText.escaped($0) }.joined(separator: "\n")
        return
            #"<g class="mark \#(kind)" tabindex="0" role="img" aria-label="\#(label)"\#(transform)>"#
            + "<title>\(title)</title>"
    }

    // MARK: Marks and arrows

    private func draw(_ mark: DiagramMark, at row: Int) -> String {
        let transform = #" transform="translate(\#(x(mark.column)) \#(y(row)))""#
        var result = group(mark.shape.rawValue, words.detail(mark), transform: transform)
        result += #"<circle class="hit" r="12"/>"#
        if mark.isConflicted { result += DiagramShape.conflict }
        result += mark.shape.drawing
        return result + "</g>\n"
    }

    private func label(_ mark: DiagramMark, at row: Int) -> String {
        let kind = mark.isConflicted ? "label hot" : "label"
        return mark.lines.enumerated().map { number, line in
            text(
                kind, x(mark.column) + 16, y(row) + 4 + DiagramMeasures.lineHeight * number, line)
                + "\n"
        }.joined()
    }

    private func label(_ arrow: DiagramArrow) -> String {
        guard let start = arrow.start, start >= first else { return "" }
        let isRight = arrow.to >= arrow.from
        let words = DiagramText.clipped(
            arrow.label(fitting: measures.labelWidth), to: measures.labelWidth)
        let isWhole = arrow.end != nil && !arrow.isLost
        return text(
            isWhole ? "size" : "size missing", x(arrow.from) + (isRight ? 13 : -13), y(start) - 3,
            words, end: !isRight) + "\n"
    }

    private func draw(_ arrow: DiagramArrow) -> String {
        group(kind(arrow), words.detail(arrow)) + line(arrow) + "</g>\n"
    }

    private func kind(_ arrow: DiagramArrow) -> String {
        arrow.end != nil && !arrow.isLost ? "message" : "message lost"
    }

    /// The line of an arrow, and how it ends.
    private func line(_ arrow: DiagramArrow) -> String {
        guard let start = arrow.start else { return "" }
        let sign = arrow.to >= arrow.from ? 1 : -1
        let from = x(arrow.from) + 7 * sign
        var (to, end) = (x(arrow.to) - 7 * sign, arrow.end.map { y($0) } ?? y(start) + 14)
        if arrow.end == nil || arrow.isToStranger { (to, end) = (from + 70 * sign, y(start) + 14) }
        if arrow.isLost { to = from + (to - from) * 85 / 100 }
        let path = "M\(from) \(y(start))L\(to) \(end)"
        let hasHead = (arrow.end != nil && !arrow.isLost) || arrow.isToStranger
        let tip = hasHead ? #" marker-end="url(#arrow)""# : ""
        var result = #"<path class="hit" d="\#(path)"/><path class="way" d="\#(path)"\#(tip)/>"#
        if arrow.isLost {
            result += #"<path class="thick bad" d="M-5 -5L5 5M5 -5L-5 5" "#
            result += #"transform="translate(\#(to) \#(end))"/>"#
        }
        return result
    }
}

/// How wide the parts of a drawing are, in its own units: pixels of a page that is wide enough.
///
/// On any other page the whole drawing shrinks or grows, from `leastWidth` to `mostWidth`; only on one
/// that is narrower still it is scrolled.
struct DiagramMeasures {
    static let timeX = 12
    static let narrationX = 132
    static let firstColumnX = 386
    /// How wide the column of the scenario is, in widths of a letter.
    static let narrationWidth = 33
    /// How high a further line of a label is.
    static let lineHeight = 14

    /// From one column to the next.
    let spacing: Int
    /// How wide the drawing is.
    let width: Int

    /// The measures of a drawing with so many columns.
    init(deviceCount: Int) {
        spacing =
            switch deviceCount {
            case 0...2: 290
            case 3: 260
            case 4: 215
            case 5: 195
            default: 180
            }
        width = Self.firstColumnX + max(1, deviceCount) * spacing + 10
    }

    /// How narrow the drawing may become: letters are then as small as they can be read.
    var leastWidth: Int { width * 6 / 10 }

    /// How wide the drawing may become on a page that has room.
    var mostWidth: Int { width * 6 / 5 }

    /// How many letters fit beside a column.
    var labelWidth: Int { (spacing - 32) * 10 / 68 }

    /// How many letters fit into a band across all columns.
    var bandWidth: Int { (width - 70) / 7 }
}
