import Terminal
import ToDo

/// The words behind `add` that make a to-do like another one, as other programs copy one.
struct CopiedToDo {
    /// The words.
    let words: [String]
    /// The parts of the other to-do that stand in none of them.
    let leftOut: [String]

    /// Nil if no single to-do is named.
    ///
    /// - Parameters:
    ///   - words: the name of the to-do, and what is other.
    ///   - targets: the words in front of the command, the first of all: without a number a filter says which.
    ///   - options: those that name the store.
    init?(_ words: [String], _ targets: [String], _ options: [String]) {
        let named = words.filter { ForeignLine.isName($0) }
        guard
            let context = try? CommandContext.openToRead(
                Arguments(options, of: ShowCommand.self, in: Tandem.self)),
            let found = named.isEmpty
                ? try? Selection.find(ForeignFilter(targets).words, context)
                : try? context.findAlive([named[0]]),
            found.count == 1
        else { return nil }
        let item = ToDoMapping.item(found[0])
        let form = ToDoForm(item, zone: context.zone)
        // A title that would be read as tags or keys stands behind `--`, and that behind all else.
        let read = try? ItemWords.parse([item.title], for: .adding, context)
        let isPlain = read?.title == item.title && read?.assignments.isEmpty ?? false
        var made = isPlain ? [item.title] : []
        for field in form.fields where !field.text.isEmpty {
            if field.key != "title", field.key != "status" {
                made.append("\(field.key):\(field.text)")
            }
        }
        made += Self.references(of: item, context)
        let others =
            named.isEmpty ? Array(words.dropFirst(targets.count)) : words.filter { $0 != named[0] }
        let keys = others.compactMap { word in
            word.firstIndex(of: ":").map { String(word[...$0]) }
        }
        made = made.filter { word in !keys.contains { word.hasPrefix($0) } }
        let notes = keys.contains("notes:") ? (words: [], areWhole: true) : Self.notes(of: item)
        // Words behind notes would be a part of these.
        self.words =
            made + others + notes.words
            + (isPlain || keys.contains("title:") ? [] : ["--", item.title])
        leftOut =
            form.keysLeftOut.filter { $0 != "title" && !keys.contains($0 + ":") }
            + (notes.areWhole ? [] : ["empty lines of the notes"])
    }

    /// The words for the to-dos that it waits for and is a part of, as far as they are there.
    private static func references(of item: ToDoItem, _ context: CommandContext) -> [String] {
        func names(_ ids: [UInt128]) -> [String] {
            let records = ids.compactMap { try? context.todos.stored(RecordID(value: $0)) }
            return context.naming.names(of: records.filter { $0.standing == .live })
        }
        let depends = names(item.depends)
        return names(item.parent.map { [$0] } ?? []).map { "parent:\($0)" }
            + (depends.isEmpty ? [] : ["depends:" + depends.joined(separator: ",")])
    }

    /// The words for the notes, one for each line of them, and whether all lines are there: none adds an empty line.
    private static func notes(of item: ToDoItem) -> (words: [String], areWhole: Bool) {
        let all = item.notes.split(
            omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let lines = all.filter { !$0.isEmpty }
        let words = lines.enumerated().map { ($0.offset == 0 ? "notes:" : "notes+:") + $0.element }
        return (words, item.notes.isEmpty || lines.count == all.count)
    }
}
