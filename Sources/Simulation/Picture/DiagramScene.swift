/// The rows of a chronicle with their heights: all that is drawn, and where.
struct DiagramScene {
    let reading: DiagramReading
    let geometry: DiagramGeometry
    /// The height of each row, from the top of the picture.
    private(set) var heights: [Int]
    /// Top and bottom of each step.
    private(set) var bounds: [Range<Int>] = []
    /// The rows of each step.
    private(set) var rowsOfStep: [[Int]]
    /// The arrows that are to be seen in each step.
    private(set) var arrowsOfStep: [[Int]]

    init(_ chronicle: Chronicle) {
        geometry = DiagramGeometry(laneCount: chronicle.lanes.count)
        let reading = DiagramReading(
            chronicle, width: geometry.labelWidth, bandWidth: geometry.bandWidth)
        self.reading = reading
        heights = Array(repeating: 0, count: reading.rows.count)
        rowsOfStep = Array(repeating: [], count: reading.steps.count)
        arrowsOfStep = Array(repeating: [], count: reading.steps.count)
        for (number, row) in reading.rows.enumerated() { rowsOfStep[row.step].append(number) }
        var top = 0
        for step in reading.steps.indices {
            var height = top + 8
            for row in rowsOfStep[step] {
                let room = reading.rows[row].room
                heights[row] = height + room.above
                height += room.above + room.below
            }
            let bottom = max(height + 8, top + Self.narrationHeight(reading.steps[step]))
            bounds.append(top..<bottom)
            top = bottom
        }
        for (number, arrow) in reading.arrows.enumerated() {
            for step in reading.rows[arrow.start].step...reading.rows[arrow.finish].step {
                arrowsOfStep[step].append(number)
            }
        }
    }

    /// The room that the words beside a step need.
    private static func narrationHeight(_ step: DiagramStep) -> Int {
        let words = DiagramText.clipped(step.words, count: Diagram.headingLengthMax)
        let lines = DiagramText.wrapped(
            words, width: DiagramGeometry.narrationWidth - 84, size: 15, lineCount: 20)
        return 44 + lines.count * DiagramGeometry.narrationLine
    }

    /// The parts of a lane within a step: from where to where it is how.
    func parts(
        ofLane lane: Int, in step: Int
    ) -> [(top: Int, bottom: Int, state: DiagramReading.LaneState)] {
        let states = reading.states[lane]
        let bounds = bounds[step]
        var parts: [(Int, Int, DiagramReading.LaneState)] = []
        for (number, state) in states.enumerated() {
            let from = number == 0 || heights.isEmpty ? 0 : heights[state.row]
            let to = number + 1 < states.count ? heights[states[number + 1].row] : Int.max
            let (top, bottom) = (max(from, bounds.lowerBound), min(to, bounds.upperBound))
            if top < bottom { parts.append((top, bottom, state.state)) }
        }
        return parts
    }
}
