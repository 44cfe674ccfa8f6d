/// Ties templates and occurrences of one file together, once all are read.
struct TaskwarriorSeries {
    /// A template, where it stood in the file.
    private struct Template {
        let entry: Int
        let identifier: UInt128
    }

    private let zoneName: String?
    private let zone: LocalTimeZone
    private var templates: [Template] = []
    private var templateIdentifiers: Set<UInt128> = []
    private(set) var remarks: [FormatLoss] = []

    init(zone: LocalTimeZone, zoneName: String?) {
        self.zone = zone
        self.zoneName = zoneName
    }

    /// Takes note of a template; one without an id has no occurrences.
    mutating func addTemplate(_ item: ToDoItem, entry: Int) {
        guard let identifier = item.identifier else { return }
        templates.append(Template(entry: entry, identifier: identifier))
        templateIdentifiers.insert(identifier)
    }

    /// Whether a template has that id.
    func hasTemplate(_ identifier: UInt128) -> Bool { templateIdentifiers.contains(identifier) }

    /// Changes what the templates and their occurrences need of each other, and adds the next occurrence
    /// of a template that has no open one.
    mutating func tie(_ items: inout [ToDoItem]) {
        untieDoubles(&items)
        var members: [UInt128: [Int]] = [:]
        for (index, item) in items.enumerated() {
            if let series = item.series {
                members[series, default: []].append(index)
            } else if case .text(let text)? = item.custom["parent"],
                let parent = UUIDText.value(text)
            {
                members[parent, default: []].append(index)
            }
        }
        let positions = Dictionary(
            items.indices.compactMap { index in items[index].identifier.map { ($0, index) } },
            uniquingKeysWith: { first, _ in first })
        for template in templates {
            guard let position = positions[template.identifier],
                items[position].status == .cancelled
            else { continue }
            tie(template, at: position, members[template.identifier] ?? [], &items)
        }
    }

    private mutating func tie(
        _ template: Template, at position: Int, _ members: [Int], _ items: inout [ToDoItem]
    ) {
        func remark(_ code: TaskwarriorReason) -> FormatLoss {
            FormatLoss(
                entry: template.entry, title: items[position].title,
                field: TaskwarriorRecurrence.period, code)
        }
        let isOpen = members.contains { items[$0].status == .pending }
        let period = items[position].custom[TaskwarriorRecurrence.period]?.displayText ?? ""
        guard let rule = TaskwarriorRecurrence.repetition(items[position]) else {
            if !isOpen { reopen(&items[position], entry: template.entry) }
            return remarks.append(remark(.templateKept(period: period, hasOpenTask: isOpen)))
        }
        for index in members { anchor(&items[index], to: items[position], rule) }
        if isOpen { return remarks.append(remark(.repeatsByTasks(rule.text))) }
        guard let next = next(of: items[position], members.map { items[$0] }, rule) else {
            return remarks.append(remark(.repeatsNoMore(rule.text)))
        }
        items.append(next)
        remarks.append(remark(.nextMade(rule.text, due: next.due?.rfc3339 ?? "")))
    }

    /// Makes a pending to-do of a template, without the time at which it ended.
    private mutating func reopen(_ item: inout ToDoItem, entry: Int) {
        item.status = .pending
        if item.completions.isEmpty { return }
        item.completions = []
        remarks.append(
            FormatLoss(
                entry: entry, title: item.title, field: "completed",
                CommonReason.leftOutAsPending))
    }

    /// Says where the schedule began where the occurrence's own date does not tell.
    private func anchor(_ item: inout ToDoItem, to template: ToDoItem, _ rule: Repetition) {
        guard item.series != nil, item.anchor == nil, let begin = template.due else { return }
        func next(_ anchor: Moment?) -> NextDate? {
            rule.next(after: item.due, anchor: anchor, completed: 0, zone: zone)
        }
        if next(nil) != next(begin) { item.anchor = begin }
    }

    /// The occurrence that Taskwarrior would make next; nil if its time is over.
    private func next(
        of template: ToDoItem, _ members: [ToDoItem], _ rule: Repetition
    ) -> ToDoItem? {
        guard let identifier = template.identifier, let begin = template.due else { return nil }
        let mask = template.custom[TaskwarriorRecurrence.mask]?.displayText.utf8.count ?? 0
        let number = max(mask, members.compactMap(\.occurrence).max() ?? 0)
        guard number < TaskwarriorRecurrence.countMax else { return nil }
        let due = rule.due(afterOccurrences: number, from: begin, zone: zone)
        if let until = template.until, due.start(in: zone) >= until.end(in: zone) { return nil }
        var item = template
        item.identifier = ToDoItem.occurrenceIdentifier(series: identifier, number: number + 1)
        item.custom[TaskwarriorRecurrence.mask] = nil
        item.status = .pending
        item.completions = []
        item.series = identifier
        item.occurrence = number + 1
        item.repeats = rule.placed(of: due, zoneName: zoneName).text
        item.due = due
        let days = due.day(in: zone) - begin.day(in: zone)
        item.scheduled = template.scheduled?.moved(byDays: days, in: zone)
        item.wait = template.wait?.moved(byDays: days, in: zone)
        anchor(&item, to: template, rule)
        return item
    }

