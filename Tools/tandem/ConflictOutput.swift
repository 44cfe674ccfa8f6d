import JSON
import Terminal
import ToDo

/// Conflicts for people and for programs.
enum ConflictOutput {
    /// Writes what devices disagree on, each value with its author and time, and what to do.
    static func write(_ conflict: ToDoConflict, named which: String, _ context: CommandContext) {
        switch conflict.kind {
        case .wasDeleted:
            Screen.paragraph(
                "deleted on one device while another edited or restored it; it is "
                    + (conflict.standing == .live ? "alive now" : "in the trash now"),
                label: "  ", hanging: 2)
            for deleter in conflict.deleters {
                write(deleter.didPurge ? "purged it" : "deleted it", by: deleter, context)
            }
            for edit in conflict.unseenEdits {
                write(
                    JournalOutput.words(edit.field, edit.value, context), by: edit.author, context)
            }
            Screen.paragraph(
                "\(AdvisedLine.program) restore \(which)   or   \(AdvisedLine.program) delete \(which)"
                    + (conflict.deleters.contains(where: \.didPurge) ? " (for good)" : ""),
                label: "    ",
                hanging: 6, style: Screen.faint)
        case .editedAfterPurge(let fields):
            Screen.paragraph(
                "purged on one device while another edited it; these edits are kept and shown nowhere else",
                label: "  ", hanging: 2)
            for kept in fields { write(kept, context) }
            Screen.paragraph(
                "\(AdvisedLine.program) resolve \(which) --copy   or   \(AdvisedLine.program) purge \(which) --force",
                label: "    ", hanging: 6, style: Screen.faint)
        case .field(let field, let candidates):
            let name = ToDoSchema.name(of: field).shownInLine
            Screen.paragraph(
                "\(name) has \(candidates.count) values; the first is shown", label: "  ",
                hanging: 4)
            for candidate in candidates { write(candidate, of: field, context) }
            if let base = conflict.base {
                let text = ToDoMapping.describe(
                    base, of: field, now: context.now, zone: context.zone)
                Screen.line("    \(Screen.faint("before that:"))")
                write(text)
            }
            Screen.paragraph(
                "\(AdvisedLine.program) resolve \(which) --field \(name.shellQuoted) "
                    + choices(candidates)
                    + (ToDoStore.takesBoth(field) ? " | --both" : "") + " | --value TEXT",
                label: "    ", hanging: 6, style: Screen.faint)
        }
    }

    /// Writes the values of a field of a purged to-do; of an element of a set that it was added or removed.
    private static func write(_ kept: ToDoConflict.KeptField, _ context: CommandContext) {
        guard case .element(let set, _) = kept.field else {
            Screen.line("    \(ToDoSchema.name(of: kept.field).shownInLine)")
            for value in kept.values { write(value, of: kept.field, context) }
            return
        }
        Screen.line("    \(ToDoSchema.name(of: Field(set)).shownInLine)")
        for value in kept.values {
            Screen.paragraph(
                author(of: value, context) + ":", label: "    ", hanging: 6, style: Screen.faint)
            write(JournalOutput.words(kept.field, value.value, context))
        }
    }

    /// The options that name one value each.
    private static func choices(_ candidates: [ToDoConflict.Candidate]) -> String {
        let mineCount = candidates.count(where: \.isMine)
        let words: [String]
        if mineCount == 1, candidates.count == 2 {
            words = ["--mine", "--theirs"]
        } else if Set(candidates.map(\.device)).count == candidates.count,
            candidates.allSatisfy({ $0.putBack?.isOriginKnown ?? true })
        {
            words = candidates.map { "--device \($0.device.shownInLine.shellQuoted)" }
        } else {
            // Two values of one author: a device and a folder that it keeps in step, or one that is not known.
            words = candidates.indices.map { "--pick \($0 + 1)" }
        }
        return words.joined(separator: " | ")
    }

    /// Returns the author of a value and the time; for a restored value, also who restored it.
    private static func author(
        of candidate: ToDoConflict.Candidate, _ context: CommandContext
    ) -> String {
        func words(_ device: String, _ isMine: Bool, _ time: Int64) -> String {
            device.shownInLine + (isMine ? " (this device), " : ", ")
                + DatePhrase.absolute(.instant(time), zone: context.zone)
        }
        let giver = words(candidate.device, candidate.isMine, candidate.time)
        guard let putBack = candidate.putBack else { return giver }
        let putter = "put back by " + words(putBack.device, putBack.isMine, putBack.time)
        return putBack.isOriginKnown
            ? "\(giver); \(putter)" : "\(putter); who gave it first is not known here"
    }

    private static func words(
        _ author: ToDoConflict.Author, _ context: CommandContext
    ) -> String {
        author.device.shownInLine + (author.isMine ? " (this device), " : ", ")
            + DatePhrase.absolute(.instant(author.time), zone: context.zone)
    }

    /// Writes what a device did, with its name and the time.
    private static func write(
        _ words: String, by author: ToDoConflict.Author, _ context: CommandContext
    ) {
        Screen.paragraph(
            words.shown, label: "    \(self.words(author, context)): ", hanging: 6,
            labelStyle: Screen.faint)
    }

    private static func write(
        _ candidate: ToDoConflict.Candidate, of field: Field, _ context: CommandContext
    ) {
        let value = ToDoMapping.describe(
            candidate.value, of: field, now: context.now, zone: context.zone)
        Screen.paragraph(
            author(of: candidate, context) + ":", label: "    ", hanging: 6, style: Screen.faint)
        write(value)
    }

    /// Long texts, such as notes, stand in full under their author.
    private static func write(_ value: String) {
        Screen.paragraph(value.shown, label: "      ", hanging: 6)
    }

