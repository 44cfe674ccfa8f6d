import Core
import Storage

/// Occurrences that nobody has made yet: the dates on which pending to-dos will come again.
extension ToDoItem {
    /// The most that are told of one to-do.
    package static let toComeCountMax = 366

    /// The occurrences behind this one that will be due on some days, if each is done on its day; no record is made.
    ///
    /// A series that is counted from completion has no dates before it is done.
    /// - Parameters:
    ///   - days: days since 1970-01-01.
    ///   - zone: this device's zone.
    ///   - named: finds the zone that the repetition names.
    package func toCome(
        on days: Range<Int>, zone: LocalTimeZone, named: (String) -> LocalTimeZone?
    ) -> [ToDoItem] {
        guard status == .pending, let rule = repetition, rule.basis == .due, var due else {
            return []
        }
        let ruleZone = rule.zone.flatMap(named) ?? zone
        let begin = anchor ?? due
        var left = Int.max
        if case .count(let count)? = rule.end {
            // Each date up to the days counts.
            left = count - 1
        } else if due.day(in: ruleZone) < days.lowerBound - 2 {
            // The day before, as days begin elsewhere at other times.
            let first = rule.first(
                from: days.lowerBound - 1, after: due, anchor: begin, in: ruleZone)
            guard let first else { return [] }
            due = first.moved(byDays: -1, in: ruleZone)
        }
        let leftOut = leftOut
        var found: [ToDoItem] = []
        while found.count < Self.toComeCountMax {
            let date = rule.next(
                after: due, anchor: begin, completed: 0, zone: ruleZone, except: leftOut)
            guard let date, date.leftOutCount < left, case let next = date.due,
                next.day(in: zone) < days.upperBound,
                next.day(in: ruleZone) > due.day(in: ruleZone)
            else { break }
            if let until, next.start(in: ruleZone) >= until.end(in: ruleZone) { break }
            if case .last(let last)? = rule.end, next.start(in: ruleZone) >= last.end(in: ruleZone)
            {
                break
            }
            left -= 1 + date.leftOutCount
            due = next
            if days.contains(next.day(in: zone)) {
                found.append(occurrence(due: next, in: ruleZone))
            }
        }
        return found
    }

    /// The item as one of its later occurrences.
    private func occurrence(due new: Moment, in zone: LocalTimeZone) -> ToDoItem {
        var item = ToDoItem(title: title)
        item.project = project
        item.priority = priority
        item.repeats = repeats
        item.series = series ?? identifier
        item.due = new
        let days = new.day(in: zone) - (due?.day(in: zone) ?? 0)
        item.scheduled = scheduled?.moved(byDays: days, in: zone)
        return item
    }
}

extension ToDoStore {
    private typealias Number = ToDoSchema.Number

    /// The occurrences to come that will be due on some days, today or later, by date; nobody has made them yet.
    ///
    /// - Complexity: all pending to-dos that come again and are due before the end of the days are read.
    package func toCome(on days: Range<Int>) throws(StoreFault) -> [ToDoItem] {
        let days = days.clamped(to: zone.localTime(at: now).day..<Int.max)
        if days.isEmpty { return [] }
        let series = FetchPredicate.and([
            Self.pending, .not(.absent(.field(Number.repeats))),
            ToDoPredicate.before(days.upperBound + 1, .field(Number.due)),
        ])
        let found = try store.fetch(FetchRequest(ToDoSchema.collection, where: series))
        let items = found.flatMap {
            ToDoMapping.item($0).toCome(on: days, zone: zone, named: Self.zone(named:))
        }
        return items.enumerated().sorted { one, other in
            let (left, right) = (
                one.element.due?.start(in: zone), other.element.due?.start(in: zone)
            )
            return (left ?? 0, one.offset) < (right ?? 0, other.offset)
        }.map(\.element)
    }
}