    /// Of several tasks that say they are the same occurrence, one is.
    private mutating func untieDoubles(_ items: inout [ToDoItem]) {
        var found: [UInt128: [Int]] = [:]
        for (index, item) in items.enumerated() where item.series != nil {
            if let identifier = item.identifier { found[identifier, default: []].append(index) }
        }
        func name(_ index: Int) -> String {
            items[index].custom[TaskwarriorRecurrence.identifier]?.displayText ?? ""
        }
        for indices in found.values where indices.count > 1 {
            for index in indices.sorted(by: { name($0) < name($1) }).dropFirst() {
                TaskwarriorRecurrence.untie(&items[index])
                remarks.append(
                    FormatLoss(
                        entry: 0, title: items[index].title, field: "imask",
                        TaskwarriorReason.sameOccurrence))
            }
        }
        remarks.sort { $0.title < $1.title }
    }
}

/// `recur` of Taskwarrior, and how its occurrences become those of a to-do that comes again.
///
/// There a template (status `recurring`) makes a task for each occurrence, which names it in `parent`
/// and has a number from 0 in `imask`. Here each occurrence says itself how it comes again, and its id
/// is made of the template's and the number: so an occurrence that Taskwarrior makes later is the same
/// one that was made here when the one before was done.
enum TaskwarriorRecurrence {
    /// The custom field with the period, in Taskwarrior's words.
    static let period = "recur"
    /// The custom field of a template with a letter for each occurrence: `-` pending, `W` waiting, `+`
    /// completed, `X` deleted.
    static let mask = "mask"
    /// The custom field of an occurrence with the id that it has in Taskwarrior.
    static let identifier = "uuid"

    /// The custom fields that say where in a template's row a task stands that is not tied to it.
    static let namesOfPosition = ["parent", "imask"]

    /// The most occurrences of a template that are counted.
    static let countMax = 10_000

    /// Custom fields that hold for one occurrence, not for the next.
    static func isOfOneOccurrence(_ name: String, of item: ToDoItem) -> Bool {
        name == identifier && item.custom[period] != nil
    }

    /// How something of that period comes again; nil for hours and less, and for what is no period.
    static func repetition(_ text: String) -> Repetition? {
        let word = text.lowercased()
        if let step = named[word] { return Repetition(step) }
        // `m` is months to it where a number stands before.
        let isMonths = word.hasSuffix("m") && Int(word.dropLast()) != nil && !word.hasPrefix("-")
        return Repetition(text: isMonths ? word + "o" : word)
            .flatMap { $0 == Repetition($0.step) && !$0.isOfMonthDays ? $0 : nil }
    }

    private static let named: [String: Repetition.Step] = [
        "day": .days(1), "week": .days(7), "sennight": .days(14), "fortnight": .days(14),
        "month": .months(1), "quarter": .months(3), "semiannual": .months(6),
        "year": .months(12), "biannual": .months(24), "biyearly": .months(24),
    ]

    /// The period in the custom fields, if it is one that is understood.
    static func repetition(_ item: ToDoItem) -> Repetition? {
        guard case .text(let text)? = item.custom[period] else { return nil }
        return repetition(text)
    }

    /// Whether the item is one of a template's occurrences, tied to it.
    static func isOccurrence(_ item: ToDoItem) -> Bool {
        item.series != nil && (item.occurrence ?? 0) > 0 && repetition(item) != nil
    }

    /// Whether the item goes out as a template.
    static func isTemplate(_ item: ToDoItem) -> Bool {
        item.custom[period] != nil && item.custom["parent"] == nil && item.series == nil
            && item.status != .completed && item.completions.isEmpty
    }

    /// Makes an item with `parent` and `imask` an occurrence.
    static func tie(_ item: inout ToDoItem, zoneName: String?) {
        guard let rule = repetition(item), case .text(let text)? = item.custom["parent"],
            let template = UUIDText.value(text), let number = number(item.custom["imask"])
        else { return }
        item.custom["parent"] = nil
        item.custom["imask"] = nil
        item.series = template
        item.occurrence = number + 1
        item.repeats = rule.placed(of: item.due, zoneName: zoneName).text
        let identifier = ToDoItem.occurrenceIdentifier(series: template, number: number + 1)
        if let own = item.identifier, own != identifier {
            item.custom[Self.identifier] = .text(UUIDText.text(own))
        }
        item.identifier = identifier
    }

    /// Makes an occurrence a to-do of its own.
    static func untie(_ item: inout ToDoItem) {
        guard let template = item.series, let number = item.occurrence else { return }
        item.custom["parent"] = .text(UUIDText.text(template))
        item.custom["imask"] = .int(Int64(number - 1))
        if case .text(let text)? = item.custom.removeValue(forKey: identifier) {
            item.identifier = UUIDText.value(text)
        }
        item.series = nil
        item.occurrence = nil
        item.repeats = ""
    }

