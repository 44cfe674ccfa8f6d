/// A mark on the lane of a device.
struct DiagramMark {
    /// What it shows; more than one if they are drawn as one.
    var moments: [Int]
    var lane: Int
    var shape: DiagramShape
    /// What is written beside it, in lines that fit.
    var lines: [String]
    /// Whether a record has open conflicts after it.
    var isConflicted = false
}
