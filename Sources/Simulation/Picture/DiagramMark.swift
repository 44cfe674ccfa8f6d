/// One thing on a lane, or on all of them, as it is drawn.
struct DiagramMark {
    /// The lane; nil if it concerns all.
    var lane: Int?
    /// What it looks like.
    var symbol: DiagramSymbol
    /// What stands beside it; the first line is the heavier one.
    var lines: [String]
    /// All of it, in lines.
    var detail: String
    /// The moments it stands for.
    var moments: ClosedRange<Int>
}
