import Core
import Storage

/// To-dos that are there twice, and parts of what is gone.
extension ToDoStore {
    /// To-dos that say the same under several ids, as after the same list was imported twice.
    package struct Twins: Sendable, Equatable {
        /// The oldest of them, which stays.
        package let kept: RecordID
        /// The others, by age.
        package let others: [RecordID]
        /// Their title.
        package let title: String

        /// Twins.
        package init(kept: RecordID, others: [RecordID], title: String) {
            self.kept = kept
            self.others = others
            self.title = title
        }
    }

    /// The fields that duplicates have in common.
    private struct Likeness: Hashable {
        let title: String
        let project: String
        let location: String
        let due: Moment?
        let scheduled: Moment?
        let wait: Moment?
        let until: Moment?
        let isPending: Bool
        let parent: UInt128?
        let repeats: String
        let exceptions: [Int32]
        let reminders: [Reminder]
        let series: UInt128?
        let occurrence: Int?
        let priority: Int

        init?(_ item: ToDoItem) {
            if item.title.isEmpty { return nil }
            title = item.title
            project = item.project
            location = item.location
            due = item.due
            scheduled = item.scheduled
            wait = item.wait
            until = item.until
            isPending = item.status == .pending
            parent = item.parent
            repeats = item.repeats
            exceptions = item.exceptions
            reminders = item.reminders
            series = item.series
            occurrence = item.occurrence
            priority = item.priority.rawValue
        }
    }

    /// The pending to-dos that are there more than once; the ones with the oldest first.
    ///
    /// They are alike in title, project, dates, priority, place, repetition, reminders and the to-do that they are a
    /// part of; notes and fields of one's own are the same, or absent in all but one.
    package func twins() throws(StoreFault) -> [Twins] {
        let pending = try store.fetch(
            FetchRequest(
                ToDoSchema.collection, where: .absent(.field(ToDoSchema.Number.status))))
        var groups: [Likeness: [ToDoItem]] = [:]
        for stored in pending where stored.record.fieldConflicts.isEmpty {
            let item = ToDoMapping.item(stored)
            if let likeness = Likeness(item) { groups[likeness, default: []].append(item) }
        }
        var found: [(age: (Int64, UInt128), twins: Twins)] = []
        for items in groups.values where items.count > 1 {
            let byAge = items.sorted { Self.age($0) < Self.age($1) }
            guard let oldest = byAge.first, let kept = oldest.identifier,
                Self.fit(byAge.map(\.notes)), Self.fit(byAge.map { $0.start.map { "\($0)" } ?? "" })
            else { continue }
            let customs = byAge.map(\.custom).filter { !$0.isEmpty }
            if customs.contains(where: { $0 != customs[0] }) { continue }
            found.append(
                (
                    Self.age(oldest),
                    Twins(
                        kept: RecordID(value: kept),
                        others: byAge.dropFirst().compactMap { $0.identifier.map(RecordID.init) },
                        title: oldest.title)
                ))
        }
        return found.sorted { $0.age < $1.age }.map(\.twins)
    }

    private static func age(_ item: ToDoItem) -> (Int64, UInt128) {
        (item.created ?? .max, item.identifier ?? 0)
    }

    /// Whether all texts are the same, but for empty ones.
    private static func fit(_ texts: [String]) -> Bool {
        Set(texts.filter { !$0.isEmpty }).count < 2
    }

