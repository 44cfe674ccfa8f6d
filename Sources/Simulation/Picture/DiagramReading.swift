/// Reads a chronicle into rows and arrows: decides what is drawn, and what is drawn as one.
///
/// Messages that changed nothing where they arrived are drawn together, one exchange between two
/// moments that matter to either end.
struct DiagramReading {
    private(set) var steps: [DiagramStep] = []
    private(set) var rows: [DiagramRow] = []
    private(set) var arrows: [DiagramArrow] = []
    /// The first moment that is drawn.
    let first: Int
    /// For each lane: from which row on it runs, stands still, or is not there.
    private(set) var states: [[(row: Int, state: LaneState)]]

    /// How a lane is at one time.
    enum LaneState { case absent, running, stopped }

    private let chronicle: Chronicle
    private let words: DiagramWords
    private let width: Int
    private let messages: DiagramMessages
    /// The exchange that goes on between two lanes: the arrow's number.
    private var exchanges: [[Int]: Int] = [:]
    /// Messages that are on their way as arrows of their own.
    private var flights: [Int: Int] = [:]

    /// Reads all; `width` is the room that a label has beside its lane, `bandWidth` across them.
    init(_ chronicle: Chronicle, width: Int, bandWidth: Int) {
        self.chronicle = chronicle
        self.width = width
        words = DiagramWords(lanes: chronicle.lanes)
        messages = DiagramMessages(chronicle)
        first = Self.firstDrawn(chronicle)
        states = Array(repeating: [(0, .absent)], count: chronicle.lanes.count)
        for moment in chronicle.moments[..<first] { follow(moment, row: 0) }
        for index in chronicle.moments.indices[first...] {
            let moment = chronicle.moments[index]
            enter(moment, index)
            place(moment, index, bandWidth)
        }
        for arrow in flights.values.sorted() {
            arrows[arrow].finish = arrows[arrow].start
            arrows[arrow].end = .underway
        }
    }

    /// The last moments are drawn, from the beginning of a statement if there is one among them.
    private static func firstDrawn(_ chronicle: Chronicle) -> Int {
        let excess = chronicle.moments.count - Diagram.drawnMomentCountMax
        guard excess > 0 else { return 0 }
        let statement = chronicle.moments.indices[excess...].first { index in
            if case .statement = chronicle.moments[index].happening { true } else { false }
        }
        guard let statement, statement < excess + Diagram.drawnMomentCountMax / 2 else {
            return excess
        }
        return statement
    }

    // MARK: Steps

    private mutating func enter(_ moment: Moment, _ index: Int) {
        let isNew: Bool
        var text = "After the last statement"
        if case .statement(let words) = moment.happening {
            isNew = true
            text = words
        } else if let step = steps.last {
            isNew = step.statement != moment.statement && moment.statement == nil
        } else {
            isNew = true
            text = index > 0 ? "(what came before is not drawn)" : "The beginning"
        }
        if isNew {
            steps.append(
                DiagramStep(statement: moment.statement, words: text, moments: index...index))
            exchanges = [:]
        } else {
            let last = steps.count - 1
            steps[last].moments = steps[last].moments.lowerBound...index
        }
        switch moment.happening {
        case .violated, .checked(_, false): steps[steps.count - 1].isBad = true
        default: break
        }
        pause(before: moment, index)
    }

    private mutating func pause(before moment: Moment, _ index: Int) {
        guard index > first else { return }
        let length = moment.time - chronicle.moments[index - 1].time
        guard length >= DiagramTime.pauseMin else { return }
        add(.pause(DiagramTime.later(length)), moment)
        exchanges = [:]
    }

    @discardableResult
    private mutating func add(_ kind: DiagramRow.Kind, _ moment: Moment) -> Int {
        rows.append(DiagramRow(kind: kind, step: steps.count - 1, time: moment.time))
        return rows.count - 1
    }

    // MARK: Moments

    private mutating func place(_ moment: Moment, _ index: Int, _ bandWidth: Int) {
        switch moment.happening {
        case .sent(let message, _, _, _): send(message, moment)
        case .received(let message): receive(message, moment, index)
        case .lost, .statement, .sessionEnded(_, _, true): break
        default:
            let room = moment.lane == nil ? bandWidth : width
            let statement = steps[steps.count - 1].words
            guard
                let mark = words.mark(moment, at: index, statement: statement, width: room)
            else { return }
            put(mark, moment)
        }
        follow(moment, row: max(0, rows.count - 1))
    }

    private mutating func put(_ mark: DiagramMark, _ moment: Moment) {
        guard let lane = mark.lane, chronicle.lanes.indices.contains(lane) else {
            rows[add(.band, moment)].marks = [mark]
            return
        }
        for pair in exchanges.keys.sorted(by: { $0.lexicographicallyPrecedes($1) })
        where pair.contains(lane) { exchanges[pair] = nil }
        let last = rows.count - 1
        if last >= 0, rows[last].step == steps.count - 1, rows[last].kind == .marks,
            joins(mark, rows[last], moment)
        {
            rows[last].marks.append(mark)
        } else if last >= 0, rows[last].step == steps.count - 1, joinsMerges(mark, rows[last]) {
            gather(mark, into: last)
        } else {
            rows[add(.marks, moment)].marks = [mark]
        }
    }

