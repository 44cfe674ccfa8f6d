import CLinux
import Core
import Glibc

/// The one place that reads the clock, draws real chance, and asks which machine this is.
package enum SystemEnvironment {
    /// The wall clock: milliseconds since 1970-01-01 UTC.
    package static func wallMilliseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// The wall clock in the form of RFC 3339, UTC, to the millisecond.
    ///
    /// - Parameter milliseconds: since 1970-01-01 UTC.
    package static func timeText(_ milliseconds: Int64 = wallMilliseconds()) -> String {
        var seconds = time_t(milliseconds / 1000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func digits(_ value: some BinaryInteger, _ count: Int) -> String {
            let text = String(Int(value))
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        let day = "\(digits(parts.tm_year + 1900, 4))-\(digits(parts.tm_mon + 1, 2))"
        let time = "\(digits(parts.tm_hour, 2)):\(digits(parts.tm_min, 2))"
        return "\(day)-\(digits(parts.tm_mday, 2))T\(time):\(digits(parts.tm_sec, 2))"
            + ".\(digits(milliseconds % 1000, 3))Z"
    }

    /// The clock that only goes forward.
    package static func now() -> Instant {
        Instant(milliseconds: Int64(MonotonicTime.now.nanoseconds / 1_000_000))
    }

    /// Milliseconds since the machine was started, sleep included; no setting of a clock moves it (CLOCK_BOOTTIME).
    package static func bootMilliseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// Sixty-four bits from the kernel's generator.
    package static func random() -> UInt64 {
        var value: UInt64 = 0
        let count = getrandom(&value, MemoryLayout<UInt64>.size, 0)
        precondition(count == MemoryLayout<UInt64>.size, "the kernel gives no random bytes")
        return value
    }

    /// Names this machine: systemd's machine id, or the host's name (machine-id(5)).
    package static var machine: String {
        for path in ["/etc/machine-id", "/var/lib/dbus/machine-id", "/proc/sys/kernel/hostname"] {
            if let text = firstLine(path) { return text }
        }
        return "unknown"
    }

    /// Names this running of the machine (proc_sys_kernel(5)).
    package static var boot: String {
        firstLine("/proc/sys/kernel/random/boot_id") ?? "unknown"
    }

    /// The name of this machine for people.
    package static var hostName: String {
        firstLine("/proc/sys/kernel/hostname") ?? "this device"
    }

    /// How much memory this process has in use; nil if the system does not tell (proc(5)).
    package static var residentByteCount: Int? {
        guard let line = firstLine("/proc/self/statm") else { return nil }
        let words = line.split(separator: " ")
        guard words.count > 1, let pages = Int(words[1]) else { return nil }
        return pages * sysconf(CInt(_SC_PAGESIZE))
    }

    private static func firstLine(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = read(descriptor, &buffer, buffer.count)
        guard count > 0 else { return nil }
        let line = buffer[..<count].prefix { $0 != 0x0a }
        return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
    }
}

/// A point on this machine's monotonic clock; means nothing on another machine or after a restart.
package struct MonotonicTime: Comparable, Hashable, Sendable {
    /// Nanoseconds since an unspecified start.
    package let nanoseconds: UInt64

    /// A point at the given number of nanoseconds after the clock's start.
    package init(nanoseconds: UInt64) {
        self.nanoseconds = nanoseconds
    }

    /// The current time; a setting of the wall clock does not move it.
    package static var now: MonotonicTime {
        var time = timespec()
        let result = clock_gettime(CLOCK_MONOTONIC, &time)
        precondition(result == 0, "every Linux has a monotonic clock")
        return MonotonicTime(
            nanoseconds: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec))
    }

    /// The point `duration` later; stays within the clock's range instead of wrapping.
    package static func + (time: MonotonicTime, duration: Duration) -> MonotonicTime {
        let (seconds, attoseconds) = duration.components
        // Three hundred years: longer than any timer means, far from the end of UInt64.
        let bounded = min(max(seconds, -9_000_000_000), 9_000_000_000)
        let step = bounded * 1_000_000_000 + attoseconds / 1_000_000_000
        guard step < 0 else {
            let (sum, overflow) = time.nanoseconds.addingReportingOverflow(UInt64(step))
            return MonotonicTime(nanoseconds: overflow ? .max : sum)
        }
        let back = step.magnitude
        return MonotonicTime(nanoseconds: time.nanoseconds > back ? time.nanoseconds - back : 0)
    }

    /// How much later `self` is than `other`; negative if it is earlier.
    package static func - (time: MonotonicTime, other: MonotonicTime) -> Duration {
        let distance = time.nanoseconds.subtractingReportingOverflow(other.nanoseconds)
        return .nanoseconds(Int64(bitPattern: distance.partialValue))
    }

    /// True if `a` comes before `b`.
    package static func < (a: MonotonicTime, b: MonotonicTime) -> Bool {
        a.nanoseconds < b.nanoseconds
    }
}
