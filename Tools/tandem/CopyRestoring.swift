import Devices
import JSON
import Terminal
import ToDo

/// Brings back what a backup or a snapshot has, or tells what that would be.
struct CopyRestoring {
    let context: CommandContext
    let arguments: Arguments
    private static let titleCountMax = 20

    /// Lists the snapshots in the store's folder; the store need not be opened for that.
    static func list(_ arguments: Arguments) throws -> ExitCode {
        let found = try DamagedStore(arguments).folder
        let (snapshots, paths) = (found.snapshots, found.paths)
        if arguments.has("json") {
            let rows = snapshots.map { snapshot in
                JSONOutput.object([
                    ("number", .number(snapshot.number)),
                    ("time", JSONOutput.text(TimestampText.rfc3339(snapshot.time))),
                    ("path", JSONOutput.text(paths.path(of: snapshot))),
                ])
            }
            Screen.line(JSONValue.array(rows))
        } else if snapshots.isEmpty {
            Screen.line("No snapshots: none was needed yet.")
        }
        let zone = try CommandContext.systemZone()
        for snapshot in snapshots where !arguments.has("json") {
            let time = DatePhrase.absolute(.instant(snapshot.time), zone: zone)
            Screen.line("\(snapshot.number)  \(time)  \(paths.path(of: snapshot))")
        }
        return snapshots.isEmpty ? .nothing : .ok
    }

    /// Checks a copy, tells in what it is other than the store, and brings that back if it is meant.
    func restore(from word: String) throws -> ExitCode {
        let copy = try context.device.copies.opened(word)
        defer { copy.close() }
        // The copy may have names that no to-do has now.
        let filter = try context.readFilter(arguments.words)
        let difference = try context.device.copies.difference(from: copy) {
            record, store throws(StoreFault) in
            if filter.conditions.isEmpty { return true }
            guard record.collection == ToDoSchema.collection else { return false }
            if try ToDoStore(store: store, now: context.now, zone: context.zone)
                .takes(record, filter)
            {
                return true
            }
            // One that was renamed since is also found by its present title.
            return try context.todos.stored(record.id).map { present throws(StoreFault) in
                try context.todos.takes(present, filter)
            } ?? false
        }
        let isExact = arguments.has("exact")
        if !filter.conditions.isEmpty, difference == CopyDifference() {
            throw CommandFailure(
                .nothing,
                "\(copy.path.shownInLine) is whole, but no to-do of it and none here matches: "
                    + arguments.words.joined(separator: " ").shownInLine)
        }
        let isNothing = difference.isNothingMissing && !(isExact && !difference.later.isEmpty)
        if !arguments.has("json") { try tell(difference, copy, isExact: isExact) }
        if arguments.has("verify") || arguments.has("dry-run") || isNothing {
            if arguments.has("json") { try tellJSON(difference, copy, written: false) }
            return .ok
        }
        if isExact, !difference.later.isEmpty {
            try CommandContext.confirm(
                "Put \(EditMessages.count(difference.later.count)) in the trash that the copy has not?",
                arguments
            )
        }
        // Afterwards nothing tells any more what was replaced.
        let report = try json(difference, copy, written: true)
        try context.device.copies.restore(difference, from: copy, deletesLater: isExact)
        if arguments.has("json") {
            Screen.line(report)
        } else {
            Screen.line("Restored; to take that back: \(AdvisedLine.program) undo")
        }
        return .ok
    }

    private func tell(
        _ difference: CopyDifference, _ copy: StoreCopy, isExact: Bool
    ) throws {
        Screen.line("\(copy.path.shownInLine) is whole, and of this space")
        let back = difference.deleted + difference.missing + difference.purged
        if difference.isNothingMissing, !isExact || difference.later.isEmpty {
            Screen.line("  all that the copy has is here already")
        }
        try tell("come", "back from the trash", difference.deleted, copy)
        try tell(
            "come", "back from the copy, as they are not here", difference.missing,
            record: copy.record)
        try tell(
            "come", "back from the copy as new ones, as they were purged here", difference.purged,
            record: copy.record)
        try tell("get", "back the values that the copy has", difference.changed, copy)
        if isExact {
            try tell(
                "go", "to the trash, as the copy has them not", difference.later,
                record: context.device.record)
        } else if !difference.later.isEmpty {
            let words = "as here: made after the copy (--exact: to the trash)"
            Screen.line("  \(counted(difference.later.count, "stay")) \(words)")
        }
        if back.isEmpty, difference.changed.isEmpty { return }
        Screen.line("  \(counted(difference.equalCount, "are")) the same in both")
    }

