/// One line of the picture: what is drawn at one height.
struct DiagramRow {
    /// What it holds.
    enum Kind: Equatable {
        case marks
        case sending
        case receiving
        case exchange
        /// A pause, in words.
        case pause(String)
        /// Something that concerns all lanes.
        case band
    }

    var kind: Kind
    var step: Int
    var time: Int64
    var marks: [DiagramMark] = []

    /// Room above and below the height of the row.
    var room: (above: Int, below: Int) {
        let lineCount = marks.map(\.lines.count).max() ?? 1
        return switch kind {
        case .marks: (14, max(14, 15 * lineCount - 3))
        case .sending: (8, 24)
        case .receiving: (6, 6)
        case .exchange: (13, 13)
        case .pause: (20, 20)
        case .band: (16, max(18, 16 * lineCount + 2))
        }
    }
}
