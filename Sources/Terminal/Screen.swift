import Glibc
import JSON

/// The standard streams: results on the one, everything else on the other.
package enum Screen {
    /// The name of the program, for the message that its results cannot be written.
    nonisolated(unsafe) static var program = ""
    nonisolated(unsafe) private static var output: [UInt8] = []
    private static let flushByteCount = 1 << 16

    /// Whether results go to a person's screen.
    package static let isInteractive = isatty(1) == 1
    /// Whether a person can be asked.
    package static let canAsk = isatty(0) == 1 && isatty(2) == 1
    /// Whether somebody sits there, or has said which editor stands in for them.
    package static let isPerson =
        isatty(0) == 1
        || ["VISUAL", "EDITOR"].contains { (name: String) in
            getenv(name).map { $0.pointee != 0 } ?? false
        }
    /// Whether progress may be shown.
    package static let showsProgress = isatty(2) == 1 && !isDumb
    /// Whether colours are wanted (no-color.org).
    package static let hasColour =
        isInteractive && !isDumb && (getenv("NO_COLOR").map { $0.pointee == 0 } ?? true)
    private static let isDumb = getenv("TERM").map { String(cString: $0) } == "dumb"

    /// The columns of the screen; nil if results do not go to one.
    package static var width: Int? { columns(of: 1) }

    /// Adds a line to the results.
    package static func line(_ text: String = "") {
        write(text + "\n")
    }

    /// Adds a line with a value to the results.
    package static func line(_ value: JSONValue) { line(value.compactText) }

    /// Adds to the results.
    package static func write(_ text: String) {
        output.append(contentsOf: text.utf8)
        if output.count > flushByteCount { flush() }
    }

    /// Adds bytes to the results.
    package static func write(_ bytes: [UInt8]) {
        output.append(contentsOf: bytes)
        if output.count > flushByteCount { flush() }
    }

    /// Hands the results over.
    ///
    /// A reader that has gone away, as `head` does, ends the program quietly.
    package static func flush() {
        var start = 0
        while start < output.count {
            let count = output[start...].withUnsafeBytes {
                Glibc.write(1, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            if count <= 0 { abandon(errno) }
            start += count
        }
        output.removeAll(keepingCapacity: true)
    }

    /// Ends the program when results cannot be handed over.
    private static func abandon(_ code: CInt) -> Never {
        if code == EPIPE { exit(0) }
        let text = "\(program): the results cannot be written: \(String(cString: strerror(code)))\n"
        _ = Array(text.utf8).withUnsafeBytes { Glibc.write(2, $0.baseAddress, $0.count) }
        exit(ExitCode.inputOutput.rawValue)
    }

    /// Says something beside the results; on a screen long lines are broken between words.
    package static func error(_ text: String) {
        flush()
        let bytes = Array(broken(text).utf8)
        _ = Glibc.write(2, bytes, bytes.count)
    }

    private static func broken(_ text: String) -> String {
        // A text that moves the cursor is laid out already.
        guard let width = columns(of: 2), !text.contains(where: { $0 == "\r" || $0 == "\u{1b}" })
        else { return text }
        return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            Cells.count(String(line)) <= width
                ? String(line)
                : Cells.wrapped(String(line), first: width, rest: width).joined(separator: "\n")
        }.joined(separator: "\n")
    }

    private static func columns(of stream: CInt) -> Int? {
        guard isatty(stream) == 1 else { return nil }
        var size = winsize()
        guard ioctl(stream, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Asks a question that is answered with yes or no.
    package static func confirm(_ question: String) -> Bool {
        error("\(question) [y/N] ")
        guard let answer = readLine() else { return false }
        return ["y", "yes"].contains(answer.lowercased())
    }

    /// Shows how far the program is, in one line that the next one replaces.
    package static func progress(_ text: String) {
        if showsProgress { error("\r\u{1b}[K\(text)") }
    }

    /// Text in bold, on a screen that can.
    package static func bold(_ text: String) -> String {
        hasColour ? "\u{1b}[1m\(text)\u{1b}[0m" : text
    }

    /// Text that wants to be seen, on a screen that can.
    package static func urgent(_ text: String) -> String {
        hasColour ? "\u{1b}[31m\(text)\u{1b}[0m" : text
    }

    /// Text that stands back, on a screen that can.
    package static func faint(_ text: String) -> String {
        hasColour ? "\u{1b}[2m\(text)\u{1b}[0m" : text
    }

    /// Adds a text to the results, broken where the screen ends; without a screen only its own lines break.
    ///
    /// - Parameters:
    ///   - label: what stands before its first line.
    ///   - hanging: how far its other lines are indented.
    ///   - labelStyle: how the label is shown.
    ///   - style: how the text is shown.
    package static func paragraph(
        _ text: String, label: String = "", hanging: Int,
        labelStyle: (String) -> String = { $0 }, style: (String) -> String = { $0 }
    ) {
        if let width, Cells.count(label) > max(width - 16, 1), label.contains(where: { $0 != " " })
        {
            // No room beside it.
            Screen.line(labelStyle(Cells.cut(label, to: width)))
            let margin = String(repeating: " ", count: hanging)
            return paragraph(text, label: margin, hanging: hanging, style: style)
        }
        let indentation = String(repeating: " ", count: hanging)
        var lines: [String] = []
        let screen = width ?? .max
        let room = max(screen - hanging, 1)
        var first = screen - Cells.count(label)
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let parts =
                width == nil
                ? [String(line)]
                : Cells.wrapped(String(line), first: lines.isEmpty ? first : room, rest: room)
            lines += parts
            first = room
        }
        for (index, line) in lines.enumerated() {
            Screen.line(index == 0 ? labelStyle(label) + style(line) : indentation + style(line))
        }
    }
}

extension String {
    /// The text for a screen: what other devices sent must not steer the terminal.
    ///
    /// Control characters but the line break are replaced by marks.
    package var shown: String {
        if utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f && $0 < 0x80 }) { return self }
        var result = ""
        for scalar in unicodeScalars {
            switch scalar.value {
            case 0x0a: result += "\n"
            case 0x09: result += " "
            case 0..<0x20, 0x7f..<0xa0, 0x202a...0x202e, 0x2066...0x2069: result += "\u{fffd}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// The text in one line.
    package var shownInLine: String {
        let text = shown
        return text.utf8.contains(0x0a) ? text.replacing("\n", with: " ") : text
    }
}