    /// The id that the task has in Taskwarrior.
    static func uuid(of item: ToDoItem) -> UInt128? {
        guard isOccurrence(item), case .text(let text)? = item.custom[identifier] else {
            return item.identifier
        }
        return UUIDText.value(text)
    }

    private static func number(_ value: CustomValue?) -> Int? {
        let number: Int? =
            switch value {
            case .int(let number): Int(exactly: number)
            case .double(let number): Int(exactly: number)
            case .text(let text): Double(text).flatMap { Int(exactly: $0) }
            default: nil
            }
        return number.flatMap { (0..<countMax).contains($0) ? $0 : nil }
    }
}

/// Which texts Taskwarrior takes as a period; another one ends it in the midst of an import.
///
/// Found by trying with 2.6.2: what it exports itself is always among them.
enum TaskwarriorPeriod {
    private static let numberLengthMax = 6

    /// Units that stand alone or behind a number.
    private static let words: Set<String> = [
        "annual", "biannual", "bimonthly", "biweekly", "biyearly", "daily", "day", "fortnight",
        "hour", "hr", "min", "minute", "month", "monthly", "mo", "mth", "qrtr", "qtr",
        "quarter", "quarterly", "sec", "second", "semiannual", "week", "weekdays", "weekly", "wk",
        "year", "yearly", "yr",
    ]
    /// Units that stand behind a number alone.
    private static let units: Set<String> = [
        "days", "d", "hours", "hrs", "h", "minutes", "mins", "mnth", "months", "mnths", "mths",
        "mos", "m",
        "quarters", "qrtrs", "qtrs", "q", "seconds", "secs", "s", "sennight", "weeks", "wks", "w",
        "years", "yrs", "y",
    ]

    /// Whether an import of the text goes well.
    static func isUnderstood(_ text: String) -> Bool {
        if text.hasPrefix("P") { return isStandard(text.dropFirst()) }
        let number = text.prefix(while: isDigit)
        let unit = String(text.dropFirst(number.count))
        if number.isEmpty { return words.contains(unit) }
        return number.count <= numberLengthMax && (words.contains(unit) || units.contains(unit))
    }

    private static func isDigit(_ character: Character) -> Bool {
        character.isASCII && character.isNumber
    }

    /// ISO 8601 behind the `P`: whole numbers, in order, each unit once.
    private static func isStandard(_ text: Substring) -> Bool {
        let parts = text.split(separator: "T", maxSplits: 1, omittingEmptySubsequences: false)
        let isDated = isRow(parts[0], of: "YMD") || isRow(parts[0], of: "W")
        if parts.count == 1 { return isDated }
        return (isDated || parts[0].isEmpty) && isRow(parts[1], of: "HMS")
    }

    /// Whether numbers stand before some of the letters, in their order.
    private static func isRow(_ text: Substring, of letters: String) -> Bool {
        var rest = text
        var open = Substring(letters)
        while !rest.isEmpty {
            let number = rest.prefix(while: isDigit)
            rest = rest.dropFirst(number.count)
            guard (1...numberLengthMax).contains(number.count), let letter = rest.popFirst(),
                let position = open.firstIndex(of: letter)
            else { return false }
            open = open[open.index(after: position)...]
        }
        return !text.isEmpty
    }
}

/// The letters of templates' masks, brought in line with the occurrences that go out beside them:
/// Taskwarrior makes every occurrence that the mask has no letter for, and would make ours again.
struct TaskwarriorMasks {
    private var letters: [UInt128: [Int: Character]] = [:]

    init(_ items: [ToDoItem]) {
        for item in items where TaskwarriorRecurrence.isOccurrence(item) {
            guard let template = item.series, let number = item.occurrence,
                number <= TaskwarriorRecurrence.countMax
            else { continue }
            letters[template, default: [:]][number - 1] = Self.letter(item.status)
        }
    }

    /// The template with the mask that it needs; any other item as it is.
    func corrected(_ item: ToDoItem) -> ToDoItem {
        guard TaskwarriorRecurrence.isTemplate(item),
            let letters = item.identifier.flatMap({
                self.letters[$0]
            })
        else { return item }
        var mask: [Character] = []
        if case .text(let text)? = item.custom[TaskwarriorRecurrence.mask] { mask = Array(text) }
        for (index, letter) in letters.sorted(by: { $0.key < $1.key }) {
            while mask.count <= index { mask.append("+") }
            let isOpen = mask[index] == "-" || mask[index] == "W"
            // Whether one waits is as it says itself.
            if letter != "-" || !isOpen { mask[index] = letter }
        }
        var item = item
        item.custom[TaskwarriorRecurrence.mask] = .text(String(mask))
        return item
    }

    private static func letter(_ status: ToDoStatus) -> Character {
        switch status {
        case .pending: "-"
        case .completed: "+"
        case .cancelled: "X"
        }
    }
}
