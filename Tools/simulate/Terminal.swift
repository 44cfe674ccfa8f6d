import Glibc
import JSON
import Simulation

/// The standard streams: results on the one, everything else on the other.
enum Terminal {
    nonisolated(unsafe) private static var output: [UInt8] = []
    private static let flushByteCount = 1 << 16
    private static let isDumb = getenv("TERM").map { String(cString: $0) } == "dumb"
    private static let isPlain = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false

    /// The columns of the screen; nil if results do not go to one.
    static var width: Int? {
        guard isatty(1) == 1 else { return nil }
        var size = winsize()
        guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }
    /// Whether progress may be shown.
    static let showsProgress = isatty(2) == 1 && !isDumb
    /// Whether colours are wanted (no-color.org).
    private static let hasColour = isatty(1) == 1 && !isDumb && !isPlain

    /// Adds a line to the results.
    static func line(_ text: String = "") { write(text + "\n") }

    /// Adds a line with a value to the results.
    static func line(_ value: JSONValue) { line(value.compactText) }

    /// Adds to the results.
    static func write(_ text: String) {
        output.append(contentsOf: text.utf8)
        if output.count > flushByteCount { flush() }
    }

    /// Hands the results over; a reader that has gone away, as `head` does, ends the program quietly.
    static func flush() {
        var start = 0
        while start < output.count {
            let count = output[start...].withUnsafeBytes {
                Glibc.write(1, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            if count <= 0 { exit(errno == EPIPE ? 0 : ExitCode.inputOutput) }
            start += count
        }
        output.removeAll(keepingCapacity: true)
    }

    /// Says something beside the results.
    static func error(_ text: String) {
        flush()
        let bytes = Array(text.utf8)
        _ = Glibc.write(2, bytes, bytes.count)
    }

    /// Shows how far it is, in one line that the next one replaces.
    static func progress(_ text: String) {
        if showsProgress { error("\r\u{1b}[K\(text)") }
    }

    /// Text in bold, on a screen that can.
    static func bold(_ text: String) -> String { hasColour ? "\u{1b}[1m\(text)\u{1b}[0m" : text }

    /// Text that wants to be seen, on a screen that can.
    static func urgent(_ text: String) -> String {
        hasColour ? "\u{1b}[31m\(text)\u{1b}[0m" : text
    }

    /// Text that stands back, on a screen that can.
    static func faint(_ text: String) -> String { hasColour ? "\u{1b}[2m\(text)\u{1b}[0m" : text }
}
