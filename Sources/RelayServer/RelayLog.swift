import Transport

/// Writes the lines of a relay's log, no more of a kind than `LogLimit` admits.
package final class RelayLog {
    /// The lowest level that is written.
    package var level: LogLine.Level
    private var limit = LogLimit()
    private let output: (String) -> Void

    /// A log.
    ///
    /// - Parameter output: takes a line with its end.
    package init(level: LogLine.Level, to output: @escaping (String) -> Void) {
        self.level = level
        self.output = output
    }

    /// Writes a line, if its level is high enough.
    package func write(_ line: LogLine) {
        guard line.level >= level else { return }
        let time = SystemEnvironment.timeText()
        for line in limit.admit(line, now: SystemEnvironment.now()) {
            output(line.text(time: time) + "\n")
        }
    }
}
