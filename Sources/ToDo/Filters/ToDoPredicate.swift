import Core
import Storage

/// A filter's conditions → the store's predicates.
///
/// Where the store cannot tell exactly, as of days that begin earlier in one time zone than in
/// another, the predicate takes a few to-dos too many and never one too few: the to-dos themselves
/// are asked then.
struct ToDoPredicate {
    private typealias Number = ToDoSchema.Number

    /// Takes every to-do that the conditions take.
    let predicate: FetchPredicate
    /// Whether it takes no others.
    let isExact: Bool

    private init(_ predicate: FetchPredicate, isExact: Bool = true) {
        self.predicate = predicate
        self.isExact = isExact
    }

    private static func about(_ predicate: FetchPredicate) -> ToDoPredicate {
        ToDoPredicate(predicate, isExact: false)
    }

    /// The predicate of all conditions of a filter.
    init(_ filter: ToDoFilter, now: Int64, zone: LocalTimeZone) {
        let context = DatePhraseContext(now: now, zone: zone, weekStart: filter.weekStart)
        let parts = filter.conditions.map { Self.compile($0, context) }
        predicate = .and(parts.map(\.predicate))
        isExact = parts.allSatisfy(\.isExact)
    }

    private static func compile(
        _ condition: ToDoFilter.Condition, _ context: DatePhraseContext
    ) -> ToDoPredicate {
        switch condition {
        case .text(let text):
            ToDoPredicate(
                .or([contains(Number.title, text), contains(Number.notes, text)]))
        case .titleContains(let text): ToDoPredicate(contains(Number.title, text))
        case .notesContain(let text): ToDoPredicate(contains(Number.notes, text))
        case .locationContains(let text): ToDoPredicate(contains(Number.location, text))
        case .project(""): ToDoPredicate(empty(Number.project))
        case .project(let name): about(.contains(.field(Number.project), name))
        case .tag(let tag): ToDoPredicate(.has(Number.tags, tag))
        case .person(let name): about(isPlain(name) ? .contains(.field(Number.people), name) : .all)
        case .status(let status): ToDoPredicate(self.status(status))
        case .priority(let range): ToDoPredicate(priority(range))
        case .date(let attribute, let test): date(attribute, test, context.zone)
        case .dateBeside(let attribute, _, let base, _):
            about(
                .and(
                    [attribute.rawValue, base.rawValue].map { name in
                        guard case .number(let number) = ToDoSchema.field(named: name) else {
                            return .all
                        }
                        return .not(.absent(.field(number)))
                    }))
        case .custom(let name, let text):
            about(text == nil ? .all : .not(.absent(.custom(name))))
        case .virtual(let tag): virtual(tag, context)
        case .parent(let id):
            // Which references are followed is not known without the records above.
            about(.compare(.field(Number.parent), .equal, .toDo(RecordID(value: id))))
        case .depends(let ids):
            // A few to-dos wait for anything at all.
            about(
                .and([
                    .not(.absent(.field(Number.depends))),
                    .or(ids.sorted().map { .has(Number.depends, RecordID(value: $0).hexadecimal) }),
                ]))
        case .dependsNamed, .parentNamed: ToDoPredicate(.or([]))
        case .among(let ids): ToDoPredicate(.oneOf(ids.sorted().map { RecordID(value: $0) }))
        case .lacks(.depends): about(.all)
        case .lacks(.notes): ToDoPredicate(empty(Number.notes))
        case .lacks(.location): ToDoPredicate(empty(Number.location))
        case .lacks(.people): ToDoPredicate(.absent(.field(Number.people)))
        case .customCompare(let name, _, _): about(.not(.absent(.custom(name))))
        case .not(let inner): negated(compile(inner, context))
        case .all(let parts): joined(parts, context) { .and($0) }
        case .any(let parts): joined(parts, context) { .or($0) }
        }
    }

    private static func joined(
        _ parts: [ToDoFilter.Condition], _ context: DatePhraseContext,
        _ join: ([FetchPredicate]) -> FetchPredicate
    ) -> ToDoPredicate {
        let compiled = parts.map { compile($0, context) }
        return ToDoPredicate(
            join(compiled.map(\.predicate)), isExact: compiled.allSatisfy(\.isExact))
    }

    private static func negated(_ inner: ToDoPredicate) -> ToDoPredicate {
        inner.isExact ? ToDoPredicate(.not(inner.predicate)) : about(.all)
    }

    /// Every text contains nothing, also one that is absent.
    private static func contains(_ number: UInt32, _ text: String) -> FetchPredicate {
        text.isEmpty ? .all : .contains(.field(number), text)
    }

    /// A text that is absent or has nothing in it.
    static func empty(_ number: UInt32) -> FetchPredicate {
        .or([.absent(.field(number)), .compare(.field(number), .equal, .text(""))])
    }

