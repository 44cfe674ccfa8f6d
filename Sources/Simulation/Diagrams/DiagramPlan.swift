/// Where in the drawing each entry goes.
struct DiagramPlan {
    /// From so long on a time in which nothing happens is marked.
    static let gapMin: Int64 = 10_000
    /// The most lines of a step or a promise that was broken.
    static let narrationLineCountMax = 8
    /// The most lines of a label.
    static let labelLineCountMax = 16

    /// A change of whether the program of a device runs.
    struct Turn {
        /// The state that it turned to.
        enum State {
            case running
            case ended
            case down
        }

        var row: Int
        var column: Int
        var state: State
    }

    private let words: DiagramWords
    private let measures: DiagramMeasures
    private(set) var rows: [DiagramRow] = []
    private(set) var turns: [Turn] = []
    private(set) var arrows: [DiagramArrow]
    private let messages: DiagramMessages
    private var index = 0

    /// Plans a drawing.
    init(_ trace: Trace, _ measures: DiagramMeasures) {
        self.measures = measures
        words = DiagramWords(trace: trace)
        messages = DiagramMessages(trace)
        arrows = messages.arrows
        let entries = trace.entries
        while index < entries.count {
            let entry = entries[index]
            let column = entry.deviceIndex.flatMap { trace.devices.indices.contains($0) ? $0 : nil }
            add(entry, on: column)
            index += 1
        }
    }

    private mutating func add(_ entry: TraceEntry, on column: Int?) {
        switch entry.event {
        case .step(let text): narrate(text, entry)
        case .sent(let number, _, _, _): leave(number, entry)
        case .received(let number): arrive(number, entry)
        case .lost(let number, let why):
            if messages.arrow[number] != nil {
                arrive(number, entry)
            } else if let column {
                mark(column, .stray, "lost: \(why)", entry)
            }
        case .violated(let text):
            startRow(entry)
            rows[rows.count - 1].kind = .violation
            rows[rows.count - 1].narrated = index
            rows[rows.count - 1].narration = DiagramText.wrapped(
                text, to: measures.bandWidth, lineCountMax: Self.narrationLineCountMax)
        default:
            if let column { mark(entry, on: column) } else { narrate(words.sentence(entry), entry) }
        }
    }

    private mutating func narrate(_ text: String, _ entry: TraceEntry) {
        startRow(entry)
        rows[rows.count - 1].narrated = index
        rows[rows.count - 1].narration = DiagramText.wrapped(
            text, to: DiagramMeasures.narrationWidth, lineCountMax: Self.narrationLineCountMax)
    }

    // MARK: Marks

    private mutating func mark(_ entry: TraceEntry, on column: Int) {
        switch entry.event {
        case .wrote(let item, let done, let glimpse):
            mark(
                column, .write, words.label(item: item, glimpse, done), entry,
                isConflicted: !glimpse.conflicts.isEmpty)
        case .merged(let item, let glimpse): merge(item, glimpse, entry, on: column)
        case .refused(let why): mark(column, .refused, "refused: \(why)", entry)
        case .sessionEnded(_, let how, let isWell):
            mark(column, isWell ? .session : .broken, isWell ? "" : Self.short(how), entry)
        case .opened(let identity):
            turn(column, .running, identity == nil ? .opened : .identity, entry)
            if let identity { relabel("new identity: \(identity)") }
        case .closed: turn(column, .ended, .closed, entry)
        case .crashed: turn(column, .down, .crashed, entry)
        case .lostPower: turn(column, .down, .power, entry)
        case .befell(let text): mark(column, .befell, text, entry)
        case .checked(_, let isTrue):
            mark(column, isTrue ? .holds : .fails, isTrue ? "" : "not so", entry)
        case .step, .sent, .received, .lost, .violated: break
        }
    }

    /// Words that repeat the shape are left out.
    private static func short(_ how: String) -> String {
        let known = "the session "
        return how.hasPrefix(known) ? String(how.dropFirst(known.count)) : how
    }

    private mutating func turn(
        _ column: Int, _ state: Turn.State, _ shape: DiagramShape, _ entry: TraceEntry
    ) {
        mark(column, shape, words.sentence(entry), entry)
        turns.append(Turn(row: rows.count - 1, column: column, state: state))
    }

    private mutating func relabel(_ label: String) {
        let last = rows[rows.count - 1].marks.count - 1
        rows[rows.count - 1].marks[last].lines = lines(label)
    }

