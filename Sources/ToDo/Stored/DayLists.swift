import Storage

/// The to-dos of some days.
package struct DayLists: Sendable {
    /// To-dos that may be due, planned or worked on then, finished ones too.
    package let items: [ToDoItem]
    /// The next times of repeating ones that will be due then.
    package let toCome: [ToDoItem]
}

extension ToDoStore {
    /// The to-dos of some days, as far as a filter takes them, such as that of a context.
    package func lists(
        of days: Range<Int>, taking filter: ToDoFilter?
    ) throws(StoreFault) -> DayLists {
        func taken(_ items: [ToDoItem]) -> [ToDoItem] {
            guard let filter else { return items }
            return items.filter { filter.matches($0, now: now, zone: zone) }
        }
        return DayLists(
            items: taken(try items(around: days)), toCome: taken(try toCome(on: days)))
    }
}
