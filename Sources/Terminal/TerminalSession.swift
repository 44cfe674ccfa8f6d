import Glibc

/// The terminal that somebody types in, told from all others.
package enum TerminalSession {
    /// Names the controlling terminal, the leader of the session, and when that began.
    ///
    /// Two windows have different names, and so have two logins at one terminal after each other. What runs without
    /// a terminal, as a status bar or a script, is named by its session. Source: proc(5), `/proc/PID/stat`.
    package static let name = "\(found.terminal):\(found.session):\(found.start)"

    /// When the session began by the wall clock; milliseconds since 1970, nil if its leader has ended.
    ///
    /// - Parameter now: the wall clock.
    package static func began(now: Int64) -> Int64? {
        guard let ticks = Int64(found.start), ticks > 0 else { return nil }
        var time = timespec()
        let ticksPerSecond = Int64(sysconf(Int32(_SC_CLK_TCK)))
        guard clock_gettime(CLOCK_BOOTTIME, &time) == 0, ticksPerSecond > 0 else { return nil }
        let uptime = Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
        return now - uptime + ticks * 1000 / ticksPerSecond
    }

    private static let found: (terminal: String, session: String, start: String) = {
        let own = numbers(of: "self")
        // Counted from the field behind the name, the state: session, terminal, start.
        let (session, terminal) = (field(3, own), field(4, own))
        return (terminal, session, field(19, numbers(of: session)))
    }()

    private static func field(_ index: Int, _ fields: [String]) -> String {
        index < fields.count ? fields[index] : "0"
    }

    /// The fields of a process behind its name, which may hold spaces and parentheses.
    ///
    /// Parted as bytes: every command looks at two processes, and letters cost thirty times as much.
    private static func numbers(of process: String) -> [String] {
        guard let file = fopen("/proc/\(process)/stat", "r") else { return [] }
        defer { fclose(file) }
        var buffer = [UInt8](repeating: 0, count: 1024)
        let count = fread(&buffer, 1, buffer.count, file)
        let bytes = buffer[..<count]
        guard let end = bytes.lastIndex(of: UInt8(ascii: ")")) else { return [] }
        return bytes[(end + 1)...].split(separator: UInt8(ascii: " ")).map {
            String(decoding: $0, as: UTF8.self)
        }
    }
}