    private func lines(_ label: String) -> [String] {
        label.isEmpty
            ? []
            : DiagramText.wrapped(
                label, to: measures.labelWidth, lineCountMax: Self.labelLineCountMax)
    }

    /// Draws a merge; many at one time become one.
    private mutating func merge(
        _ item: String, _ glimpse: RecordGlimpse, _ entry: TraceEntry, on column: Int
    ) {
        var alike = [index]
        let entries = words.trace.entries
        if glimpse.conflicts.isEmpty {
            while let last = alike.last, last + 1 < entries.count,
                case .merged(_, let next) = entries[last + 1].event, next.conflicts.isEmpty,
                entries[last + 1].deviceIndex == column, entries[last + 1].time == entry.time
            {
                alike.append(last + 1)
            }
        }
        if alike.count > 3 {
            mark(column, .merge, "\(alike.count) items merged", entry, entries: alike)
            index = alike[alike.count - 1]
            return
        }
        let state = glimpse.state == .alive ? glimpse.values.joined(separator: ", ") : ""
        let label = words.label(
            item: item, glimpse, state.isEmpty ? glimpse.state.rawValue : state)
        mark(column, .merge, label, entry, isConflicted: !glimpse.conflicts.isEmpty)
    }

    private mutating func mark(
        _ column: Int, _ shape: DiagramShape, _ label: String, _ entry: TraceEntry,
        isConflicted: Bool = false, entries: [Int]? = nil
    ) {
        let isFree =
            canShare(entry) && !row.columns.contains(column)
            && (label.isEmpty || !(row.cells.contains(column) || row.crossed.contains(column)))
        if !isFree { startRow(entry) }
        let last = rows.count - 1
        rows[last].columns.insert(column)
        if !label.isEmpty { rows[last].cells.insert(column) }
        rows[last].marks.append(
            DiagramMark(
                entries: entries ?? [index], column: column, shape: shape, lines: lines(label),
                isConflicted: isConflicted))
    }

    // MARK: Arrows

    private mutating func leave(_ number: Int, _ entry: TraceEntry) {
        guard let arrow = messages.arrow[number], arrows[arrow].start == nil else { return }
        let (from, to) = (arrows[arrow].from, arrows[arrow].to)
        let cell = to < from ? from - 1 : from
        if !canShare(entry) || row.columns.contains(from) || row.heads.contains(from)
            || row.cells.contains(cell)
        {
            startRow(entry)
        }
        rows[rows.count - 1].columns.insert(from)
        rows[rows.count - 1].cells.insert(cell)
        arrows[arrow].start = rows.count - 1
    }

    private mutating func arrive(_ number: Int, _ entry: TraceEntry) {
        guard let arrow = messages.arrow[number], let start = arrows[arrow].start,
            arrows[arrow].end == nil
        else { return }
        let (from, to) = (arrows[arrow].from, arrows[arrow].to)
        // The cross of a lost message stands where a label could be.
        let cell = arrows[arrow].isLost ? (to < from ? to : to - 1) : nil
        let isFree =
            canShare(entry) && !row.columns.contains(to) && !row.heads.contains(to)
            && start != rows.count - 1 && !(cell.map { row.cells.contains($0) } ?? false)
        if !isFree { startRow(entry) }
        rows[rows.count - 1].heads.insert(to)
        if from > to { rows[rows.count - 1].crossed.insert(to) }
        if let cell { rows[rows.count - 1].cells.insert(cell) }
        arrows[arrow].end = rows.count - 1
    }

    // MARK: Rows

    private var row: DiagramRow { rows[rows.count - 1] }

    private func canShare(_ entry: TraceEntry) -> Bool {
        guard let last = rows.last else { return false }
        return last.kind == .entries && last.time == entry.time
    }

    private mutating func startRow(_ entry: TraceEntry) {
        if let last = rows.last, entry.time - last.time >= Self.gapMin {
            var gap = DiagramRow(time: last.time)
            gap.kind = .gap
            gap.narration = [DiagramTime.later(entry.time - last.time)]
            rows.append(gap)
        }
        rows.append(DiagramRow(time: entry.time))
    }
}

/// A row of the drawing: what happens at one time.
struct DiagramRow {
    /// The use of a row.
    enum Kind {
        case entries
        case gap
        case violation
    }

