import Core

/// Whether the store can keep what was read.
struct ItemCheck {
    /// Whether dates may only be of years that people plan for.
    let limitsYears: Bool

    /// The first thing that is over a limit; nil if nothing is.
    func problem(_ item: ToDoItem) -> (key: String?, reason: String)? {
        if limitsYears, let problem = yearProblem(item) { return problem }
        let assignments = ToDoMapping.assignments(from: nil, to: item)
        let count = assignments.count
        guard count <= FormatLimits.fieldCountMax else {
            return (nil, "has \(count) fields and elements; \(FormatLimits.fieldCountMax) fit")
        }
        var sum = 0
        for assignment in assignments {
            var size = assignment.value.approximateByteCount
            if case .element(_, let element) = assignment.field {
                size += element.approximateByteCount
            }
            let key = ToDoSchema.name(of: Field(assignment.field.name))
            guard key.utf8.count <= FormatLimits.nameByteCountMax else {
                return (
                    String(key.prefix(40)) + "…",
                    "its name has \(key.utf8.count) bytes; \(FormatLimits.nameByteCountMax) fit"
                )
            }
            guard size <= RecordLimits.valueByteCountMax else {
                return (key, "has \(size) bytes; \(FormatLimits.textByteCountMax) fit")
            }
            sum += size
        }
        guard sum <= FormatLimits.itemByteCountMax else {
            return (nil, "has \(sum) bytes; \(FormatLimits.itemByteCountMax) fit")
        }
        return nil
    }

    private func yearProblem(_ item: ToDoItem) -> (key: String?, reason: String)? {
        for attribute in ToDoDateAttribute.allCases {
            guard let moment = item.date(attribute) else { continue }
            let year = CivilDate(day: moment.day(in: .utc)).year
            if !FormatLimits.years.contains(year) {
                return (attribute.rawValue, "is in the year \(year)")
            }
        }
        return nil
    }
}
