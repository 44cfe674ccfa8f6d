/// Where in the drawing each moment goes.
struct DiagramPlan {
    /// From so long on a time in which nothing happens is marked.
    static let gapMin: Int64 = 10_000
    /// The most lines of a step or a promise that was broken.
    static let narrationLineCountMax = 8
    /// The most lines of a label.
    static let labelLineCountMax = 16

    /// A change of whether the program of a device runs.
    struct Turn {
        /// What it turned to.
        enum State {
            case running
            case ended
            case down
        }

        var row: Int
        var lane: Int
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
    init(_ chronicle: Chronicle, _ measures: DiagramMeasures) {
        self.measures = measures
        words = DiagramWords(chronicle: chronicle)
        messages = DiagramMessages(chronicle)
        arrows = messages.arrows
        let moments = chronicle.moments
        while index < moments.count {
            let moment = moments[index]
            let lane = moment.lane.flatMap { chronicle.lanes.indices.contains($0) ? $0 : nil }
            place(moment, on: lane)
            index += 1
        }
    }

    private mutating func place(_ moment: Moment, on lane: Int?) {
        switch moment.happening {
        case .step(let text): narrate(text, moment)
        case .sent(let number, _, _, _): leave(number, moment)
        case .received(let number): arrive(number, moment)
        case .lost(let number, let why):
            if messages.arrow[number] != nil {
                arrive(number, moment)
            } else if let lane {
                mark(lane, .stray, "lost: \(why)", moment)
            }
        case .violated(let text):
            startRow(moment)
            rows[rows.count - 1].kind = .violation
            rows[rows.count - 1].narrated = index
            rows[rows.count - 1].narration = DiagramText.wrapped(
                text, to: measures.bandWidth, lineCountMax: Self.narrationLineCountMax)
        default:
            if let lane { mark(moment, on: lane) } else { narrate(words.sentence(moment), moment) }
        }
    }

    private mutating func narrate(_ text: String, _ moment: Moment) {
        startRow(moment)
        rows[rows.count - 1].narrated = index
        rows[rows.count - 1].narration = DiagramText.wrapped(
            text, to: DiagramMeasures.narrationWidth, lineCountMax: Self.narrationLineCountMax)
    }

    // MARK: Marks

    private mutating func mark(_ moment: Moment, on lane: Int) {
        switch moment.happening {
        case .wrote(let item, let done, let glimpse):
            mark(
                lane, .write, words.label(item: item, glimpse, done), moment,
                isConflicted: !glimpse.conflicts.isEmpty)
        case .merged(let item, let glimpse): merge(item, glimpse, moment, on: lane)
        case .refused(let why): mark(lane, .refused, "refused: \(why)", moment)
        case .sessionEnded(_, let how, let isWell):
            mark(lane, isWell ? .session : .broken, isWell ? "" : Self.short(how), moment)
        case .opened(let identity):
            turn(lane, .running, identity == nil ? .opened : .identity, moment)
            if let identity { relabel("new identity: \(identity)") }
        case .closed: turn(lane, .ended, .closed, moment)
        case .crashed: turn(lane, .down, .crashed, moment)
        case .lostPower: turn(lane, .down, .power, moment)
        case .befell(let text): mark(lane, .befell, text, moment)
        case .checked(_, let isTrue):
            mark(lane, isTrue ? .holds : .fails, isTrue ? "" : "not so", moment)
        case .step, .sent, .received, .lost, .violated: break
        }
    }

    /// What a shape says already is left out.
    private static func short(_ how: String) -> String {
        let known = "the session "
        return how.hasPrefix(known) ? String(how.dropFirst(known.count)) : how
    }

