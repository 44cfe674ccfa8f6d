/// Draws the steps of a scene, each as a picture of its own that goes on where the last one ends.
struct DiagramDrawing {
    let scene: DiagramScene
    let chronicle: Chronicle
    let words: DiagramWords

    init(_ chronicle: Chronicle) {
        self.chronicle = chronicle
        scene = DiagramScene(chronicle)
        words = DiagramWords(lanes: chronicle.lanes)
    }

    private var geometry: DiagramGeometry { scene.geometry }

    /// The names of the devices, above their lanes.
    var head: String {
        var result = svg(top: 0, height: 34, label: "Devices")
        for (lane, name) in chronicle.lanes.enumerated() {
            let isLast = lane == chronicle.lanes.count - 1
            let room = geometry.laneWidth - (isLast ? 30 : 16)
            let shown = DiagramText.clipped(name, width: room, size: 15)
            result += "<text class=\"n\" x=\"\(geometry.x(lane) - 8)\" y=\"22\">"
            result += "<title>\(DiagramText.escaped(DiagramText.clipped(name, count: 500)))</title>"
            result += DiagramText.escaped(DiagramText.isolated(shown)) + "</text>"
        }
        return result + "</svg>\n"
    }

    /// One step.
    func step(_ number: Int) -> String {
        let bounds = scene.bounds[number]
        var result = svg(
            top: bounds.lowerBound, height: bounds.count,
            label: "What came of it, \(scene.rowsOfStep[number].count) rows")
        for lane in chronicle.lanes.indices { result += self.lane(lane, number) }
        for arrow in scene.arrowsOfStep[number] { result += self.arrow(arrow, number) }
        var time: Int64?
        for row in scene.rowsOfStep[number] { result += self.row(row, &time) }
        return result + "</svg>\n"
    }

    private func svg(top: Int, height: Int, label: String) -> String {
        "<svg viewBox=\"0 \(top) \(geometry.width) \(height)\" width=\"\(geometry.width)\""
            + " height=\"\(height)\" role=\"group\" aria-label=\"\(DiagramText.escaped(label))\">\n"
    }

    private func lane(_ lane: Int, _ step: Int) -> String {
        let x = geometry.x(lane)
        return scene.parts(ofLane: lane, in: step).map { part in
            switch part.state {
            case .absent: ""
            case .running: "<path class=\"lane\" d=\"M\(x) \(part.top)V\(part.bottom)\"/>\n"
            case .stopped: "<path class=\"rest\" d=\"M\(x) \(part.top)V\(part.bottom)\"/>\n"
            }
        }.joined()
    }

    // MARK: Rows

    private func row(_ number: Int, _ time: inout Int64?) -> String {
        let row = scene.reading.rows[number]
        let y = scene.heights[number]
        var result = ""
        if case .pause(let words) = row.kind {
            result += "<path class=\"gap\" d=\"M\(DiagramGeometry.timeX + 8) \(y - 9)"
            result += "H\(geometry.width - 6)V\(y + 9)H\(DiagramGeometry.timeX + 8)Z\"/>"
            result += "<text class=\"g\" x=\"\(DiagramGeometry.timeX + 40)\" y=\"\(y + 4)\">"
            result += "⋮ \(words)</text>\n"
            return result
        }
        if time != row.time {
            let shown = DiagramTime.words(row.time)
            result += "<text class=\"t\" x=\"\(DiagramGeometry.timeX)\" y=\"\(y + 4)\">"
            result += "\(shown)</text>\n"
            time = row.time
        }
        for mark in row.marks { result += self.mark(mark, y) }
        return result
    }

    private func mark(_ mark: DiagramMark, _ y: Int) -> String {
        let lane = mark.lane.flatMap { chronicle.lanes.indices.contains($0) ? $0 : nil }
        let x = lane.map(geometry.x) ?? DiagramGeometry.timeX + 24
        let label = DiagramText.escaped(mark.detail)
        var result = "<g class=\"m \(mark.symbol.rawValue)\" tabindex=\"0\" role=\"img\""
        result += " aria-label=\"\(label)\"><title>\(label)</title>"
        if lane == nil {
            let height = max(24, 16 * mark.lines.count + 10)
            result += "<rect class=\"band\" x=\"\(DiagramGeometry.timeX + 8)\" y=\"\(y - 13)\""
            result += " width=\"\(geometry.width - DiagramGeometry.timeX - 14)\""
            result += " height=\"\(height)\" rx=\"5\"/>"
        } else {
            result += "<circle class=\"ring\" cx=\"\(x)\" cy=\"\(y)\" r=\"13\"/>"
        }
        result += "<g transform=\"translate(\(x) \(y))\">\(mark.symbol.shape)</g>"
        for (number, line) in mark.lines.enumerated() {
            let isHeavy = number == 0 || lane == nil
            result += "<text class=\"\(isHeavy ? "h" : "d")\" x=\"\(x + 15)\""
            result += " y=\"\(y + 4 + number * 15)\">"
            result += DiagramText.escaped(DiagramText.isolated(line)) + "</text>"
        }
        return result + "</g>\n"
    }
}