    /// Makes one to-do of twins, in one transaction, which can be undone.
    ///
    /// The oldest gets what the others have and it has not, their parts become its parts, what waits for them waits for
    /// it, and they go to the trash.
    /// Twins that are not alike any more are left alone.
    /// - Returns: how many went to the trash.
    @discardableResult
    package func unite(_ all: [Twins]) throws(StoreFault) -> Int {
        // They are compared as they are now: another program may have changed one of them.
        let present = try twins()
        return try store.edit { transaction throws(StoreFault) in
            var count = 0
            for twins in all where present.contains(twins) {
                var missing: [Assignment] = []
                let kept = try transaction.record(twins.kept)
                let alike = [twins.kept] + twins.others
                func isSelf(_ field: Field) -> Bool {
                    guard case .element(.number(ToDoSchema.Number.depends), let end) = field else {
                        return false
                    }
                    return end.toDo.map(alike.contains) ?? false
                }
                for id in twins.others {
                    guard let kept, let other = try transaction.record(id) else { continue }
                    for field in other.record.fields where field != .deleted && field != .purged {
                        guard let value = other.record.visible(field), !value.isNull,
                            kept.record.visible(field) ?? .null == .null,
                            !Self.isOwn(field), !isSelf(field),
                            !missing.contains(where: { $0.field == field })
                        else { continue }
                        missing.append(Assignment(field, value))
                    }
                    try pointDependents(from: id, to: twins.kept, in: transaction)
                    let parent = FieldPath.field(ToDoSchema.Number.parent)
                    let parts = try store.fetch(
                        FetchRequest(
                            ToDoSchema.collection,
                            where: .compare(parent, .equal, .toDo(id))))
                    for part in parts {
                        try transaction.update(
                            part.id,
                            [
                                Assignment(
                                    .number(ToDoSchema.Number.parent), .toDo(twins.kept))
                            ])
                    }
                    if try transaction.delete(id) { count += 1 }
                }
                if !missing.isEmpty { try transaction.update(twins.kept, missing) }
            }
            return count
        }
    }

    /// Whether a field is a to-do's own, and means nothing in another one.
    private static func isOwn(_ field: Field) -> Bool {
        field.name == .number(ToDoSchema.Number.position)
            || field.name == .number(ToDoSchema.Number.created)
    }

    /// The live to-dos that are parts of a to-do which is in the trash, purged or not known here.
    package func orphans() throws(StoreFault) -> [Record] {
        let parts = try store.fetch(
            FetchRequest(
                ToDoSchema.collection,
                where: .not(.absent(.field(ToDoSchema.Number.parent)))))
        var found: [Record] = []
        for part in parts {
            guard let parent = part[ToDoSchema.Number.parent]?.reference else { continue }
            if try store.record(parent)?.verdict.isDeleted ?? true { found.append(part) }
        }
        return found
    }

    /// Makes to-dos of their own of parts whose whole is gone.
    ///
    /// - Returns: how many.
    @discardableResult
    package func free(_ orphans: [Record]) throws(StoreFault) -> Int {
        try store.edit { transaction throws(StoreFault) in
            var count = 0
            for orphan in orphans {
                guard let now = try transaction.record(orphan.id), !now.verdict.isDeleted else {
                    continue
                }
                let none = [Assignment(.number(ToDoSchema.Number.parent), .null)]
                if try transaction.update(orphan.id, none) { count += 1 }
            }
            return count
        }
    }
}

/// The repairs among to-dos.
extension ToDoStore {
    /// Something among to-dos that is not as it should be and can be repaired; each is one edit that can be undone.
    package enum Repair: Sendable {
        /// To-dos that are there more than once.
        case unite([Twins])
        /// Parts of a to-do that is gone.
        case free([Record])

        /// The code of what is wrong, for programs.
        package var code: String {
            switch self {
            case .unite: "duplicates"
            case .free: "orphans"
            }
        }

        /// How many to-dos it would change.
        package var count: Int {
            switch self {
            case .unite(let twins): twins.reduce(0) { $0 + $1.others.count }
            case .free(let orphans): orphans.count
            }
        }
    }

    /// Returns the possible repairs, in the order in which they are best made.
    package func repairs() throws(StoreFault) -> [Repair] {
        var repairs: [Repair] = []
        let twins = try twins()
        if !twins.isEmpty { repairs.append(.unite(twins)) }
        let orphans = try orphans()
        if !orphans.isEmpty { repairs.append(.free(orphans)) }
        return repairs
    }

    /// Makes a repair, on to-dos that are still as they were found.
    ///
    /// - Returns: how many to-dos it changed.
    package func perform(_ repair: Repair) throws(StoreFault) -> Int {
        switch repair {
        case .unite(let twins): try unite(twins)
        case .free(let orphans): try free(orphans)
        }
    }
}