    private mutating func turn(
        _ lane: Int, _ state: Turn.State, _ shape: DiagramShape, _ moment: Moment
    ) {
        mark(lane, shape, words.sentence(moment), moment)
        turns.append(Turn(row: rows.count - 1, lane: lane, state: state))
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
        _ item: String, _ glimpse: RecordGlimpse, _ moment: Moment, on lane: Int
    ) {
        var alike = [index]
        let moments = words.chronicle.moments
        if glimpse.conflicts.isEmpty {
            while let last = alike.last, last + 1 < moments.count,
                case .merged(_, let next) = moments[last + 1].happening, next.conflicts.isEmpty,
                moments[last + 1].lane == lane, moments[last + 1].time == moment.time
            {
                alike.append(last + 1)
            }
        }
        if alike.count > 3 {
            mark(lane, .merge, "\(alike.count) items merged", moment, moments: alike)
            index = alike[alike.count - 1]
            return
        }
        let state = glimpse.state == .alive ? glimpse.values.joined(separator: ", ") : ""
        let label = words.label(
            item: item, glimpse, state.isEmpty ? glimpse.state.rawValue : state)
        mark(lane, .merge, label, moment, isConflicted: !glimpse.conflicts.isEmpty)
    }

    private mutating func mark(
        _ lane: Int, _ shape: DiagramShape, _ label: String, _ moment: Moment,
        isConflicted: Bool = false, moments: [Int]? = nil
    ) {
        let isFree =
            canShare(moment) && !row.lanes.contains(lane)
            && (label.isEmpty || !(row.cells.contains(lane) || row.crossed.contains(lane)))
        if !isFree { startRow(moment) }
        let last = rows.count - 1
        rows[last].lanes.insert(lane)
        if !label.isEmpty { rows[last].cells.insert(lane) }
        rows[last].marks.append(
            DiagramMark(
                moments: moments ?? [index], lane: lane, shape: shape, lines: lines(label),
                isConflicted: isConflicted))
    }

    // MARK: Arrows

    private mutating func leave(_ number: Int, _ moment: Moment) {
        guard let arrow = messages.arrow[number], arrows[arrow].start == nil else { return }
        let (from, to) = (arrows[arrow].from, arrows[arrow].to)
        let cell = to < from ? from - 1 : from
        if !canShare(moment) || row.lanes.contains(from) || row.heads.contains(from)
            || row.cells.contains(cell)
        {
            startRow(moment)
        }
        rows[rows.count - 1].lanes.insert(from)
        rows[rows.count - 1].cells.insert(cell)
        arrows[arrow].start = rows.count - 1
    }

    private mutating func arrive(_ number: Int, _ moment: Moment) {
        guard let arrow = messages.arrow[number], let start = arrows[arrow].start,
            arrows[arrow].end == nil
        else { return }
        let (from, to) = (arrows[arrow].from, arrows[arrow].to)
        // The cross of a lost message stands where a label could be.
        let cell = arrows[arrow].isLost ? (to < from ? to : to - 1) : nil
        let isFree =
            canShare(moment) && !row.lanes.contains(to) && !row.heads.contains(to)
            && start != rows.count - 1 && !(cell.map { row.cells.contains($0) } ?? false)
        if !isFree { startRow(moment) }
        rows[rows.count - 1].heads.insert(to)
        if from > to { rows[rows.count - 1].crossed.insert(to) }
        if let cell { rows[rows.count - 1].cells.insert(cell) }
        arrows[arrow].end = rows.count - 1
    }

    // MARK: Rows

    private var row: DiagramRow { rows[rows.count - 1] }

    private func canShare(_ moment: Moment) -> Bool {
        guard let last = rows.last else { return false }
        return last.kind == .moments && last.time == moment.time
    }

    private mutating func startRow(_ moment: Moment) {
        if let last = rows.last, moment.time - last.time >= Self.gapMin {
            var gap = DiagramRow(time: last.time)
            gap.kind = .gap
            gap.narration = [DiagramTime.later(moment.time - last.time)]
            rows.append(gap)
        }
        rows.append(DiagramRow(time: moment.time))
    }
}
