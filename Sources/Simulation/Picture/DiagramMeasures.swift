/// How wide the parts of a drawing are, in its own units: pixels of a page that is wide enough.
///
/// On any other page the whole drawing shrinks or grows, from `leastWidth` to `mostWidth`; only on one
/// that is narrower still it is scrolled.
struct DiagramMeasures {
    static let timeX = 12
    static let narrationX = 132
    static let firstLaneX = 386
    /// How wide the column of the story is, in widths of a letter.
    static let narrationWidth = 33
    /// How high a further line of a label is.
    static let lineHeight = 14

    /// From one lane to the next.
    let spacing: Int
    /// How wide the drawing is.
    let width: Int

    /// The measures of a drawing with so many lanes.
    init(laneCount: Int) {
        spacing =
            switch laneCount {
            case 0...2: 290
            case 3: 260
            case 4: 215
            case 5: 195
            default: 180
            }
        width = Self.firstLaneX + max(1, laneCount) * spacing + 10
    }

    /// How narrow the drawing may become: letters are then as small as they can be read.
    var leastWidth: Int { width * 6 / 10 }

    /// How wide the drawing may become on a page that has room.
    var mostWidth: Int { width * 6 / 5 }

    /// How many letters fit beside a lane.
    var labelWidth: Int { (spacing - 32) * 10 / 68 }

    /// How many letters fit into a band across all lanes.
    var bandWidth: Int { (width - 70) / 7 }
}
