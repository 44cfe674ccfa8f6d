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
            Terminal.paragraph(
                "deleted on one device while another edited or restored it; it is "
                    + (conflict.isDeleted ? "in the trash now" : "alive now"),
                label: "  ", hanging: 2)
            Terminal.line(
                Terminal.faint("    tandem restore \(which)   or   tandem delete \(which)"))
        case .field(let field, let candidates):
            let name = ToDoSchema.name(of: field).shownInLine
            Terminal.line("  \(name) has \(candidates.count) values; the first is shown")
            for candidate in candidates { write(candidate, of: field, place) }
            if let base = conflict.base {
                let text = ToDoMapping.describe(
                    base, of: field, now: place.now, zone: place.zone)
                Terminal.line("    \(Terminal.faint("before that:"))")
                write(text)
            }
            // Two values of one author: a device and a folder that it keeps in step.
            let isPlain = Set(candidates.map(\.device)).count == candidates.count
            Terminal.paragraph(
                "tandem resolve \(which) --field \(name.shellQuoted) "
                    + (isPlain ? "--mine | --theirs" : "--pick 1 | --pick 2")
                    + (ResolveChoice.takesBoth(field) ? " | --both" : "") + " | --value TEXT",
                label: "    ", hanging: 6, style: Terminal.faint)
        }
    }

    private static func write(
        _ candidate: ToDoConflict.Candidate, of field: Field, _ place: Workplace
    ) {
        let value = ToDoMapping.describe(
            candidate.value, of: field, now: place.now, zone: place.zone)
        let time = DatePhrase.absolute(.instant(candidate.time), zone: place.zone)
        let author = candidate.device.shownInLine + (candidate.isMine ? " (this device)" : "")
        Terminal.paragraph(
            "\(author), \(time):", label: "    ", hanging: 6, style: Terminal.faint)
        write(value)
    }

    /// Long texts, such as notes, stand in full under their author.
    private static func write(_ value: String) {
        Terminal.paragraph(value.shown, label: "      ", hanging: 6)
    }

    /// The same as JSON.
    static func json(_ conflict: ToDoConflict) -> String {
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
                    ("value", ToDoMapping.json(candidate.value, of: field)),
                    ("device", JSONOutput.text(candidate.device)),
                    ("mine", candidate.isMine ? "true" : "false"),
                    ("time", JSONOutput.text(TimestampText.rfc3339(candidate.time))),
                ])
            }
            if let base = conflict.base {
                members.append(("base", ToDoMapping.json(base, of: field)))
            }
            members.append(("values", "[" + values.joined(separator: ",") + "]"))
        }
        return JSONOutput.object(members)
    }
}
