/// Texts of others, made fit for a page: bounded, and never taken for markup.
enum DiagramText {
    /// A text as content or as an attribute in quotes.
    ///
    /// A character that would end a line, turn the direction of the text or show nothing at all is named
    /// instead.
    static func escaped(_ text: String, keepsLines: Bool = false) -> String {
        var result = ""
        result.reserveCapacity(text.utf8.count + 16)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case "\n" where keepsLines: result += "\n"
            default:
                if isHidden(scalar) {
                    result += "[U+" + String(scalar.value, radix: 16, uppercase: true) + "]"
                } else {
                    result.unicodeScalars.append(scalar)
                }
            }
        }
        return result
    }

    /// Whether a scalar controls the text around it instead of showing something.
    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7f..<0xa0, 0x061c, 0x200b, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a...0x202e,
            0x2060, 0x2066...0x2069, 0xfeff, 0xfff9...0xfffb, 0xfffe, 0xffff:
            true
        default: false
        }
    }

    /// A text of at most so many characters; what is cut off is counted.
    static func bounded(_ text: String) -> String {
        let limit = Diagram.shownCharacterCountMax
        guard text.unicodeScalars.count > limit else { return text }
        var result = ""
        result.unicodeScalars.append(contentsOf: text.unicodeScalars.prefix(limit))
        return result + "… (\(text.unicodeScalars.count - limit) more characters)"
    }

    /// How wide a character is drawn, in widths of a Latin letter.
    static func width(of character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        if isHidden(scalar) { return 8 }
        switch scalar.value {
        case 0x1100..<0x1200, 0x2e80..<0xa4d0, 0xac00..<0xd7b0, 0xf900..<0xfb00, 0xfe30..<0xfe70,
            0xff00..<0xff61, 0x1f000..<0x20000, 0x20000..<0x40000, 0x2600..<0x27c0:
            return 2
        default: return 1
        }
    }

    static func width(of text: String) -> Int {
        text.reduce(0) { $0 + width(of: $1) }
    }

    /// The beginning of a text that fits so many widths; an ellipsis tells of the rest.
    static func clipped(_ text: String, to widthMax: Int) -> String {
        var result = ""
        var width = 0
        var scalarCount = 0
        for character in text {
            width += Self.width(of: character)
            scalarCount += character.unicodeScalars.count
            if width > widthMax || scalarCount > 4 * widthMax {
                width -= Self.width(of: character)
                while width >= widthMax, let last = result.popLast() {
                    width -= Self.width(of: last)
                }
                return result + "…"
            }
            result.append(character)
        }
        return result
    }

    /// A text in lines that fit so many widths, at most so many of them; only then something is cut.
    ///
    /// Words that are longer than a line are parted.
    static func wrapped(_ text: String, to widthMax: Int, lineCountMax: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            let joined = line.isEmpty ? String(word) : line + " " + word
            if joined.utf8.count <= 4 * widthMax, width(of: joined) <= widthMax {
                line = joined
                continue
            }
            if !line.isEmpty { lines.append(line) }
            var rest = word
            while lines.count < lineCountMax, let piece = piece(of: rest, longerThan: widthMax) {
                lines.append(piece)
                rest = rest.dropFirst(piece.count)
            }
            line = String(rest.prefix(4 * widthMax))
            if lines.count >= lineCountMax { break }
        }
        if lines.count < lineCountMax { return lines + [line] }
        lines.removeSubrange(lineCountMax...)
        if !line.isEmpty {
            let last = clipped(lines[lineCountMax - 1], to: widthMax - 1)
            lines[lineCountMax - 1] = last.hasSuffix("…") ? last : last + "…"
        }
        return lines
    }

    /// The beginning of a word that fills a line; nil if all of it fits on one.
    private static func piece(of word: Substring, longerThan widthMax: Int) -> String? {
        var piece = ""
        var (width, scalarCount) = (0, 0)
        for character in word {
            width += Self.width(of: character)
            scalarCount += character.unicodeScalars.count
            if !piece.isEmpty, width > widthMax || scalarCount > 4 * widthMax { return piece }
            piece.append(character)
        }
        return nil
    }
}

/// Events in words.
struct DiagramWords {
    let trace: Trace

    /// The name of a column.
    func name(_ column: Int) -> String {
        trace.devices.indices.contains(column) ? trace.devices[column] : "a stranger"
    }

    /// The event of an entry, in a sentence without its subject.
    func sentence(_ entry: TraceEntry) -> String {
        switch entry.event {
        case .step(let words): return words
        case .wrote(let item, let words, _): return "writes \(item): \(words)"
        case .refused(let why): return "refuses: \(why)"
        case .sent(let number, let to, let kind, let byteCount):
            let other = to == entry.deviceIndex ? "a stranger" : name(to)
            return "sends #\(number) (\(kind), \(Counted.words(byteCount, "byte"))) to \(other)"
        case .received(let number): return "receives #\(number)"
        case .lost(let number, let why): return "never receives #\(number): \(why)"
        case .merged(let item, let glimpse):
            let conflicts = glimpse.conflicts.isEmpty ? "" : ", with conflicts"
            return "merges \(item)\(conflicts)"
        case .sessionEnded(let column, let how, let isWell):
            let other = column == entry.deviceIndex ? "a stranger" : name(column)
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

    /// The state that an entry leaves behind, in lines; empty if there is no more to say.
    func lines(_ entry: TraceEntry) -> [String] {
        switch entry.event {
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
        guard let first = mark.entries.first else { return [] }
        let time = DiagramTime.clock(trace.entries[first].time)
        var lines: [String] = []
        for index in mark.entries.prefix(20) {
            let entry = trace.entries[index]
            lines.append("\(name(mark.column)) \(sentence(entry))")
            lines += self.lines(entry)
        }
        if mark.entries.count > 20 { lines.append("and \(mark.entries.count - 20) more") }
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

    /// The label of a mark.
    func label(item: String, _ glimpse: RecordGlimpse, _ words: String) -> String {
        if let conflict = glimpse.conflicts.first {
            let more = glimpse.conflicts.count > 1 ? " +\(glimpse.conflicts.count - 1)" : ""
            return "\(item): conflict\(more), \(conflict)"
        }
        return words.isEmpty ? item : "\(item): \(words)"
    }
}
