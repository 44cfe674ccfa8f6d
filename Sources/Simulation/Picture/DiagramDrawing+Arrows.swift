/// Arrows between lanes.
extension DiagramDrawing {
    /// The part of an arrow that is to be seen in a step.
    func arrow(_ number: Int, _ step: Int) -> String {
        let arrow = scene.reading.arrows[number]
        let ends = self.ends(arrow)
        let first = scene.reading.rows[arrow.start].step
        let line = "M\(ends.start.x) \(ends.start.y)L\(ends.end.x) \(ends.end.y)"
        guard first == step else {
            // What began above is drawn again, and only what lies in this step is seen.
            return "<g aria-hidden=\"true\" class=\"a\"><path class=\"wire\" d=\"\(line)\"/>"
                + tips(arrow, ends) + "</g>\n"
        }
        let label = DiagramText.escaped(detail(arrow))
        var result = "<g class=\"a \(Self.name(arrow))\" tabindex=\"0\" role=\"img\""
        result += " aria-label=\"\(label)\"><title>\(label)</title>"
        result += "<path class=\"reach\" d=\"\(line)\"/><path class=\"wire\" d=\"\(line)\"/>"
        return result + tips(arrow, ends) + caption(arrow, ends) + "</g>\n"
    }

    private typealias Point = (x: Int, y: Int)
    private typealias Ends = (start: Point, end: Point)

    private static func name(_ arrow: DiagramArrow) -> String {
        switch arrow.end {
        case .lost: "lost"
        case .underway: "underway"
        case .arrives: arrow.isExchange ? "chat" : "carry"
        }
    }

    private func ends(_ arrow: DiagramArrow) -> Ends {
        let start = (x: scene.geometry.x(arrow.from), y: scene.heights[arrow.start])
        var end = (x: scene.geometry.x(arrow.to), y: scene.heights[arrow.finish])
        let isRightwards = end.x > start.x
        if start.x == end.x { end.x += 26 }
        guard arrow.end == .arrives else {
            // Most of the way to the next lane, so that what is said of it has room.
            let reach = min(abs(end.x - start.x), scene.geometry.laneWidth) - 26
            return (start, (start.x + (isRightwards ? reach : -reach), start.y + 14))
        }
        // The tip touches the lane, and does not cover it.
        return (start, (end.x + (isRightwards ? -2 : 2), end.y))
    }

    private func tips(_ arrow: DiagramArrow, _ ends: Ends) -> String {
        let (x, y) = ends.end
        switch arrow.end {
        case .lost:
            return "<path class=\"x\" d=\"M\(x - 5) \(y - 5)l10 10m0-10l-10 10\"/>"
        case .underway:
            return "<circle class=\"o\" cx=\"\(x)\" cy=\"\(y)\" r=\"4\"/>"
        case .arrives:
            return tip(from: ends.start, to: ends.end)
                + (arrow.goesBothWays ? tip(from: ends.end, to: ends.start) : "")
        }
    }

    /// The head of an arrow, in tenths of a pixel.
    private func tip(from start: Point, to end: Point) -> String {
        let (width, height) = (Double(end.x - start.x), Double(end.y - start.y))
        let length = max(1, (width * width + height * height).squareRoot())
        let (alongX, alongY) = (width / length, height / length)
        func point(_ back: Double, _ aside: Double) -> String {
            let x = Double(end.x) - back * alongX - aside * alongY
            let y = Double(end.y) - back * alongY + aside * alongX
            return "\((x * 10).rounded() / 10) \((y * 10).rounded() / 10)"
        }
        return
            "<path class=\"tip\" d=\"M\(end.x) \(end.y)L\(point(10, 4.5))L\(point(10, -4.5))Z\"/>"
    }

    // MARK: Words

    private func caption(_ arrow: DiagramArrow, _ ends: Ends) -> String {
        let isRightwards = ends.end.x > ends.start.x
        let gap = scene.geometry.laneWidth
        let text = DiagramText.clipped(self.text(arrow), width: gap - 44, size: 12)
        let half = DiagramText.width(text, size: 12) / 2 + 4
        // In the gap beside the lane from which it comes.
        let reach = min(abs(ends.end.x - ends.start.x), gap)
        let x = ends.start.x + (isRightwards ? reach : -reach) / 2
        let width = ends.end.x - ends.start.x
        var y = ends.start.y
        if !arrow.isExchange, width != 0 {
            y += (ends.end.y - ends.start.y) * (x - ends.start.x) / width
            y = min(max(y, ends.start.y + 4), ends.start.y + 16)
        }
        let box =
            "<rect class=\"box\" x=\"\(x - half)\" y=\"\(y - 9)\" width=\"\(half * 2)\""
            + " height=\"18\" rx=\"9\"/>"
        return box + "<text class=\"c\" x=\"\(x)\" y=\"\(y + 4)\">"
            + DiagramText.escaped(DiagramText.isolated(text)) + "</text>"
    }

    private func text(_ arrow: DiagramArrow) -> String {
        let count = arrow.messages.count
        let kind = count == 1 ? arrow.kinds[0] : "\(count) messages"
        switch arrow.end {
        case .arrives: return "\(kind), \(DiagramWords.bytes(arrow.byteCount))"
        case .lost: return "\(kind) lost"
        case .underway: return "\(kind), not arrived"
        }
    }

    private func detail(_ arrow: DiagramArrow) -> String {
        let (from, to) = (words.name(arrow.from), words.name(arrow.to))
        var lines = ["\(from) \(arrow.goesBothWays ? "and" : "to") \(to): \(text(arrow))"]
        if arrow.end == .lost { lines[0] += ": \(arrow.reason)" }
        lines.append("sent at \(DiagramTime.words(chronicle.moments[arrow.moment].time))")
        lines += arrow.messages.prefix(24)
        if arrow.messages.count > 24 { lines.append("and \(arrow.messages.count - 24) more") }
        return DiagramText.clipped(
            lines.joined(separator: "\n"), count: Diagram.textLengthMax)
    }
}
