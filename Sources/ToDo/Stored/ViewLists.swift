import Core
import Storage

/// The to-dos of views and reports, each read by an index of what it is about.
extension ToDoStore {
    private typealias Number = ToDoSchema.Number

    /// The to-dos of a view that a filter takes as well.
    ///
    /// - Parameters:
    ///   - showsAll: whether finished ones are shown in every view.
    ///   - limit: the most to give; nil for all.
    package func list(
        _ view: ToDoView, _ filter: ToDoFilter, showsAll: Bool = false, in context: CalendarContext,
        limit: Int? = nil
    ) throws(StoreFault) -> [Record] {
        let filter = try resolved(filter)
        var own = view.filter(in: context)
        own.conditions += filter.conditions
        let pendingOnly = !view.showsFinished && !showsAll
        let isLog = view == .log
        let predicate = ToDoPredicate(filter, now: now, zone: zone).predicate
        return try store.reading { () throws(StoreFault) in
            var found: [Record] = []
            for block in Self.blocks(of: view, pendingOnly: pendingOnly, in: context) {
                let rest = limit.map { $0 - found.count }
                if rest == 0 { break }
                found += try union(
                    block.map { .and([$0, predicate]) }, isLog ? Self.latestDone : Self.order,
                    limit: rest
                ) { page throws(StoreFault) in
                    try matching(page, own) { view.takes($0, in: context) }
                }
            }
            return found
        }
    }

    /// The to-dos that may be due, planned or worked on in some days, finished ones too.
    package func items(around days: Range<Int>) throws(StoreFault) -> [ToDoItem] {
        let around = days.lowerBound - 1..<days.upperBound + 2
        let block =
            Self.statuses.map { .and([$0, Self.within(around, Number.due)]) }
            + [Self.within(around, Number.scheduled), .not(.absent(.field(Number.work)))]
        return try store.reading { () throws(StoreFault) in
            try items(try union(block, Self.order, limit: nil) { $0 })
        }
    }

    /// The order of finished to-dos: the latest first.
    private static let latestDone = [
        FetchRequest.SortDescriptor(.field(Number.completions), isAscending: false)
    ]

    // MARK: Questions

    /// Each status: what is asked of each by itself is read by the index of status and due date.
    private static let statuses =
        [pending]
        + [ToDoStatus.completed, .cancelled].map {
            .compare(.field(Number.status), .equal, .text($0.rawValue))
        }

    private static func within(_ days: Range<Int>, _ number: UInt32) -> FetchPredicate {
        .and([
            ToDoPredicate.onOrAfter(days.lowerBound, .field(number)),
            ToDoPredicate.before(days.upperBound, .field(number)),
        ])
    }

    /// Predicates of which one takes whatever a view shows, and a few to-dos besides.
    ///
    /// The to-dos of a block stand before those of the next block. Columns hold days and
    /// instants of UTC as text; a local day lies within a day of UTC's.
    private static func blocks(
        of view: ToDoView, pendingOnly: Bool, in context: CalendarContext
    ) -> [[FetchPredicate]] {
        let statuses = pendingOnly ? [pending] : statuses
        func due(_ days: Range<Int>) -> [FetchPredicate] {
            statuses.map {
                .and([$0, within(days.lowerBound - 1..<days.upperBound + 1, Number.due)])
            }
        }
        func dueOrPlanned(_ days: Range<Int>) -> [FetchPredicate] {
            let around = days.lowerBound - 1..<days.upperBound + 1
            let planned = within(around, Number.scheduled)
            return due(days) + [pendingOnly ? .and([planned, pending]) : planned]
        }
        let today = context.today
        switch view {
        case .today:
            // The due ones come in order and end at a limit; the ones that are only planned or begun are few.
            let day = today + 2
            let due = FieldPath.field(Number.due)
            let later = FetchPredicate.or([.absent(due), ToDoPredicate.onOrAfter(day, due)])
            let begun = [Number.start, Number.work].map { FetchPredicate.not(.absent(.field($0))) }
            return [
                [.and([pending, ToDoPredicate.before(day, due)])],
                ([ToDoPredicate.before(day, .field(Number.scheduled))] + begun).map {
                    .and([$0, later, pending])
                },
            ]
        case .overdue:
            return [[.and([pending, ToDoPredicate.before(today + 3, .field(Number.due))])]]
        case .tomorrow: return [dueOrPlanned(today + 1..<today + 2)]
        case .upcoming:
            return [dueOrPlanned(today + 1..<today + 1 + ToDoView.upcomingDayCount)]
        case .yesterday: return [due(today - 1..<today)]
        case .lastWeek: return [due(context.week(-1))]
        case .thisWeek: return [due(context.week(0))]
        case .nextWeek: return [due(context.week(1))]
        case .other: return [[pendingOnly ? pending : .all]]
        case .inbox:
            let noProject = ToDoPredicate.empty(Number.project)
            return [[pendingOnly ? .and([pending, noProject]) : noProject]]
        case .log:
            // A to-do that another program finished may have no time; it comes last.
            let done = FetchPredicate.not(pending)
            let time = FetchPredicate.absent(.field(Number.completions))
            return [[.and([done, .not(time)])], [.and([done, time])]]
        }
    }

    // MARK: Reading

    /// The records that one of several predicates takes, each once, in an order.
    ///
    /// - Parameters:
    ///   - limit: the most to give; nil for all. With one predicate no more is read than that takes.
    ///   - taking: those of the records read that are meant.
    private func union(
        _ predicates: [FetchPredicate], _ order: [FetchRequest.SortDescriptor], limit: Int?,
        taking: ([Record]) throws(StoreFault) -> [Record]
    ) throws(StoreFault) -> [Record] {
        if predicates.count == 1, let limit {
            return try pages(predicates[0], order, limit: limit, taking: taking)
        }
        var seen: Set<RecordID> = []
        var found: [Record] = []
        for predicate in predicates {
            let request = FetchRequest(ToDoSchema.collection, where: predicate, sort: order)
            found += try taking(try store.fetch(request)).filter { seen.insert($0.id).inserted }
        }
        if predicates.count > 1 { found = Self.sortedByDue(found) }
        return limit.map { Array(found.prefix($0)) } ?? found
    }

    /// In the order of lists, as the store has it.
    private static func sortedByDue(_ records: [Record]) -> [Record] {
        let keys = records.map { ($0[Number.due]?.textForm, $0) }
        return keys.sorted { left, right in
            switch (left.0, right.0) {
            case (let one?, let other?) where one != other: one < other
            case (.some, nil): true
            case (nil, .some): false
            default: left.1.id < right.1.id
            }
        }.map(\.1)
    }

    /// The records of a predicate that are meant, read in pages until there are enough of them.
    func pages(
        _ predicate: FetchPredicate, _ order: [FetchRequest.SortDescriptor], limit: Int,
        taking: ([Record]) throws(StoreFault) -> [Record]
    ) throws(StoreFault) -> [Record] {
        var request = FetchRequest(ToDoSchema.collection, where: predicate, sort: order)
        var found: [Record] = []
        var pageCount = max(limit, Self.pageCountMin)
        while true {
            request.limit = pageCount
            let page = try store.fetch(request)
            found += try taking(page)
            if found.count >= limit || page.count < pageCount {
                return Array(found.prefix(limit))
            }
            request.offset += pageCount
            // Each page costs a walk to its beginning: pages grow, so that there are few.
            pageCount *= 4
        }
    }
}
