/// What the moments of a chronicle are called in the picture and in the table.
struct DiagramWords {
    let lanes: [String]

    /// The name of a lane; of a number that is no device's, a stranger.
    func name(_ lane: Int?) -> String {
        guard let lane else { return "all" }
        return lanes.indices.contains(lane) ? lanes[lane] : "a stranger"
    }

    /// What happened, in a line.
    func sentence(_ happening: Happening) -> String {
        switch happening {
        case .statement(let words): return words
        case .wrote(let item, let words, _): return "writes \(item): \(words)"
        case .refused(let why): return "refused: \(why)"
        case .sent(let message, let to, let kind, let byteCount):
            return "sends #\(message) to \(name(to)): \(kind), \(Self.bytes(byteCount))"
        case .received(let message): return "receives #\(message)"
        case .lost(let message, let why): return "#\(message) is lost: \(why)"
        case .merged(let item, let glimpse):
            let what = glimpse.conflicts.isEmpty ? "" : ", a conflict is open"
            return "merges \(item)\(what)"
        case .sessionEnded(let lane, let how, let isWell):
            return "session with \(name(lane)) ended\(isWell ? "" : " badly"): \(how)"
        case .opened(nil): return "opens"
        case .opened(let why?): return "opens with a new identity: \(why)"
        case .closed: return "closes"
        case .crashed: return "is killed"
        case .lostPower: return "loses power"
        case .befell(let words): return words
        case .checked(let words, let isTrue):
            return "\(isTrue ? "as expected" : "not as expected"): \(words)"
        case .violated(let words): return "promise broken: \(words)"
        }
    }

    /// The record that a moment shows, in lines; none if it shows none.
    func record(_ happening: Happening) -> [String] {
        let glimpse: RecordGlimpse
        switch happening {
        case .wrote(_, _, let found), .merged(_, let found): glimpse = found
        default: return []
        }
        let values = glimpse.values.isEmpty ? "no values" : glimpse.values.joined(separator: ", ")
        let clock = glimpse.clock.isEmpty ? "empty" : glimpse.clock.joined(separator: ", ")
        return ["now \(glimpse.state.rawValue): \(values)", "clock: \(clock)"]
            + glimpse.conflicts.map { "conflict: \($0)" }
    }

    /// All about a moment, in lines.
    func detail(_ moment: Moment) -> String {
        let head = "\(name(moment.lane)), \(DiagramTime.words(moment.time))"
        let lines = [head, sentence(moment.happening)] + record(moment.happening)
        return DiagramText.clipped(lines.joined(separator: "\n"), count: Diagram.textLengthMax)
    }

    /// The mark of a moment; nil if it has none. `statement` is what is being carried out.
    func mark(
        _ moment: Moment, at index: Int, statement: String, width: Int
    ) -> DiagramMark? {
        guard let (symbol, title, note) = label(moment.happening, statement) else { return nil }
        var lines = [title]
        if moment.lane == nil || note.isEmpty {
            lines = DiagramText.wrapped(title, width: width, size: 13, lineCount: 4)
        } else {
            lines = [DiagramText.clipped(title, width: width, size: 13)]
            lines += DiagramText.wrapped(note, width: width, size: 12, lineCount: 2)
        }
        return DiagramMark(
            lane: moment.lane, symbol: symbol, lines: lines, detail: detail(moment),
            moments: index...index)
    }

    private func label(
        _ happening: Happening, _ statement: String
    ) -> (symbol: DiagramSymbol, title: String, note: String)? {
        switch happening {
        case .wrote(let item, let words, _): (.wrote, item, words)
        case .merged(let item, let glimpse):
            (
                glimpse.conflicts.isEmpty ? .merged : .conflict, item,
                Self.summary(glimpse)
            )
        case .refused(let why): (.refused, "refused", why)
        case .opened(nil): (.opened, "opens", "")
        case .opened(let why?): (.renewed, "opens, new identity", why)
        case .closed: (.closed, "closes", "")
        case .crashed: (.killed, "killed", "")
        case .lostPower: (.powerCut, "loses power", "")
        case .befell(let words): (.befell, words, "")
        case .checked(let words, let isTrue):
            (
                isTrue ? .holds : .fails, isTrue ? "as expected" : "not as expected",
                words == statement ? "" : words
            )
        case .violated(let words): (.violated, "Promise broken: \(words)", "")
        case .sessionEnded(let lane, let how, false):
            (.parted, "session with \(name(lane))", how)
        case .statement, .sent, .received, .lost, .sessionEnded: nil
        }
    }

    private static func summary(_ glimpse: RecordGlimpse) -> String {
        if !glimpse.conflicts.isEmpty {
            return "conflict: " + glimpse.conflicts.joined(separator: "; ")
        }
        guard glimpse.state == .alive else { return "now \(glimpse.state.rawValue)" }
        return glimpse.values.isEmpty ? "merged" : "now " + glimpse.values.joined(separator: ", ")
    }

    /// `130 bytes`.
    static func bytes(_ count: Int) -> String { "\(count) byte\(count == 1 ? "" : "s")" }
}