    var kind = Kind.entries
    var time: Int64
    /// The lines in the column of the scenario.
    var narration: [String] = []
    /// The entry that the words are about.
    var narrated: Int?
    var marks: [DiagramMark] = []
    /// Columns on which something has been drawn.
    var columns: Set<Int> = []
    /// Columns at which an arrow ends.
    var heads: Set<Int> = []
    /// The heads whose arrow comes from the right, where labels are.
    var crossed: Set<Int> = []
    /// Columns beside which something is written; what is written left of one counts to its neighbour.
    var cells: Set<Int> = []

    /// How high it is drawn.
    var height: Int {
        switch kind {
        case .gap: 30
        case .violation: 16 * max(1, narration.count) + 26
        case .entries:
            max(
                26, narration.isEmpty ? 0 : 16 * narration.count + 14,
                middle + 13 + DiagramMeasures.lineHeight * (lineCount - 1))
        }
    }

    /// The lines of the longest label.
    private var lineCount: Int { marks.map(\.lines.count).max() ?? 0 }

    /// Where its marks are, below its top.
    var middle: Int { narration.isEmpty || kind != .entries ? 13 : 17 }
}

/// A mark on the column of a device.
struct DiagramMark {
    /// The entries that it shows; more than one if they are drawn as one.
    var entries: [Int]
    var column: Int
    var shape: DiagramShape
    /// Its label, in lines that fit.
    var lines: [String]
    /// Whether a record has open conflicts after it.
    var isConflicted = false
}

/// The shapes of marks: each kind of event has one of its own, so that no colour is needed.
enum DiagramShape: String, CaseIterable {
    case write
    case merge
    case opened
    case identity
    case closed
    case crashed
    case power
    case session
    case broken
    case refused
    case befell
    case holds
    case fails
    case stray

    /// Its meaning, in the legend.
    var meaning: String {
        switch self {
        case .write: "a write"
        case .merge: "merged what came in"
        case .opened: "the program starts"
        case .identity: "starts with a new replica id"
        case .closed: "the program ends in order"
        case .crashed: "the program is killed"
        case .power: "the machine loses power"
        case .session: "a session ends in order"
        case .broken: "a session fails"
        case .refused: "an action is refused"
        case .befell: "something else befalls the device"
        case .holds: "an expectation holds"
        case .fails: "an expectation fails"
        case .stray: "a lost message nobody is known to have sent"
        }
    }

    /// The shape around the origin.
    var drawing: String {
        switch self {
        case .write: #"<circle class="solid" r="5"/>"#
        case .merge: #"<circle class="hollow" r="5.5"/>"#
        case .opened: #"<path class="solid" d="M-6 5L0 -6L6 5Z"/>"#
        case .identity:
            #"<path class="solid new" d="M0 -9L2.4 -3.2L8.6 -2.8L3.8 1.2L5.3 7.3L0 4L-5.3 7.3"#
                + #"L-3.8 1.2L-8.6 -2.8L-2.4 -3.2Z"/>"#
        case .closed: #"<path class="solid" d="M-8 -2.5H8V2.5H-8Z"/>"#
        case .crashed: #"<path class="thick bad" d="M-6 -6L6 6M6 -6L-6 6"/>"#
        case .power: #"<path class="solid bad" d="M2 -10L-6 1.5H-1L-2.5 10L6 -2H1Z"/>"#
        case .session: #"<path class="line" d="M-7 -2.5H7M-7 2.5H7"/>"#
        case .broken: #"<path class="line bad" d="M-7 -2.5H7M-7 2.5H7M-4 7L4 -7"/>"#
        case .refused:
            #"<circle class="hollow bad" r="6"/><path class="line bad" d="M-4.2 4.2L4.2 -4.2"/>"#
        case .befell: #"<path class="hollow" d="M-5 -5H5V5H-5Z"/>"#
        case .holds:
            #"<circle class="back" r="7"/><path class="thick good" d="M-5.5 0L-1.5 4.5L6 -5"/>"#
        case .fails:
            #"<path class="hollow bad" d="M-7 -7H7V7H-7Z"/>"#
                + #"<path class="thick bad" d="M-3.5 -3.5L3.5 3.5M3.5 -3.5L-3.5 3.5"/>"#
        case .stray: #"<path class="line bad" d="M-4 -4L4 4M4 -4L-4 4"/>"#
        }
    }

    /// The ring around a mark if the record has open conflicts.
    static let conflict = #"<path class="conflict" d="M0 -12L12 0L0 12L-12 0Z"/>"#
}
