import Core
import Session

/// Lets so many lines through in a second and counts the rest, so that a crowd of strangers fills no disk.
package struct LogLimit: Sendable {
    /// The most lines in a second.
    package static let linesPerSecondMax = 200

    private var second: Int64 = -1
    private var count = 0
    private var droppedCount = 0

    /// Nothing has come yet.
    package init() {}

    /// Takes a line; gives those to write: none, itself, or with what was left out before it.
    package mutating func admit(_ line: LogLine, now: Instant) -> [LogLine] {
        var lines: [LogLine] = []
        let current = now.milliseconds / 1000
        if current != second {
            second = current
            count = 0
            if droppedCount > 0 {
                lines.append(LogLine(.warning, "lines-left-out", ["count": "\(droppedCount)"]))
            }
            droppedCount = 0
        }
        count += 1
        // What needs somebody is never left out: the relay itself bounds it.
        if count > Self.linesPerSecondMax, line.level < .error {
            droppedCount += 1
        } else {
            lines.append(line)
        }
        return lines
    }
}
