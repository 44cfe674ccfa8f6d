import Core
import JSON
import Storage
import Terminal
import ToDo

/// Entries of the journal for people and for programs.
enum JournalOutput {
    /// Whether a person wants to see an entry: what only keeps count is left out.
    static func isShown(_ entry: JournalEntry) -> Bool {
        let hidden = [ToDoSchema.Number.completions, ToDoSchema.Number.anchor]
        if case .number(let number) = entry.field.name { return !hidden.contains(number) }
        return true
    }

    /// Whether a value that a decision took out of a conflict is the one that it was for.
    private static func isChosen(_ entry: JournalEntry) -> Bool {
        entry.kind == .dropped && entry.before ?? .null == entry.after ?? .null
    }

    /// Writes an entry, in a line if it fits.
    static func write(_ entry: JournalEntry, _ place: CommandContext) throws {
        let time = DatePhrase.absolute(
            .instant(entry.timestamp.milliseconds), zone: place.zone)
        let device = try place.todos.deviceName(entry.author).shownInLine
        write("\(time)  \(device)", words(entry, place))
    }

    /// Writes who and when, and what.
    static func write(_ author: String, _ words: String) {
        let label = "  \(author)  "
        let isTooLong = Screen.width.map { Cells.count(label) > $0 / 2 } ?? false
        if isTooLong {
            Screen.paragraph(author, label: "  ", hanging: 4, style: Screen.faint)
            Screen.paragraph(words, label: "    ", hanging: 4)
        } else {
            Screen.paragraph(words, label: label, hanging: 4, labelStyle: Screen.faint)
        }
    }

    /// Returns an entry's change of its field, in words.
    static func words(_ entry: JournalEntry, _ place: CommandContext) -> String {
        func text(_ value: Value?) -> String {
            let text = ToDoMapping.describe(
                value ?? .null, of: entry.field, now: place.now, zone: place.zone)
            // Two values stand beside time, device and field in one line of a screen.
            let room = Screen.width.map { max(($0 - 50) / 2, 14) } ?? 200
            return Cells.cut(text.shownInLine, to: room)
        }
        let name = ToDoSchema.name(of: entry.field).shownInLine
        switch entry.kind {
        case .made: return "made it"
        case .erased: return "(purged)"
        case .beside: return "\(name): \(text(entry.after)) kept beside \(text(entry.before))"
        case .dropped where isChosen(entry): return "\(name): decided for \(text(entry.after))"
        case .dropped: return "\(name): decided against \(text(entry.before))"
        case .opened: return "\(name): \(text(entry.after)) is in question again"
        case .local, .merged:
            if entry.field == .deleted {
                return entry.after == .bool(true) ? "deleted it" : "brought it back"
            }
            if case .element(let field, let element) = entry.field {
                let isIn = entry.after == .bool(true)
                if field == .number(ToDoSchema.Number.position) {
                    return isIn ? "moved it" : "moved it away"
                }
                if field == .number(ToDoSchema.Number.work), case .text(let text) = element,
                    let work = WorkInterval(text: text)
                {
                    return (isIn ? "work: " : "work, not any more: ") + words(work, place)
                }
                let set = ToDoSchema.name(of: Field(field)).shownInLine
                let value = ToDoMapping.describe(
                    element, of: Field(field), now: place.now, zone: place.zone)
                return "\(set): \(isIn ? "added" : "removed") \(value.shownInLine)"
            }
            return "\(name): \(text(entry.before)) → \(text(entry.after))"
        }
    }

    private static func words(_ work: WorkInterval, _ place: CommandContext) -> String {
        let start = DatePhrase.absolute(.instant(work.start), zone: place.zone)
        guard let end = work.end else { return "since \(start)" }
        return "\(start), for \(Duration.clock(end - work.start))"
    }

    /// The same as JSON.
    static func json(_ entry: JournalEntry, _ place: CommandContext) throws -> JSONValue {
        var members: [(String, JSONValue)] = [
            ("number", .number(entry.number)), ("id", JSONOutput.text(entry.record.uuidText)),
            ("field", JSONOutput.text(fieldName(entry.field))),
            ("kind", JSONOutput.text(isChosen(entry) ? "chosen" : "\(entry.kind)")),
            ("device", JSONOutput.text(try place.todos.deviceName(entry.author))),
            ("time", JSONOutput.text(TimestampText.rfc3339(entry.timestamp.milliseconds))),
            ("arrived", JSONOutput.text(TimestampText.rfc3339(entry.arrived))),
        ]
        if let value = entry.before {
            members.append(("before", ToDoMapping.json(value, of: entry.field)))
        }
        if let value = entry.after {
            members.append(("after", ToDoMapping.json(value, of: entry.field)))
        }
        return JSONOutput.object(members)
    }

    private static func fieldName(_ field: Field) -> String {
        if field == .deleted { return "deleted" }
        if case .element(let name, .text(let text)) = field {
            return "\(ToDoSchema.name(of: Field(name)))/\(text)"
        }
        return ToDoSchema.name(of: field)
    }
}
