import JSON
import Terminal
import ToDo

/// The report of values that a file does not keep and of errors in it, for people and for programs.
enum LossOutput {
    /// The most bad entries that are named where the file is refused.
    static let namedFaultCountMax = 20

    /// Every loss in a line of its own, under a heading; nothing if there is none.
    static func write(_ losses: [FormatLoss], heading: String = "Not kept") {
        if losses.isEmpty { return }
        Screen.line("\(heading): \(summary(losses))")
        for loss in losses { Screen.line("  " + line(loss)) }
    }

    /// A loss in a line.
    static func line(_ loss: FormatLoss) -> String {
        let place = loss.entry == 0 ? "the file" : "entry \(loss.entry)"
        let title = loss.title.isEmpty ? place : FormatLoss.beginning(of: loss.title).shownInLine
        return "\(title): \(loss.field.shownInLine): \(loss.reason.shownInLine)"
    }

    /// How many details of how many to-dos.
    static func summary(_ losses: [FormatLoss]) -> String {
        let items = Set(losses.map(\.entry)).subtracting([0]).count
        return Echo.count(losses.count, "detail") + (items > 0 ? " of \(Echo.count(items))" : "")
    }

    /// Says beside the results that something is lost, and which command lists it.
    ///
    /// - Parameter remarks: what is kept, but otherwise.
    static func warn(
        _ losses: [FormatLoss], remarks: [FormatLoss] = [], command: [String]
    ) {
        if losses.isEmpty, remarks.isEmpty { return }
        let words = command.map(\.shellQuoted).joined(separator: " ")
        let parts =
            (losses.isEmpty ? [] : ["\(summary(losses)) not kept"])
            + (remarks.isEmpty ? [] : ["\(summary(remarks)) kept otherwise"])
        Screen.error(
            "tandem: \(parts.joined(separator: ", ")); list them: tandem \(words)\n")
    }

    /// Every bad entry in a line of its own.
    static func lines(_ faults: [FormatFault], limit: Int?) -> [String] {
        var lines = faults.prefix(limit ?? .max).map { fault in
            let parts = [
                fault.line.map { "line \($0)" }, fault.entry.map { "entry \($0)" },
                fault.key?.shownInLine,
            ]
            return "  \(parts.compactMap { $0 }.joined(separator: ", ")): "
                + fault.reason.shownInLine
        }
        let rest = faults.count - lines.count
        if rest > 0 { lines.append("  and \(rest) more") }
        return lines
    }

    /// A loss as JSON.
    static func json(_ loss: FormatLoss) -> JSONValue {
        JSONOutput.object([
            ("entry", .number(loss.entry)), ("title", JSONOutput.text(loss.title)),
            ("field", JSONOutput.text(loss.field)), ("reason", JSONOutput.text(loss.reason)),
        ])
    }

    /// A bad entry as JSON.
    static func json(_ fault: FormatFault) -> JSONValue {
        var members: [(String, JSONValue)] = []
        if let line = fault.line { members.append(("line", .number(line))) }
        if let entry = fault.entry { members.append(("entry", .number(entry))) }
        if let key = fault.key { members.append(("field", JSONOutput.text(key))) }
        members.append(("reason", JSONOutput.text(fault.reason)))
        return JSONOutput.object(members)
    }
}