    /// Whether a text stands in a column of JSON as it is.
    private static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x22 && $0 != 0x5c }
    }

    private static func status(_ status: ToDoStatus) -> FetchPredicate {
        status == .pending
            ? .absent(.field(Number.status))
            : .compare(.field(Number.status), .equal, .text(status.rawValue))
    }

    private static func priority(_ range: ClosedRange<ToDoPriority>) -> FetchPredicate {
        func rank(
            _ comparison: FetchPredicate.Comparison, _ priority: ToDoPriority
        ) -> FetchPredicate {
            .compare(.field(Number.priority), comparison, .int(Int64(priority.rawValue)))
        }
        let above = FetchPredicate.and([
            rank(.greater, range.upperBound), rank(.lessOrEqual, .high),
        ])
        // A rank that this version does not know counts as none.
        if range.lowerBound == .none { return .not(above) }
        return .and([
            rank(.greaterOrEqual, range.lowerBound), rank(.lessOrEqual, range.upperBound),
        ])
    }

    private static func virtual(
        _ tag: ToDoVirtualTag, _ context: DatePhraseContext
    ) -> ToDoPredicate {
        let pending = status(.pending)
        let due = FieldPath.field(Number.due)
        switch tag {
        case .completed: return ToDoPredicate(status(.completed))
        case .cancelled: return ToDoPredicate(status(.cancelled))
        case .pending: return ToDoPredicate(pending)
        case .tagged: return ToDoPredicate(.not(.absent(.field(Number.tags))))
        case .project: return ToDoPredicate(.not(empty(Number.project)))
        case .inbox: return ToDoPredicate(.and([pending, empty(Number.project)]))
        case .scheduled:
            return ToDoPredicate(.and([pending, .not(.absent(.field(Number.scheduled)))]))
        case .active:
            let isBegun = FetchPredicate.or([
                .not(.absent(.field(Number.start))), .not(.absent(.field(Number.work))),
            ])
            return about(.and([pending, isBegun]))
        case .repeating: return ToDoPredicate(.not(empty(Number.repeats)))
        case .reminding: return about(.not(.absent(.field(Number.reminders))))
        case .subtask: return about(.not(.absent(.field(Number.parent))))
        case .blocked: return about(.and([pending, .not(.absent(.field(Number.depends)))]))
        case .unblocked: return about(.all)
        case .blocking: return ToDoPredicate(.or([]))
        case .waiting:
            return about(.and([pending, startsAtOrAfter(context.now, .field(Number.wait))]))
        case .ready: return about(pending)
        case .agenda:
            let tomorrow = context.today + 1
            return about(
                .and([
                    pending,
                    .or([
                        before(tomorrow + 1, due),
                        before(tomorrow + 1, .field(Number.scheduled)),
                        .not(.absent(.field(Number.start))), .not(.absent(.field(Number.work))),
                    ]),
                ]))
        case .overdue: return about(.and([pending, startsBefore(context.now, due)]))
        case .today, .tomorrow, .yesterday, .week, .due:
            let days = tag.days(context)
            let first = days.lowerBound == .min ? .all : onOrAfter(days.lowerBound - 1, due)
            return about(.and([pending, first, before(days.upperBound + 1, due)]))
        }
    }
}

// MARK: - Dates

extension ToDoPredicate {
    private static let millisecondsPerDay: Int64 = 86_400_000

    private static func date(
        _ attribute: ToDoDateAttribute, _ test: ToDoFilter.DateTest, _ zone: LocalTimeZone
    ) -> ToDoPredicate {
        // The times of completion are a set.
        if attribute == .completed { return about(.not(.absent(.field(Number.status)))) }
        guard case .number(let number) = ToDoSchema.field(named: attribute.rawValue) else {
            return about(.all)
        }
        let path = FieldPath.field(number)
        switch test {
        // A day, which a to-do cannot be created on, stands in the column all the same.
        case .isSet where attribute == .created: return about(.not(.absent(path)))
        case .isSet: return ToDoPredicate(.not(.absent(path)))
        case .before(let limit): return about(startsBefore(limit.start(in: zone), path))
        case .by(let limit): return about(startsBefore(limit.end(in: zone), path))
        case .after(let limit): return about(startsAtOrAfter(limit.end(in: zone), path))
        case .on(.day(let day)):
            return about(.and([onOrAfter(Int(day) - 1, path), before(Int(day) + 2, path)]))
        case .on(.instant(let instant)):
            return ToDoPredicate(.compare(path, .equal, .instant(instant)))
        }
    }

    /// Columns hold days and instants of UTC as text; a local day lies within a day of UTC's.
    private static func startsBefore(_ instant: Int64, _ path: FieldPath) -> FetchPredicate {
        before(dayOfUTC(instant) + 2, path)
    }

    private static func startsAtOrAfter(_ instant: Int64, _ path: FieldPath) -> FetchPredicate {
        onOrAfter(dayOfUTC(instant) - 1, path)
    }

    private static func dayOfUTC(_ instant: Int64) -> Int {
        let (day, rest) = instant.quotientAndRemainder(dividingBy: millisecondsPerDay)
        return Int(rest < 0 ? day - 1 : day)
    }

    static func before(_ day: Int, _ path: FieldPath) -> FetchPredicate {
        bound(day).map { .compare(path, .less, $0) } ?? .not(.absent(path))
    }

    static func onOrAfter(_ day: Int, _ path: FieldPath) -> FetchPredicate {
        bound(day).map { .compare(path, .greaterOrEqual, $0) } ?? .not(.absent(path))
    }

    /// A day that a column can hold.
    private static func bound(_ day: Int) -> Value? {
        guard let day = Int32(exactly: day), MomentText.text(day: day) != nil else { return nil }
        return .day(day)
    }
}
