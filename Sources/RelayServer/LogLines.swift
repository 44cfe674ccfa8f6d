import Core
import Crypto
import Relay
import Session
import Transport

/// One event for the one who runs a program, in the form `key=value key="two words"` (logfmt).
package struct LogLine: Hashable, Sendable {
    /// How much an event matters.
    package enum Level: Int, Comparable, CaseIterable, Sendable {
        /// Every connection.
        case debug
        /// A usual event.
        case info
        /// An event that may need attention.
        case warning
        /// An event that needs attention.
        case error

        package static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    /// How much it matters.
    package let level: Level
    /// The event's name, one word.
    package let event: String
    /// The event's fields, in order.
    package let fields: [(key: String, value: String)]

    /// The longest value; a longer one is cut.
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
        // A scalar gives at least one byte; the escapes of all of them may give more bytes than fit.
        var start = value.unicodeScalars.prefix(valueByteCountMax)
        var text = escaped(start)
        while text.utf8.count > valueByteCountMax {
            start = start.prefix(start.count * valueByteCountMax / text.utf8.count)
            text = escaped(start)
        }
        let isPlain = !start.isEmpty && !start.contains { " \t=\"\\".unicodeScalars.contains($0) }
        return isPlain ? text : "\"\(text)\""
    }

    /// A text with escapes for quotes, backslashes, line feeds and all that steers or hides.
    private static func escaped(_ scalars: String.UnicodeScalarView.SubSequence) -> String {
        scalars.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            var text = String.UnicodeScalarView()
            for scalar in line {
                if scalar == "\"" || scalar == "\\" { text.append("\\") }
                text.append(scalar)
            }
            return VisibleText.escaped(String(text))
        }.joined(separator: "\\n")
    }
}

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
        // Errors are never left out: the relay itself bounds their number.
        if count > Self.linesPerSecondMax, line.level < .error {
            droppedCount += 1
        } else {
            lines.append(line)
        }
        return lines
    }
}

extension RelayLogEvent {
    /// The event as a line of the log: no content, no secret, no token.
    ///
    /// - Parameter session: the number of the conversation.
    func line(session: Int?) -> LogLine {
        let number = session.map { "\($0)" }
        switch self {
        case .welcomed(let space, let replica, let address, let device):
            return LogLine(
                .info, "welcomed",
                [
                    "session": number, "address": address, "space": "\(space)",
                    "replica": "\(replica)", "device": device.map(Self.text),
                ])
        case .refused(let reason, let space, let address, let device, let message):
            return LogLine(
                reason == .leaving ? .info : .warning, "refused",
                [
                    "session": number, "address": address, "space": space.map { "\($0)" },
                    "device": device.map(Self.text), "reason": reason.rawValue,
                    "message": message,
                ])
        case .ended(let space, let address, let device, let bytes, let end):
            var message: String?
            if case .failed(let error, _) = end { message = error.message }
            return LogLine(
                message == nil ? .info : .warning, "ended",
                [
                    "session": number, "address": address, "space": space.map { "\($0)" },
                    "device": device.map(Self.text),
                    "received": "\(bytes.receivedByteCount)",
                    "sent": "\(bytes.sentByteCount)", "how": Self.word(end),
                    "message": message,
                ])
        case .spaceMade(let space, let generation):
            return LogLine(
                .info, "space-made", ["space": "\(space)", "generation": "\(generation)"])
        case .generationBegun(let space, let generation):
            return LogLine(
                .warning, "generation-begun", ["space": "\(space)", "generation": "\(generation)"])
        case .spaceFailed(let space, _):
            return LogLine(.error, "space-failed", ["space": "\(space)", "message": description])
        case .spaceExpired(let space):
            return LogLine(.warning, "space-expired", ["space": "\(space)"])
        case .expiryFailed:
            return LogLine(.error, "expiry-failed", ["message": description])
        }
    }

    private static func text(_ fingerprint: [UInt8]) -> String {
        Fingerprint(bytes: fingerprint)?.description ?? ""
    }

    private static func word(_ end: SessionEnd) -> String {
        switch end {
        case .finished: "finished"
        case .lost: "lost"
        case .failed: "failed"
        }
    }
}

extension MonitorPort.Fault {
    /// The line of the log.
    var line: LogLine {
        LogLine(
            .warning, "metrics-ended",
            [
                "program": SiblingProgram.web, "message": cause,
                "seconds": "\(pause.components.seconds)",
            ])
    }
}
