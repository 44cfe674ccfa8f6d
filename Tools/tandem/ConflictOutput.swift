import Causality
import Records
import ToDo

/// Conflicts for people and for programs.
enum ConflictOutput {
    /// Writes what devices disagree on, each value with its author and time, and what to do.
    static func write(_ conflict: ToDoConflict, number: Int?, _ place: Workplace) {
        let which = number.map(String.init) ?? conflict.id.short
        switch conflict.kind {
        case .wasDeleted:
            Terminal.line(
                "  deleted on one device while another edited or restored it; it is "
                    + (conflict.isDeleted ? "in the trash now" : "alive now"))
            Terminal.line(
                Terminal.faint("    tandem restore \(which)   or   tandem delete \(which)"))
        case .field(let field, let candidates):
            let name = ToDoSchema.name(of: field)
            Terminal.line("  \(name) has \(candidates.count) values; the first is shown")
            for candidate in candidates {
                let value = ToDoMapping.describe(candidate.value, now: place.now, zone: place.zone)
                let time = DatePhrase.absolute(.instant(candidate.time), zone: place.zone)
                let author = candidate.device + (candidate.isMine ? " (this device)" : "")
                Terminal.line("    \(value)   \(Terminal.faint("— \(author), \(time)"))")
            }
            Terminal.line(
                Terminal.faint(
                    "    tandem resolve \(which) --field \(name) --mine | --theirs | --value …"))
        }
    }

    /// The same as JSON.
    static func json(_ conflict: ToDoConflict, _ place: Workplace) -> String {
        var members = [
            ("id", JSONOutput.text(conflict.id.uuidText)),
            ("title", JSONOutput.text(conflict.title)),
            ("deleted", conflict.isDeleted ? "true" : "false"),
        ]
        switch conflict.kind {
        case .wasDeleted: members.append(("kind", JSONOutput.text("wasDeleted")))
        case .field(let field, let candidates):
            members.append(("kind", JSONOutput.text("field")))
            members.append(("field", JSONOutput.text(ToDoSchema.name(of: field))))
            let values = candidates.map { candidate in
                JSONOutput.object([
                    (
                        "value",
                        JSONOutput.text(
                            ToDoMapping.describe(candidate.value, now: place.now, zone: place.zone))
                    ),
                    ("device", JSONOutput.text(candidate.device)),
                    ("mine", candidate.isMine ? "true" : "false"),
                    ("time", JSONOutput.text(TimestampText.rfc3339(candidate.time))),
                ])
            }
            members.append(("values", "[" + values.joined(separator: ",") + "]"))
        }
        return JSONOutput.object(members)
    }
}
