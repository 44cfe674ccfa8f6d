import Core
import Storage

/// To-dos that come again, as clients know them who make the next date themselves.
extension ClientPutPass {
    // MARK: Changed occurrences

    /// Applies changed occurrences to those that are here, and makes to-dos of their own of the others.
    ///
    /// - Parameter id: the to-do of which they are, or an earlier occurrence of it.
    func apply(_ occurrences: [ClientOccurrence], behind id: RecordID) throws(StoreFault) {
        for one in occurrences {
            var target = id
            for _ in 0..<ServedLimits.occurrenceCountMax {
                guard let stored = try transaction.record(target), stored.standing == .live else {
                    break
                }
                let item = ToDoMapping.item(stored)
                if one.isOf(item, zone: zone) {
                    try apply(one, to: stored)
                    break
                }
                if item.status != .pending, let next = item.nextIdentifier,
                    let following = try transaction.record(RecordID(value: next))
                {
                    target = following.id
                    continue
                }
                try makeLone(one, besides: stored)
                break
            }
        }
    }

    private func apply(_ one: ClientOccurrence, to stored: Record) throws(StoreFault) {
        let old = ToDoMapping.item(stored)
        var new = old
        one.apply(to: &new)
        if new.status != .pending, old.status == .pending {
            new.stopWork(at: todos.now)
            if new.completions.isEmpty { new.completed = todos.now }
        }
        try transaction.update(stored.id, ToDoMapping.foreignAssignments(from: old, to: new))
        guard let after = try transaction.record(stored.id) else { return }
        _ = try todos.follow(after, since: old, in: transaction)
    }

    /// Makes a to-do of an occurrence that is none of those here; the series does not come on its day.
    private func makeLone(
        _ one: ClientOccurrence, besides series: Record
    ) throws(StoreFault) {
        var lone = one.item
        lone.repeats = ""
        lone.created = lone.created ?? todos.now
        if lone.status != .pending, lone.completions.isEmpty { lone.completed = todos.now }
        Self.moveToList(&lone, put.list, base: ToDoMapping.item(series))
        if let identifier = lone.identifier,
            try transaction.record(RecordID(value: identifier)) == nil
        {
            try transaction.insert(
                ToDoMapping.assignments(from: nil, to: lone), into: ToDoSchema.collection,
                id: RecordID(value: identifier))
        }
        let old = ToDoMapping.item(series)
        guard !old.repeats.isEmpty else { return }
        var new = old
        let zone = old.repetition?.zone.flatMap(ToDoStore.zone(named:)) ?? zone
        var ahead = 0
        if let due = old.due, let scheduled = old.scheduled {
            ahead = due.day(in: zone) - scheduled.day(in: zone)
        }
        new.setExceptions(old.exceptions + [Int32(clamping: one.moment.day(in: zone) + ahead)])
        try transaction.update(series.id, ToDoMapping.assignments(from: old, to: new))
    }

    // MARK: A to-do that the client made as the next occurrence of another

    /// The next occurrence of a to-do of the client's that a new document is: some programs complete what comes again, and
    /// put the next date as a to-do of its own.
    ///
    /// - Returns: nil if it is no such one.
    func follower(_ occurrences: ClientOccurrence.All) throws(StoreFault) -> Record? {
        guard digest == nil, occurrences.occurrences.isEmpty,
            let item = (try? draft.document(zone: zone))?.item, item.status == .pending,
            let rule = item.repetition, let due = item.due
        else { return nil }
        func isAlike(_ other: ToDoItem) -> Bool {
            other.title == item.title
                && ServedToDos.list(of: other.project) ?? "" == put.list ?? ""
                && other.repetition?.step == rule.step
        }
        let ofDate = FetchPredicate.compare(
            .field(ToDoSchema.Number.due), .equal, ToDoMapping.value(due))
        for stored in try pending(ofDate) {
            let made = ToDoMapping.item(stored)
            guard isAlike(made), let before = try previous(of: made),
                ToDoMapping.item(before).status != .pending,
                try served.memory(before.id) != nil, try served.memory(stored.id) == nil,
                try names.uid(of: stored.id) == nil
            else { continue }
            return stored
        }
        // The date may come before it is put that the one before is done.
        for stored in try pending(.not(.absent(.field(ToDoSchema.Number.repeats)))) {
            let before = ToDoMapping.item(stored)
            guard isAlike(before), try served.memory(stored.id) != nil,
                let next = todos.next(of: before, completed: todos.now),
                next.due?.isAlike(due, zone: zone) ?? false, let identifier = next.identifier,
                try transaction.record(RecordID(value: identifier)) == nil,
                let made = try todos.make(next, after: stored.id, in: transaction)
            else { continue }
            return try transaction.record(made)
        }
        return nil
    }

    private func pending(_ predicate: FetchPredicate) throws(StoreFault) -> [Record] {
        try todos.store.fetch(
            FetchRequest(
                ToDoSchema.collection, where: .and([ToDoStore.pending, predicate]),
                limit: ServedLimits.repeatingCountMax))
    }

    /// The occurrence before another one.
    private func previous(of item: ToDoItem) throws(StoreFault) -> Record? {
        guard let series = item.series, let number = item.occurrence, number > 0 else { return nil }
        let identifier =
            number == 1
            ? series : ToDoItem.occurrenceIdentifier(series: series, number: number - 1)
        return try transaction.record(RecordID(value: identifier))
    }

    /// Takes a new document as the text of a to-do that is here, which has the document's UID and name for clients from
    /// now on.
    mutating func adopt(
        _ stored: Record, as uid: String
    ) throws(StoreFault) -> ClientPutOutcome {
        let now = ToDoMapping.item(stored)
        guard var new = (try? draft.document(zone: zone))?.item,
            try names.set(uid: uid, of: stored.id, transaction)
        else { return .refused(.noToDo) }
        try names.set(put.name, of: now, transaction)
        Self.moveToList(&new, put.list, base: now)
        (new.identifier, new.created) = (now.identifier, now.created)
        (new.due, new.scheduled, new.repeats) = (now.due, now.scheduled, now.repeats)
        new.exceptions = now.exceptions
        new.reminders = now.reminders
        for name in ["UID", "DUE", "DTSTART", "RRULE", "EXDATE", "VALARM"] {
            let key = ICalendarNames.customPrefix + name
            new.custom[key] = now.custom[key]
        }
        var bases = ClientBases()
        bases.others = [now]
        if let before = try previous(of: now) { bases.others.append(ToDoMapping.item(before)) }
        // As it was made, or with what others wrote meanwhile.
        if stored.record.writes.count == 1 { bases.seen = stored.record.clock }
        var edit = ClientEdit(pass: self, bases: bases)
        _ = try edit.write(new, over: stored, isRestored: false)
        guard let after = try transaction.record(stored.id) else { return .refused(.noToDo) }
        try remember(
            after, seen: after.record.clock, dots: after.record.writes.map(\.dot), nil)
        return try outcome(after, isNew: true)
    }
}
