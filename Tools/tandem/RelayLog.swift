import Devices
import Glibc
import RelayServer
import Terminal
import Transport

/// Writes the lines of a relay's log beside the results.
final class RelayLog {
    var level: LogLine.Level
    private var limit = LogLimit()

    init(level: LogLine.Level) {
        self.level = level
    }

    func write(_ line: LogLine) {
        guard line.level >= level else { return }
        let time = SystemEnvironment.timeText()
        for line in limit.admit(line, now: SystemEnvironment.now()) {
            Screen.error(line.text(time: time) + "\n")
        }
    }
}
