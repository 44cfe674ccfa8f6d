import Core
import Storage

/// Views and reports.
extension ToDoStore {
    /// The to-dos of a view that a filter takes as well.
    ///
    /// - Parameters:
    ///   - showsAll: whether finished ones are shown in every view.
    ///   - limit: the most to give; nil for all.
    package func list(
        _ view: ToDoView, _ filter: ToDoFilter, showsAll: Bool = false, in place: ToDoPlace,
        limit: Int? = nil
    ) throws(StoreFault) -> [StoredRecord] {
        if view == .log { return try log(filter, limit: limit) }
        var own = view.filter(in: place)
        own.conditions += filter.conditions
        // These two views are just what their filter takes: then no more is read than is given.
        let isExact = view == .today || view == .overdue
        let found = try list(
            own, pendingOnly: !view.showsFinished && !showsAll, limit: isExact ? limit : nil
        )
        .filter { view.takes(ToDoMapping.item($0), in: place) }
        return limit.map { Array(found.prefix($0)) } ?? found
    }

    /// What is finished, the latest first.
    private func log(
        _ filter: ToDoFilter, limit: Int?
    ) throws(StoreFault) -> [StoredRecord] {
        let compiled = ToDoPredicate(filter, now: now, zone: zone)
        let number = ToDoSchema.Number.self
        let request = FetchRequest(
            ToDoSchema.collection,
            where: .and([.not(.absent(.field(number.status))), compiled.predicate]),
            sort: [FetchRequest.SortDescriptor(.field(number.completions), isAscending: false)],
            limit: compiled.isExact ? limit : nil)
        let found = try store.fetch(request)
        if compiled.isExact { return found }
        let matching = found.filter {
            filter.matches(ToDoMapping.item($0), now: now, zone: zone)
        }
        return limit.map { Array(matching.prefix($0)) } ?? matching
    }

    /// What may be due, planned or worked on in some days, finished ones too.
    package func items(around days: Range<Int>) throws(StoreFault) -> [ToDoItem] {
        func within(_ number: UInt32) -> Predicate {
            .and([
                .compare(
                    .field(number), .greaterOrEqual, .day(Int32(clamping: days.lowerBound - 1))),
                .compare(.field(number), .less, .day(Int32(clamping: days.upperBound + 2))),
            ])
        }
        let number = ToDoSchema.Number.self
        let request = FetchRequest(
            ToDoSchema.collection,
            where: .or([
                within(number.due), within(number.scheduled), .not(.absent(.field(number.work))),
            ]), sort: Self.order)
        return try store.fetch(request).map(ToDoMapping.item)
    }
}
