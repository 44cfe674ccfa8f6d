import Core
import Storage

/// What an occurrence lacks of the one before it.
extension ToDoStore {
    private typealias Number = ToDoSchema.Number

    /// Returns the changes of the previous occurrence that this one lacks, in fields that nobody
    /// changed in this one.
    ///
    /// A change is missed if it was made after the previous occurrence was finished, or on a device
    /// that did not know yet that it was. A record does not tell which of the two, so nothing is
    /// copied until the user confirms it. A change in the same write as a status of the previous
    /// occurrence, as an import makes it, may be either, and is returned as well.
    /// - Returns: what to write to take it over.
    package func missedChanges(of stored: Record) throws(StoreFault) -> [Assignment] {
        let item = ToDoMapping.item(stored)
        let makers = Self.makers(of: stored)
        guard item.status == .pending, !stored.verdict.isDeleted, let series = item.series,
            let number = item.occurrence, !makers.isEmpty, number > 0,
            let previous = try self.stored(
                RecordID(
                    value: number == 1
                        ? series
                        : ToDoItem.occurrenceIdentifier(series: series, number: number - 1))),
            !previous.verdict.isDeleted
        else { return [] }
        let past = ToDoMapping.item(previous)
        guard past.status != .pending else { return [] }
        func isUntouched(_ field: Field) -> Bool {
            Self.isUntouched(field, in: stored, since: makers)
        }
        let edited = Self.editedFields(of: previous)
        guard
            let given = ExpectedOccurrence(
                past, edited: edited, next: item,
                hasOwnRule: !isUntouched(.number(Number.repeats)),
                hasOwnDate: !isUntouched(.number(Number.due)), zone: zone,
                zones: Self.zone(named:), now: now
            ).item
        else { return [] }
        let changes = ToDoMapping.assignments(from: item, to: given)
        if changes.isEmpty { return [] }
        let unsure = try changesWithStatus(of: previous.id, in: stored.id) { _ in true }
        return changes.filter { change in
            Self.isHandedOn(change, from: past, edited: edited)
                && (unsure[change.field] != nil || isUntouched(change.field))
        }
    }

    /// The fields that an occurrence copies from the one before it as they are.
    private static let copiedNumbers: Set<UInt32> = [
        Number.title, Number.notes, Number.project, Number.location, Number.priority,
        Number.tags, Number.people, Number.exceptions, Number.until,
    ]

    /// The fields that an occurrence computes, or that another record decides too, with those of the one before it
    /// that they come from.
    ///
    /// Without an edit of any of these in the one before, a difference is no change by a person: other zones, two
    /// times of completion, or dates that an import brought along.
    private static let sources: [UInt32: Set<UInt32>] = [
        Number.due: schedule, Number.scheduled: schedule.union([Number.scheduled]),
        Number.wait: schedule.union([Number.wait]),
        Number.reminders: schedule.union([Number.reminders]),
        Number.repeats: schedule.union([Number.until]), Number.parent: [Number.parent],
    ]

    /// The fields that the dates of the next occurrence come from.
    private static let schedule: Set<UInt32> = [
        Number.due, Number.repeats, Number.exceptions, Number.anchor,
    ]

    /// Whether a difference to what would be given now is a change of the one before, and not only follows from its
    /// date or from when it was finished.
    private static func isHandedOn(
        _ change: Assignment, from past: ToDoItem, edited: Set<UInt32>
    ) -> Bool {
        guard case .number(let number) = change.field.name else { return true }
        if number == Number.exceptions, case .element(_, let element) = change.field {
            // A day that has passed is dropped without anybody having taken it out.
            return !change.value.isNull
                || !past.exceptions.contains { .text(ExceptionDay.text($0)) == element }
        }
        if let sources = sources[number] { return !edited.isDisjoint(with: sources) }
        return copiedNumbers.contains(number)
    }

    /// The writes that made an occurrence: several where devices made it while apart.
    private static func makers(of stored: Record) -> Set<Dot> {
        Set(stored.record.survivors(of: .number(Number.occurrence)).map(\.write.dot))
    }

    /// Whether a field is as it was made, by whichever device; what these gave different values is a conflict.
    private static func isUntouched(
        _ field: Field, in stored: Record, since makers: Set<Dot>
    ) -> Bool {
        let survivors = stored.record.survivors(of: field)
        return survivors.allSatisfy { makers.contains($0.write.dot) }
            && Set(survivors.map(\.value)).count < 2
    }

    /// The fields of a to-do that were written after it was made.
    private static func editedFields(of stored: Record) -> Set<UInt32> {
        var makers = makers(of: stored)
        if makers.isEmpty {
            makers = Set(stored.record.survivors(of: .number(Number.created)).map(\.write.dot))
        }
        // A to-do of another program may lack the time of its making.
        if makers.isEmpty, let first = stored.record.writes.min(by: { $1.isShown(over: $0) }) {
            makers = [first.dot]
        }
        var numbers: Set<UInt32> = []
        for write in stored.record.writes where !makers.contains(write.dot) {
            for assignment in write.assignments {
                if case .number(let number) = assignment.field.name { numbers.insert(number) }
            }
        }
        return numbers
    }
}
