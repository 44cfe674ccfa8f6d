/// What is wrong in an iCalendar file, and where.
struct ICalendarProblem: Error, Hashable, Sendable {
    /// The line in which it was found; counts from 1.
    var line: Int
    /// The property that is wrong; nil if it is the line or the component as a whole.
    var property: String?
    /// What is wrong, as half a sentence.
    var reason: String

    init(line: Int, _ reason: String) {
        self.init(line: line, nil, reason)
    }

    init(line: Int, _ property: String?, _ reason: String) {
        self.line = line
        self.property = property
        self.reason = reason
    }

    /// The reason with its line, as faults say it.
    var text: String { "line \(line): \(reason)" }
}
