import ToDo

/// How what was typed was understood.
enum Echo {
    /// The dates of a to-do: ", due Fri 27 Nov 2026, in 6 days".
    static func dates(_ item: ToDoItem, _ place: Workplace) -> String {
        ToDoDateField.allCases.compactMap { field in
            item[field].map {
                "; \(field.rawValue) \(DatePhrase.describe($0, now: place.now, zone: place.zone))"
            }
        }.joined()
    }

    /// "1 to-do", "2 to-dos".
    static func count(_ number: Int, _ noun: String = "to-do") -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }
}
