/// One event for the one who runs a program, in the form `key=value key="two words"` (logfmt).
package struct LogLine: Hashable, Sendable {
    /// How much an event matters.
    package enum Level: Int, Comparable, CaseIterable, Sendable {
        /// Every connection.
        case debug
        /// What is usual.
        case info
        /// What may need a look.
        case warning
        /// What needs somebody.
        case error

        package static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    /// How much it matters.
    package let level: Level
    /// What happened, in a word.
    package let event: String
    /// What belongs to it, in order.
    package let fields: [(key: String, value: String)]

    /// The longest value; what is longer is cut.
    package static let valueByteCountMax = 512

    /// An event.
    package init(
        _ level: Level, _ event: String, _ fields: KeyValuePairs<String, String?> = [:]
    ) {
        self.level = level
        self.event = event
        self.fields = fields.compactMap { field in field.value.map { (field.key, $0) } }
    }

    /// The line, without its end.
    ///
    /// - Parameter time: as text, or nil if whoever takes the lines notes the time.
    package func text(time: String?) -> String {
        var parts = time.map { ["time=\($0)"] } ?? []
        parts += ["level=\(level)", "event=\(event)"]
        parts += fields.map { "\($0.key)=\(Self.quoted($0.value))" }
        return parts.joined(separator: " ")
    }

    package static func == (left: LogLine, right: LogLine) -> Bool {
        left.text(time: nil) == right.text(time: nil)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(text(time: nil)) }

    /// A value that cannot begin a line, a field or an escape sequence of a terminal.
    private static func quoted(_ value: String) -> String {
        var text = ""
        var isPlain = !value.isEmpty
        for scalar in value.unicodeScalars {
            guard text.utf8.count < valueByteCountMax else { break }
            switch scalar {
            case "\"", "\\":
                text += "\\\(scalar)"
                isPlain = false
            case "\n": text += "\\n"
            case " ", "=":
                text.unicodeScalars.append(scalar)
                isPlain = false
            default:
                if scalar.properties.generalCategory == .control
                    || scalar.properties.generalCategory == .format
                    || scalar.properties.generalCategory == .lineSeparator
                    || scalar.properties.generalCategory == .paragraphSeparator
                {
                    text += "\\u{\(String(scalar.value, radix: 16))}"
                } else {
                    text.unicodeScalars.append(scalar)
                }
            }
        }
        return isPlain ? text : "\"\(text)\""
    }
}
