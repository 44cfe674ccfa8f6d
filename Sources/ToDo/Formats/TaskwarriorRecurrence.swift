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
    static let namesOfPlace = ["parent", "imask"]

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
            .flatMap { $0 == Repetition($0.step) ? $0 : nil }
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
