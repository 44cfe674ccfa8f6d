import Devices
import Terminal
import ToDo

/// A list in sections, with numbers in front and how things stand at its foot.
enum ListOutput {
    /// Writes a list.
    ///
    /// - Parameters:
    ///   - found: what is shown, in order.
    ///   - columns: the columns beside the title; none for those of every list.
    ///   - empty: what is said if that is nothing, in parts that may stand below each other.
    ///   - isWhole: whether these are all pending to-dos.
    ///   - keepsOrder: whether somebody chose the order, so that parts are marked where they stand, and not
    ///     moved beneath what they are a part of.
    ///   - dates: the dates that a filter compares with, which are told.
    ///   - searched: the texts that a filter looks for, which are marked.
    ///   - remarks: why these and no others are shown, where the command line does not say it.
    static func write(
        _ found: [Record], by sections: ToDoSections, columns: [ToDoColumn] = [], empty: [String],
        hasMore: Bool,
        isWhole: Bool, keepsOrder: Bool = false,
        dates: [ToDoFilter.ComparedDate] = [],
        searched: [String] = [], remarks: [String] = [], _ context: CommandContext
    ) throws {
        let parts = try context.todos.sections(
            found, by: sections, keepsOrder: keepsOrder, in: context.calendar)
        ToDoTable.write(
            parts, columns: columns, searched: searched, context)
        try foot(
            parts.flatMap(\.rows), empty: empty, hasMore: hasMore, isWhole: isWhole,
            told: remarks + dates.compactMap { told($0, context) }, context)
    }

    /// The day or time that a filter compares with, and whether it is among what is shown.
    static func told(_ compared: ToDoFilter.ComparedDate, _ context: CommandContext) -> String? {
        let (word, moment, isIncluded): (String, Moment, Bool)
        switch compared.test {
        case .isSet, .on: return nil
        case .before(let limit): (word, moment, isIncluded) = ("before", limit, false)
        case .by(let limit): (word, moment, isIncluded) = ("by", limit, true)
        case .after(let limit): (word, moment, isIncluded) = ("after", limit, false)
        }
        return compared.attribute.rawValue + (compared.isNegated ? " not" : "") + " \(word) "
            + DatePhrase.absolute(moment, zone: context.zone)
            + (isIncluded != compared.isNegated ? ", with it" : ", without it")
    }

    private static func foot(
        _ rows: [ToDoRow], empty: [String], hasMore: Bool, isWhole: Bool, told: [String],
        _ context: CommandContext
    ) throws {
        let counts = try context.todos.counts()
        var parts = rows.isEmpty ? empty : [EditMessages.count(rows.count)]
        if hasMore { parts[0] += " shown, more with --limit" }
        parts += told
        if !isWhole || hasMore { parts.append("\(counts.pending) pending in all") }
        for timer in try context.todos.timers() {
            let time = DatePhrase.relative(
                .instant(timer.start), now: context.now, zone: context.zone)
            // The title gives way, so that the time is whole.
            let room = (Screen.width ?? .max) - Cells.count("running: , begun \(time)")
            let title = Cells.cut(timer.item.shownTitle, to: max(min(room, 30), 8))
            parts.append("running: \(title), begun \(time)")
        }
        if counts.conflicted > 0 {
            let mark = rows.contains(where: \.isInConflict) ? " (marked ?)" : ""
            parts.append(
                "\(counts.conflicted) in conflict\(mark): \(AdvisedLine.program) conflicts")
        }
        parts += try syncState(context)
        for line in lines(parts, in: Screen.width ?? .max) { Screen.line(Screen.faint(line)) }
    }

    /// The parts beside each other as far as there is room, then below.
    static func lines(_ parts: [String], in room: Int) -> [String] {
        var lines: [String] = []
        for part in parts {
            if let last = lines.last, Cells.count(last) + 2 + Cells.count(part) <= room {
                lines[lines.count - 1] = "\(last); \(part)"
            } else {
                lines += Cells.wrapped(part, first: room, rest: room)
            }
        }
        return lines
    }

    /// The last peer met, and the time; and what waits for a person's word.
    private static func syncState(_ context: CommandContext) throws -> [String] {
        let standing = try DeviceStanding(of: context.device)
        let words = StatusWords(context: context)
        let problems = standing.problems.map { "\(words.short($0)): \(AdvisedLine.program) status" }
        guard let last = standing.lastMet else { return problems }
        let when = DatePhrase.relative(
            .instant(last.lastContact), now: context.now, zone: context.zone)
        return ["met \(last.name.shownInLine) \(when)"] + problems
    }
}