    private func joins(_ mark: DiagramMark, _ row: DiagramRow, _ moment: Moment) -> Bool {
        mark.symbol.isShared && row.time == moment.time
            && row.marks.allSatisfy { $0.symbol.isShared && $0.lane != mark.lane }
    }

    private func joinsMerges(_ mark: DiagramMark, _ row: DiagramRow) -> Bool {
        mark.symbol == .merged && row.kind == .marks && row.marks.count == 1
            && row.marks[0].symbol == .merged && row.marks[0].lane == mark.lane
            && row.marks[0].moments.upperBound + 1 == mark.moments.lowerBound
    }

    /// Makes one mark of two items that one message changed.
    private mutating func gather(_ mark: DiagramMark, into row: Int) {
        var gathered = rows[row].marks[0]
        gathered.moments = gathered.moments.lowerBound...mark.moments.upperBound
        let items = gathered.moments.compactMap { index -> String? in
            guard case .merged(let item, _) = chronicle.moments[index].happening else {
                return nil
            }
            return item
        }
        gathered.lines =
            ["\(items.count) items merged"]
            + DiagramText.wrapped(
                items.joined(separator: ", "), width: width, size: 12, lineCount: 2)
        gathered.detail = DiagramText.clipped(
            gathered.detail + "\n\n" + mark.detail, count: Diagram.textLengthMax)
        rows[row].marks = [gathered]
    }

    private mutating func follow(_ moment: Moment, row: Int) {
        guard let lane = moment.lane, states.indices.contains(lane) else { return }
        let last = states[lane][states[lane].count - 1].state
        let state: LaneState =
            switch moment.happening {
            case .opened: .running
            case .closed, .crashed, .lostPower: .stopped
            default: last == .absent ? .running : last
            }
        if state != last { states[lane].append((row, state)) }
    }

    // MARK: Messages

    private mutating func send(_ message: Int, _ moment: Moment) {
        guard let found = messages[message], let from = moment.lane else { return }
        let line = "#\(message) \(found.kind), \(DiagramWords.bytes(found.byteCount))"
        let text =
            "\(line), from \(words.name(from)) to \(words.name(found.to)), "
            + (found.received.map { "arrives at \(DiagramTime.words(chronicle.moments[$0].time))" }
                ?? (found.lost == nil ? "does not arrive in this story" : found.reason))
        if found.lost != nil {
            loseOnTheWay(found, text, moment, from)
            return
        }
        if isChatter(found) {
            let pair = [min(from, found.to), max(from, found.to)]
            let arrow = exchanges[pair] ?? beginExchange(found, moment, from, pair)
            arrows[arrow].add(text, kind: found.kind, byteCount: found.byteCount)
            if arrows[arrow].from != from { arrows[arrow].goesBothWays = true }
            return
        }
        let row = add(.sending, moment)
        var arrow = DiagramArrow(
            from: from, to: found.to, start: row, finish: row, end: .arrives, moment: found.sent)
        arrow.add(text, kind: found.kind, byteCount: found.byteCount)
        flights[message] = arrows.count
        arrows.append(arrow)
    }

    private mutating func beginExchange(
        _ found: DiagramMessage, _ moment: Moment, _ from: Int, _ pair: [Int]
    ) -> Int {
        let row = add(.exchange, moment)
        arrows.append(
            DiagramArrow(
                from: from, to: found.to, start: row, finish: row, end: .arrives,
                moment: found.sent))
        exchanges[pair] = arrows.count - 1
        return arrows.count - 1
    }

    private mutating func loseOnTheWay(
        _ found: DiagramMessage, _ text: String, _ moment: Moment, _ from: Int
    ) {
        if let last = arrows.last, last.end == .lost, last.start == rows.count - 1,
            last.from == from, last.to == found.to, last.reason == found.reason,
            rows[last.start].step == steps.count - 1
        {
            arrows[arrows.count - 1].add(text, kind: found.kind, byteCount: found.byteCount)
            return
        }
        let row = add(.sending, moment)
        var arrow = DiagramArrow(
            from: from, to: found.to, start: row, finish: row, end: .lost, moment: found.sent)
        arrow.reason = found.reason
        arrow.add(text, kind: found.kind, byteCount: found.byteCount)
        arrows.append(arrow)
    }

    private mutating func receive(_ message: Int, _ moment: Moment, _ index: Int) {
        guard let arrow = flights.removeValue(forKey: message) else { return }
        arrows[arrow].finish = add(.receiving, moment)
    }

    /// Whether nothing is lost if it is drawn together with others.
    private func isChatter(_ message: DiagramMessage) -> Bool {
        guard let received = message.received, !message.isCarrying else { return false }
        let (sent, arrived) = (chronicle.moments[message.sent], chronicle.moments[received])
        return sent.statement == arrived.statement
            && arrived.time - sent.time < DiagramTime.pauseMin
    }
}
