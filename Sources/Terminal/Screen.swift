import Core
import Glibc
import JSON

/// The standard streams: results on the one, everything else on the other.
package enum Screen {
    /// The name of the program, for the message that its results cannot be written.
    nonisolated(unsafe) static var program = ""
    nonisolated(unsafe) private static var output: [UInt8] = []
    private static let flushByteCount = 1 << 16
    /// The descriptors of results and of what is said beside them; tests of commands in their process set others.
    nonisolated(unsafe) package static var descriptors: (results: Int32, errors: Int32) = (1, 2)

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
    /// Whether colours are wanted wherever results go, or nowhere; nil for on a screen alone.
    nonisolated(unsafe) package static var colours: Bool?
    /// How elements of the results are drawn.
    nonisolated(unsafe) package static var styles = Styles()
    /// Whether a screen's results are coloured, if nobody says otherwise (no-color.org).
    private static let isColourful =
        isInteractive && (getenv("NO_COLOR").map { $0.pointee == 0 } ?? true)
    /// Whether colours are wanted.
    package static var hasColour: Bool { !isDumb && (colours ?? isColourful) }
    private static let isDumb = getenv("TERM").map { String(cString: $0) } == "dumb"

    /// The columns of the screen; nil if results do not go to one.
    package static var width: Int? { columns(of: 1) }

    /// Adds a line to the results.
    package static func line(_ text: ShownText = "") {
        write(text)
        add("\n".utf8)
    }

    /// Adds a line to the results, and empties it for the next one.
    package static func line(_ line: inout ScreenLine) {
        add(line.bytes)
        add("\n".utf8)
        line.clear()
    }

    /// Adds a line to the results.
    @_disfavoredOverload
    package static func line(_ text: String) { line(ShownText(text)) }

    /// Adds a line for a program to the results: its columns parted by tabs, which none of them holds.
    package static func line(columns: [String]) {
        add(columns.map(\.shownInLine).joined(separator: "\t").utf8)
        add("\n".utf8)
    }

    /// Adds a line with a value to the results.
    package static func line(_ value: JSONValue) { line(value, .compact) }

    /// Adds an array to the results, an element a line.
    package static func line(_ array: JSONLines) { line(.array(array.elements), .lines) }

    private static func line(_ value: JSONValue, _ style: JSONStyle) {
        add(value.text(style).escapedInJSON.utf8)
        add("\n".utf8)
    }

    /// Adds to the results.
    package static func write(_ text: ShownText) { add(text.sequence.utf8) }

    /// Adds to the results.
    @_disfavoredOverload
    package static func write(_ text: String) { write(ShownText(text)) }

    /// Adds a file's bytes to the results: as they are to a file or a pipe, as visible text to a screen.
    package static func write(_ bytes: [UInt8]) {
        if isInteractive {
            let text = String(decoding: bytes, as: UTF8.self)
            return write(text.replacing("\r\n", with: "\n"))
        }
        add(bytes)
    }

    private static func add(_ bytes: some Collection<UInt8>) {
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
                Glibc.write(descriptors.results, $0.baseAddress, $0.count)
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
        let bytes = Array(text.shown.utf8)
        _ = Glibc.write(descriptors.errors, bytes, bytes.count)
        exit(ExitCode.inputOutput.rawValue)
    }

    /// Says something beside the results; on a screen long lines are broken between words.
    package static func error(_ text: String) { tell(broken(text.shown)) }

    /// Writes a text beside the results as it is.
    private static func tell(_ text: String) {
        flush()
        let bytes = Array(text.utf8)
        _ = Glibc.write(descriptors.errors, bytes, bytes.count)
    }

    private static func broken(_ text: String) -> String {
        guard let width = columns(of: 2) else { return text }
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

    /// Asks a question that is answered with a word; empty if there is no answer.
    package static func answer(_ question: String) -> String {
        error(question)
        return readLine().map { $0.filter { !$0.isWhitespace } } ?? ""
    }

    /// Shows how far the program is, in one line that the next one replaces.
    package static func progress(_ text: String) {
        if showsProgress { tell("\r\u{1b}[K\(text.shownInLine)") }
    }

    /// How elements are drawn: numbers of SGR (ECMA-48) parted by semicolons, empty for like any other text.
    package struct Styles {
        /// Headings.
        package let heading: String
        /// Dates that are overdue, and failures.
        package let urgent: String
        /// The foot of lists, and finished to-dos.
        package let faint: String

        /// Styles of elements.
        package init(heading: String = "1", urgent: String = "31", faint: String = "2") {
            self.heading = heading
            self.urgent = urgent
            self.faint = faint
        }
    }

    /// Text in bold, on a screen that can.
    package static func bold(_ text: ShownText) -> ShownText { styled(text, styles.heading) }

    /// Text in bold, on a screen that can.
    @_disfavoredOverload
    package static func bold(_ text: String) -> ShownText { bold(ShownText(text)) }

    /// Text that wants to be seen, on a screen that can.
    package static func urgent(_ text: ShownText) -> ShownText { styled(text, styles.urgent) }

    /// Text that wants to be seen, on a screen that can.
    @_disfavoredOverload
    package static func urgent(_ text: String) -> ShownText { urgent(ShownText(text)) }

    /// Text that stands back, on a screen that can.
    package static func faint(_ text: ShownText) -> ShownText { styled(text, styles.faint) }

    /// Text that stands back, on a screen that can.
    @_disfavoredOverload
    package static func faint(_ text: String) -> ShownText { faint(ShownText(text)) }

    /// Text in black on white, on a screen that can, whatever its own colours are.
    package static func inked(_ text: String) -> ShownText {
        styled(ShownText(text), "38;5;16;48;5;231")
    }

    /// The numbers of a look, ECMA-48; empty if it is like that of any other text.
    static func style(_ look: ScreenLine.Look) -> String {
        if look == .plain || !hasColour { return "" }
        return switch look {
        case .plain: ""
        case .heading: styles.heading
        case .urgent: styles.urgent
        case .faint: styles.faint
        }
    }

    private static func styled(_ text: ShownText, _ style: String) -> ShownText {
        hasColour && !style.isEmpty ? ShownText(text, style: style) : text
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
        labelStyle: (ShownText) -> ShownText = { $0 },
        style: (ShownText) -> ShownText = { $0 }
    ) {
        // Made visible before it is measured.
        let (text, label) = (text.shown, label.shownInLine)
        if let width, Cells.count(label) > max(width - 16, 1), label.contains(where: { $0 != " " })
        {
            // No room beside it.
            Screen.line(labelStyle(ShownText(Cells.cut(label, to: width))))
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
            let beginning = index == 0 ? labelStyle(ShownText(label)) : ShownText(indentation)
            Screen.line(beginning + style(ShownText(line)))
        }
    }
}

/// An array that is shown with an element a line.
package struct JSONLines {
    let elements: [JSONValue]

    /// An array of these elements.
    package init(_ elements: [JSONValue]) { self.elements = elements }
}

extension String {
    /// The text of a JSON value with scalars that steer or hide as escapes of JSON: the same value.
    fileprivate var escapedInJSON: String {
        if utf8.allSatisfy({ $0 < 0x7f }) { return self }
        var result = ""
        for scalar in unicodeScalars {
            // Inside of a text a line feed is an escape already.
            if scalar != "\n", VisibleText.isHidden(scalar) {
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