    /// "1 to-do goes", "2 to-dos go".
    private func counted(_ count: Int, _ verb: String) -> String {
        let singular = ["are": "is", "go": "goes"][verb] ?? verb + "s"
        return "\(EditMessages.count(count)) \(count == 1 ? singular : verb)"
    }

    /// Names to-dos that are here, and which of their fields get other values.
    private func tell(
        _ verb: String, _ words: String, _ names: [RecordName], _ copy: StoreCopy
    ) throws {
        if names.isEmpty { return }
        Screen.line("  \(counted(names.count, verb)) \(words)")
        // Whoever only looks wants to see all of it.
        let isLook = arguments.has("verify") || arguments.has("dry-run")
        let shown = isLook ? names[...] : names.prefix(Self.titleCountMax)
        for name in shown {
            guard let stored = try copy.record(name) else { continue }
            Screen.line("    \(stored.shownTitle.shownInLine)")
            for field in try CopiedField.all(of: name, from: copy.store, to: context.todos) {
                Screen.paragraph(self.words(field), label: "      ", hanging: 8)
            }
        }
        if names.count > shown.count { Screen.line("    and \(names.count - shown.count) more") }
    }

    /// Returns a field with the values here and in the copy.
    private func words(_ field: CopiedField) -> String {
        func quoted(_ text: String) -> String { text.isEmpty ? "nothing" : text.shownInLine }
        let name = field.difference.field.shownInLine
        let (here, there) = field.difference.quoted
        let others = field.others.map { value in
            let text = ToDoMapping.describe(
                value, of: field.field ?? .text(""), now: context.now, zone: context.zone)
            return FormatLoss.beginning(of: text).shownInLine
        }
        let conflict =
            others.isEmpty
            ? "" : ", in conflict with \(others.joined(separator: " and ")), which that ends"
        return "\(name): here \(quoted(here))\(conflict); in the copy \(quoted(there))"
    }

    private func tell(
        _ verb: String, _ words: String, _ names: [RecordName],
        record: (RecordName) throws(StoreFault) -> Record?
    ) throws {
        if names.isEmpty { return }
        Screen.line("  \(counted(names.count, verb)) \(words)")
        for name in names.prefix(Self.titleCountMax) {
            guard let stored = try record(name) else { continue }
            Screen.line("    \(stored.shownTitle.shownInLine)")
        }
        if names.count > Self.titleCountMax {
            Screen.line("    and \(names.count - Self.titleCountMax) more")
        }
    }

    private func tellJSON(
        _ difference: CopyDifference, _ copy: StoreCopy, written: Bool
    ) throws {
        Screen.line(try json(difference, copy, written: written))
    }

    private func json(
        _ difference: CopyDifference, _ copy: StoreCopy, written: Bool
    ) throws -> JSONValue {
        func list(_ names: [RecordName]) -> JSONValue {
            .array(names.map { JSONOutput.text($0.id.uuidText) })
        }
        let fields = try (difference.deleted + difference.changed).flatMap { name in
            try CopiedField.all(of: name, from: copy.store, to: context.todos).map { field in
                JSONOutput.object([
                    ("id", JSONOutput.text(name.id.uuidText)),
                    ("field", JSONOutput.text(field.difference.field)),
                    ("here", JSONOutput.text(field.difference.before)),
                    ("copy", JSONOutput.text(field.difference.after)),
                    (
                        "conflict",
                        .array(
                            field.others.map { ToDoMapping.json($0, of: field.field ?? .text("")) })
                    ),
                ])
            }
        }
        return JSONOutput.object([
            ("copy", JSONOutput.text(copy.path)), ("whole", .bool(true)),
            ("deleted", list(difference.deleted)), ("missing", list(difference.missing)),
            ("purged", list(difference.purged)), ("changed", list(difference.changed)),
            ("fields", .array(fields)),
            ("later", list(difference.later)), ("same", .number(difference.equalCount)),
            ("restored", .bool(written)),
        ])
    }
}
