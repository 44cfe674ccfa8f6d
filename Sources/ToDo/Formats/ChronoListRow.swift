import FoundationEssentials

/// One dictionary of a ChronoList archive, as the app itself declares it.
struct ChronoListRow: Encodable {
    let title: String
    let note: String?
    let projectName: String
    let isComplete: Bool
    let dueDate: Date?
    let startDate: Date?
    let finishDate: Date?

    /// An item that says no more than an archive can.
    init(_ item: ToDoItem) {
        func date(_ moment: Moment?) -> Date? {
            guard case .instant(let instant)? = moment else { return nil }
            return Date(timeIntervalSince1970: Double(instant) / 1_000)
        }
        title = item.title
        note = item.notes.isEmpty ? nil : item.notes
        projectName = item.project
        isComplete = item.isComplete
        dueDate = date(item.due)
        startDate = date(item.start)
        finishDate = date(item.finish)
    }
}