    /// Writes what devices disagree on of a view, and the commands that decide it.
    static func write(_ found: SavedViewConflict, _ context: CommandContext) {
        let conflict = found.conflict
        let title = "view " + (conflict.title.isEmpty ? conflict.id.uuidText : conflict.title)
        switch conflict.kind {
        case .wasDeleted:
            Screen.paragraph(
                "\(title.shownInLine): removed on one device while another changed it; it is "
                    + (conflict.standing == .live ? "kept now" : "removed now"), hanging: 2)
            for deleter in conflict.deleters { write("removed it", by: deleter, context) }
            for edit in conflict.unseenEdits {
                write(
                    SavedViewWords.words(edit.field, edit.value), by: edit.author, context)
            }
        case .field(let field, let candidates):
            Screen.paragraph(
                "\(title.shownInLine): two devices changed it; the first is shown", hanging: 2)
            for candidate in candidates {
                Screen.paragraph(
                    author(of: candidate, context) + ":", label: "    ", hanging: 6,
                    style: Screen.faint)
                write(SavedViewWords.words(field, candidate.value))
            }
        case .editedAfterPurge(let fields):
            Screen.paragraph(
                "\(title.shownInLine): purged on one device while another changed it; these changes "
                    + "are kept and shown nowhere else", hanging: 2)
            for kept in fields {
                for value in kept.values {
                    Screen.paragraph(
                        author(of: value, context) + ":", label: "    ", hanging: 6,
                        style: Screen.faint)
                    write(SavedViewWords.words(kept.field, value.value))
                }
            }
            if found.name == nil {
                Screen.paragraph(
                    "its name is not known here; to keep them, run \(AdvisedLine.program) save with its name and words; "
                        + "to let go of them:", label: "    ", hanging: 6)
            }
        }
        guard let name = found.word else {
            Screen.paragraph(
                "another program made it, and only that can decide it", label: "    ", hanging: 6)
            return
        }
        for decision in found.decisions {
            Screen.paragraph(
                SavedViewWords.command(decision, on: name).shown, label: "    ", hanging: 6,
                style: Screen.faint)
        }
    }

    /// The same as JSON: as of a to-do, with the name of the view and the commands that decide it.
    static func json(_ found: SavedViewConflict) -> JSONValue {
        JSONOutput.object(
            members(of: found.conflict) + [
                ("view", found.name.map(JSONOutput.text) ?? .null),
                (
                    "decide",
                    .array(
                        found.decisions.compactMap { decision in
                            found.word.map {
                                JSONOutput.text(SavedViewWords.command(decision, on: $0))
                            }
                        })
                ),
            ])
    }

    /// The same as JSON.
    static func json(_ conflict: ToDoConflict) -> JSONValue {
        JSONOutput.object(members(of: conflict))
    }

    private static func members(of conflict: ToDoConflict) -> [(String, JSONValue)] {
        var members: [(String, JSONValue)] = [
            ("id", JSONOutput.text(conflict.id.uuidText)),
            ("title", JSONOutput.text(conflict.title)),
            ("deleted", .bool(conflict.standing != .live)),
            ("standing", JSONOutput.text(conflict.standing.word)),
        ]
        switch conflict.kind {
        case .wasDeleted:
            let edits = conflict.unseenEdits.filter { $0.field != .deleted }
            let restores = conflict.unseenEdits.filter { $0.field == .deleted }
            members += [
                ("kind", JSONOutput.text("wasDeleted")),
                ("deletedBy", .array(conflict.deleters.map { JSONOutput.object(json($0)) })),
                ("restoredBy", .array(restores.map { JSONOutput.object(json($0.author)) })),
                (
                    "edits",
                    .array(
                        edits.map { edit in
                            JSONOutput.object(
                                [
                                    ("field", JSONOutput.text(JournalOutput.name(edit.field))),
                                    ("value", ToDoMapping.json(edit.value, of: edit.field)),
                                ] + json(edit.author))
                        })
                ),
            ]
        case .editedAfterPurge(let fields):
            members.append(("kind", JSONOutput.text("editedAfterPurge")))
            let kept = fields.map { kept in
                JSONOutput.object([
                    ("field", JSONOutput.text(ToDoSchema.name(of: kept.field))),
                    ("values", .array(kept.values.map { json($0, of: kept.field) })),
                ])
            }
            members.append(("fields", .array(kept)))
        case .field(let field, let candidates):
            members.append(("kind", JSONOutput.text("field")))
            members.append(("field", JSONOutput.text(ToDoSchema.name(of: field))))
            let values = candidates.map { json($0, of: field) }
            if let base = conflict.base {
                members.append(("base", ToDoMapping.json(base, of: field)))
            }
            members.append(("values", .array(values)))
        }
        return members
    }

    private static func json(_ author: ToDoConflict.Author) -> [(String, JSONValue)] {
        [
            ("device", JSONOutput.text(author.device)), ("mine", .bool(author.isMine)),
            ("time", JSONOutput.text(TimestampText.rfc3339(author.time))),
        ]
    }

    private static func json(
        _ candidate: ToDoConflict.Candidate, of field: Field
    ) -> JSONValue {
        var members: [(String, JSONValue)] = [
            ("value", ToDoMapping.json(candidate.value, of: field)),
            ("device", JSONOutput.text(candidate.device)),
            ("mine", .bool(candidate.isMine)),
            ("time", JSONOutput.text(TimestampText.rfc3339(candidate.time))),
        ]
        if let putBack = candidate.putBack {
            members += [
                ("putBackBy", JSONOutput.text(putBack.device)),
                ("putBackAt", JSONOutput.text(TimestampText.rfc3339(putBack.time))),
                ("originKnown", .bool(putBack.isOriginKnown)),
            ]
        }
        return JSONOutput.object(members)
    }
}
