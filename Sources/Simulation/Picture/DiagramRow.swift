/// A row of the drawing: what happens at one time.
struct DiagramRow {
    /// What a row is for.
    enum Kind {
        case moments
        case gap
        case violation
    }

    var kind = Kind.moments
    var time: Int64
    /// The lines in the column of the story.
    var narration: [String] = []
    /// The moment that the words are about.
    var narrated: Int?
    var marks: [DiagramMark] = []
    /// Lanes on which something has been drawn.
    var lanes: Set<Int> = []
    /// Lanes at which an arrow ends.
    var heads: Set<Int> = []
    /// Those of them whose arrow comes from the right, where labels are.
    var crossed: Set<Int> = []
    /// Lanes beside which something is written; what is written left of one counts to its neighbour.
    var cells: Set<Int> = []

    /// How high it is drawn.
    var height: Int {
        switch kind {
        case .gap: 30
        case .violation: 16 * max(1, narration.count) + 26
        case .moments:
            max(
                26, narration.isEmpty ? 0 : 16 * narration.count + 14,
                middle + 13 + DiagramMeasures.lineHeight * (lineCount - 1))
        }
    }

    /// The lines of the longest label.
    private var lineCount: Int { marks.map(\.lines.count).max() ?? 0 }

    /// Where its marks are, below its top.
    var middle: Int { narration.isEmpty || kind != .moments ? 13 : 17 }
}
