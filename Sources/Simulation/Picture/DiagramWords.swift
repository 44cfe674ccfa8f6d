/// What happened, in words.
struct DiagramWords {
    let chronicle: Chronicle

    /// The name of a lane.
    func name(_ lane: Int) -> String {
        chronicle.lanes.indices.contains(lane) ? chronicle.lanes[lane] : "a stranger"
    }

    /// What happened in a moment, in a sentence without its subject.
    func sentence(_ moment: Moment) -> String {
        switch moment.happening {
        case .step(let words): return words
        case .wrote(let item, let words, _): return "writes \(item): \(words)"
        case .refused(let why): return "refuses: \(why)"
        case .sent(let number, let to, let kind, let byteCount):
            let other = to == moment.lane ? "a stranger" : name(to)
            return "sends #\(number) (\(kind), \(Counted.words(byteCount, "byte"))) to \(other)"
        case .received(let number): return "receives #\(number)"
        case .lost(let number, let why): return "never receives #\(number): \(why)"
        case .merged(let item, let glimpse):
            let conflicts = glimpse.conflicts.isEmpty ? "" : ", with conflicts"
            return "merges \(item)\(conflicts)"
        case .sessionEnded(let lane, let how, let isWell):
            let other = lane == moment.lane ? "a stranger" : name(lane)
            return "session with \(other) \(isWell ? "is over" : "fails"): \(how)"
        case .opened(let identity):
            return identity.map { "starts with a new replica id: \($0)" } ?? "starts"
        case .closed: return "ends in order"
        case .crashed: return "is killed"
        case .lostPower: return "loses power"
        case .befell(let words): return words
        case .checked(let words, let isTrue): return "\(isTrue ? "holds" : "fails"): \(words)"
        case .violated(let words): return "violation: \(words)"
        }
    }

    /// What a moment leaves behind, in lines; empty if there is no more to say.
    func lines(_ moment: Moment) -> [String] {
        switch moment.happening {
        case .wrote(_, _, let glimpse), .merged(_, let glimpse): lines(glimpse)
        default: []
        }
    }

    private func lines(_ glimpse: RecordGlimpse) -> [String] {
        var lines = ["is \(glimpse.state.rawValue)"]
        if !glimpse.values.isEmpty {
            lines.append("values: \(glimpse.values.joined(separator: ", "))")
        }
        if !glimpse.conflicts.isEmpty {
            lines.append("conflicts: \(glimpse.conflicts.joined(separator: "; "))")
        }
        lines.append("clock: [\(glimpse.clock.joined(separator: ", "))]")
        return lines
    }

    /// All that a panel shows about a mark.
    func detail(_ mark: DiagramMark) -> [String] {
        guard let first = mark.moments.first else { return [] }
        let time = DiagramTime.clock(chronicle.moments[first].time)
        var lines: [String] = []
        for index in mark.moments.prefix(20) {
            let moment = chronicle.moments[index]
            lines.append("\(name(mark.lane)) \(sentence(moment))")
            lines += self.lines(moment)
        }
        if mark.moments.count > 20 { lines.append("and \(mark.moments.count - 20) more") }
        lines[0] += "  (\(time))"
        return lines.map(DiagramText.bounded)
    }

    /// All that a panel shows about an arrow.
    func detail(_ arrow: DiagramArrow) -> [String] {
        let other = arrow.isToStranger ? "a stranger" : name(arrow.to)
        var lines = ["\(name(arrow.from)) to \(other): \(arrow.label)"]
        for message in arrow.messages.prefix(20) {
            var line =
                "#\(message.number) \(message.kind), \(Counted.words(message.byteCount, "byte")), sent "
                + DiagramTime.clock(message.time)
            if let loss = message.loss {
                line += ", lost: \(loss)"
            } else if let end = message.endTime {
                line += ", arrived \(DiagramTime.clock(end))"
            } else if !arrow.isToStranger {
                line += ", never arrived"
            }
            lines.append(line)
        }
        if arrow.messages.count > 20 { lines.append("and \(arrow.messages.count - 20) more") }
        return lines.map(DiagramText.bounded)
    }

    /// What is written beside a mark.
    func label(item: String, _ glimpse: RecordGlimpse, _ words: String) -> String {
        if let conflict = glimpse.conflicts.first {
            let more = glimpse.conflicts.count > 1 ? " +\(glimpse.conflicts.count - 1)" : ""
            return "\(item): conflict\(more), \(conflict)"
        }
        return words.isEmpty ? item : "\(item): \(words)"
    }
}
