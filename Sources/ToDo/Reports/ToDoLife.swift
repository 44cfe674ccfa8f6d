import Core
import Storage

/// The life of a to-do, as statistics count it.
package struct ToDoLife: Sendable, Hashable {
    /// Its id.
    package let id: RecordID
    /// Whether it is pending, or how it ended.
    package let status: ToDoStatus
    /// When it was made; milliseconds since 1970, nil if nobody noted it.
    package let created: Int64?
    /// When a device got it, if nobody noted when it was made and it is no later one of a series; nil if that is not known.
    package var arrived: Int64? {
        get { arrival.map { min($0, ended ?? $0) } }
        set { arrival = newValue }
    }
    private var arrival: Int64?
    /// When it was completed or cancelled; nil while it is pending, and if nobody noted it.
    package let ended: Int64?
    /// Its project; empty for none.
    package let project: String
    /// When it is due.
    package let due: Moment?

    /// A life; one that ended before it began, by a clock that was wrong, began when it ended.
    package init(
        id: RecordID, status: ToDoStatus, created: Int64?, arrived: Int64? = nil,
        ended: Int64? = nil, project: String = "", due: Moment? = nil
    ) {
        self.id = id
        self.status = status
        let ended = status == .pending ? nil : ended
        self.ended = ended
        self.created = created.map { min($0, ended ?? $0) }
        arrival = arrived
        self.project = project
        self.due = due
    }

    /// The time at which it was made, else at which a device got it; nil if neither is known and it has no date either.
    ///
    /// Of the next of a series nobody notes it: that is taken to be due's time, now or its end, whichever is first.
    package func start(in context: CalendarContext) -> Int64? {
        if let start = created ?? arrived { return start }
        return due.map { min($0.start(in: context.zone), context.now, ended ?? .max) }
    }

    /// Whether it is pending and its date has passed.
    package func isOverdue(in context: CalendarContext) -> Bool {
        status == .pending && due.map { $0.isOver(now: context.now, zone: context.zone) } ?? false
    }
}

extension ToDoStore {
    /// The columns that tell of a life.
    private static let columns = [
        ToDoSchema.Number.status, ToDoSchema.Number.created, ToDoSchema.Number.completions,
        ToDoSchema.Number.completed, ToDoSchema.Number.project, ToDoSchema.Number.due,
        ToDoSchema.Number.series,
    ]

    /// How many records are read at once.
    private static let pageCount = 500

    /// When the earliest write of a record was made that still matters: of one that was imported, when it was.
    private static func arrival(of stored: Record) -> Int64? {
        stored.record.writes.map(\.timestamp.milliseconds).min()
    }

    /// The lives of the to-dos that a filter takes, finished ones too; nothing of deleted ones.
    ///
    /// Statistics look at every to-do. Where the store can tell which are meant, only these columns of each are read.
    package func lives(_ filter: ToDoFilter) throws(StoreFault) -> [ToDoLife] {
        let (filter, predicate, isExact) = try question(filter, pendingOnly: false)
        let request = FetchRequest(ToDoSchema.collection, where: predicate)
        guard isExact else {
            return try matching(try store.fetch(request), filter).map { stored in
                let item = ToDoMapping.item(stored)
                let created = Self.shown(item.created)
                return ToDoLife(
                    id: stored.id, status: item.status, created: created,
                    arrived: created == nil && item.series == nil ? Self.arrival(of: stored) : nil,
                    ended: Self.shown(item.completed), project: item.project, due: item.due)
            }
        }
        var lives: [ToDoLife] = []
        // To-dos that came from a file without the time at which they were made.
        var undated: [RecordID: Int] = [:]
        try store.texts(of: Self.columns, in: request) { id, texts in
            if texts[1] == nil, texts[6] == nil { undated[id] = lives.count }
            lives.append(
                ToDoLife(
                    id: id, status: texts[0].flatMap(ToDoStatus.init) ?? .pending,
                    created: Self.instant(texts[1]),
                    ended: Self.first(texts[2]) ?? Self.instant(texts[3]), project: texts[4] ?? "",
                    due: texts[5].flatMap(MomentText.value).flatMap(ToDoMapping.moment)))
        }
        let ids = undated.keys.sorted()
        for start in stride(from: 0, to: ids.count, by: Self.pageCount) {
            let page = Array(ids[start..<min(start + Self.pageCount, ids.count)])
            let request = FetchRequest(ToDoSchema.collection, where: .oneOf(page))
            for stored in try store.fetch(request) {
                guard let index = undated[stored.id] else { continue }
                lives[index].arrived = Self.arrival(of: stored)
            }
        }
        return lives
    }

    /// An instant if it has a text, as columns have none of others: no sum of two overflows then.
    private static func shown(_ instant: Int64?) -> Int64? {
        instant.flatMap { MomentText.holds(instant: $0) ? $0 : nil }
    }

    private static func instant(_ text: String?) -> Int64? {
        if case .instant(let instant)? = text.flatMap(MomentText.value) { instant } else { nil }
    }

    /// The first of the instants in a set, which is kept as a JSON array; no instant's text has a quote in it.
    private static func first(_ set: String?) -> Int64? {
        set?.split(separator: "\"").compactMap { instant(String($0)) }.min()
    }
}
