/// Where the lanes are, in pixels.
struct DiagramGeometry {
    /// Where times stand, right-aligned.
    static let timeX = 62
    /// The width of the column of statements beside the picture.
    static let narrationWidth = 300
    /// The height of a line of a statement.
    static let narrationLine = 20

    let laneCount: Int

    /// From one lane to the next.
    var laneWidth: Int {
        switch laneCount {
        case ...2: 250
        case 3: 215
        case 4: 190
        default: 172
        }
    }
    /// The room of a label beside its lane.
    var labelWidth: Int { laneWidth - 34 }
    /// The width of all.
    var width: Int { x(max(1, laneCount)) }
    /// The room of a text across all lanes.
    var bandWidth: Int { width - Self.timeX - 60 }

    /// The middle of a lane; of a number that is no device's, the right edge.
    func x(_ lane: Int) -> Int {
        let inside = lane < 0 || lane > laneCount ? laneCount : lane
        return 90 + inside * laneWidth - (inside == laneCount && laneCount > 0 ? 14 : 0)
    }
}
