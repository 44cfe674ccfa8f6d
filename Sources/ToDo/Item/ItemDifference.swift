import JSON

/// A field of which two forms of one to-do say different things.
package struct ItemDifference: Hashable, Sendable {
    /// The field's name, as in our own export.
    package let field: String
    /// The first value; "" for none.
    package let before: String
    /// The second value; "" for none.
    package let after: String

    /// A field, and what it says first and second.
    package init(field: String, before: String, after: String) {
        self.field = field
        self.before = before
        self.after = after
    }

    /// All differences, in the order of our own export.
    ///
    /// `modified` is no part of it: every store sets that itself.
    package static func between(_ first: ToDoItem, _ second: ToDoItem) -> [ItemDifference] {
        if first == second { return [] }
        let (before, after) = (Self.fields(first), Self.fields(second))
        let old = Dictionary(before) { one, _ in one }
        let new = Dictionary(after) { one, _ in one }
        let names = before.map(\.name) + after.map(\.name).filter { old[$0] == nil }
        return names.compactMap { name in
            if old[name] == new[name] { return nil }
            return ItemDifference(field: name, before: old[name] ?? "", after: new[name] ?? "")
        }
    }

    /// Names that fields of the user's own may share; those get `x.` in front, as on the command line.
    private static let ownNames = Set(ToDoSchema.names.map(\.name) + ["id"])

    /// Every field that says something, with its value as text.
    private static func fields(_ item: ToDoItem) -> [(name: String, text: String)] {
        var fields: [(name: String, text: String)] = []
        func add(_ name: String, _ text: String?) {
            if let text, !text.isEmpty { fields.append((name, text)) }
        }
        add("id", item.identifier.map(UUIDText.text))
        add("title", item.title)
        add("notes", item.notes)
        add("project", item.project)
        add("status", item.status.rawValue)
        add("priority", item.priority == .none ? nil : item.priority.word)
        for field in ToDoDateField.allCases { add(field.rawValue, item[field]?.rfc3339) }
        add("completed", item.completions.map(TimestampText.rfc3339).joined(separator: ", "))
        add("created", item.created.map(TimestampText.rfc3339))
        add("tags", item.tags.joined(separator: ", "))
        add("people", item.people.joined(separator: ", "))
        add("location", item.location)
        add("parent", item.parent.map(UUIDText.text))
        add("depends", item.depends.map(UUIDText.text).joined(separator: ", "))
        add("repeat", item.repeats)
        add("except", item.exceptions.map(ExceptionDay.text).joined(separator: ", "))
        add("remind", item.reminders.map(\.text).joined(separator: ", "))
        add("series", item.series.map(UUIDText.text))
        add("occurrence", item.occurrence.map { String($0) })
        add("anchor", item.anchor?.rfc3339)
        add("position", item.positions.map(\.text).joined(separator: ", "))
        add("work", item.work.compactMap(\.text).joined(separator: ", "))
        for (name, value) in item.custom.sorted(by: { $0.key < $1.key }) {
            // The JSON tells kinds apart: the text "5" is not the number.
            add(ownNames.contains(name) ? "x." + name : name, value.json.compactText)
        }
        return fields
    }
}

extension ItemDifference {
    /// The difference as half a sentence, for the user.
    package var reason: String { code.words }

    /// The code of the difference.
    var code: CommonReason { after.isEmpty ? .leftOut : .becomes(after) }
}

extension ItemDifference {
    /// How much of what both say alike stands before the place where they part.
    private static let sharedScalarCountMax = 12

    /// As much of both as a line quotes; long texts from where they begin to differ.
    package var quoted: (before: String, after: String) {
        let (one, other) = (before.unicodeScalars, after.unicodeScalars)
        let shared = zip(one, other).prefix { $0 == $1 }.count
        let skipped = shared - Self.sharedScalarCountMax
        func quote(_ text: String) -> String {
            guard skipped > Self.sharedScalarCountMax else { return FormatLoss.beginning(of: text) }
            return "…" + FormatLoss.beginning(of: String(text.unicodeScalars.dropFirst(skipped)))
        }
        return (quote(before), quote(after))
    }

    /// The same with as much of both as a line quotes.
    package var shortened: ItemDifference {
        ItemDifference(
            field: String(field.prefix(FormatLimits.nameByteCountMax)), before: quoted.before,
            after: quoted.after)
    }
}

extension FormatLoss {
    /// The losses of an item in an entry that was written, which `read` reads again.
    ///
    /// An entry that cannot be read again is written all the same: one odd to-do keeps no others from a file.
    static func losses(
        entry: Int, of item: ToDoItem, reading read: () throws(FormatFault) -> ToDoItem
    ) -> [FormatLoss] {
        do throws(FormatFault) {
            return losses(entry: entry, of: item, as: try read())
        } catch {
            return [
                FormatLoss(
                    entry: entry, title: item.title, field: "title",
                    CommonReason.unreadable(error))
            ]
        }
    }

    /// The losses of an item that a file holds as `other`.
    static func losses(
        entry: Int, of item: ToDoItem, as other: ToDoItem
    ) -> [FormatLoss] {
        ItemDifference.between(item, other).map { difference in
            FormatLoss(
                entry: entry, title: item.title, field: difference.field,
                difference.code)
        }
    }
}
