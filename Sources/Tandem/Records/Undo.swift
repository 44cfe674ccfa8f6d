import Core
import Devices
import Storage

/// The edits that this device made in one transaction, as its journal has them.
///
/// ``TandemStore/localChanges(limit:)`` lists them; ``TandemStore/undo(_:isForced:)`` takes one back.
public struct LocalTransaction: Hashable, Sendable, Identifiable {
    /// One edit of one record.
    public struct Edit: Hashable, Sendable {
        /// The kinds of edits.
        public enum Kind: Hashable, Sendable {
            /// The record was made.
            case made
            /// The record was put in the trash.
            case deleted
            /// The record was brought back from the trash.
            case restored
            /// An attribute got another value.
            case changed(attribute: String, from: Value, to: Value)
            /// A text was added to a set.
            case added(attribute: String, text: String)
            /// A text was removed from a set.
            case removed(attribute: String, text: String)
            /// A conflict ended: one of the values that were kept beside the shown one, and the value it was decided
            /// for. Both are the same if that value was chosen.
            case resolved(attribute: String, from: Value, to: Value)
            /// A value was put back into a conflict, which is open again.
            case reopened(attribute: String, value: Value)
        }

        /// The record.
        public let record: RecordName
        /// The edit.
        public let kind: Kind

        /// An edit by an entry of the journal; nil if the entry is about no attribute of an app.
        init?(_ entry: JournalEntry) {
            guard let kind = Kind(entry) else { return nil }
            record = entry.record
            self.kind = kind
        }
    }

    let engine: LocalChange

    /// Names the transaction on this device.
    public var id: UInt64 { engine.timestamp.rawValue }
    /// When it was made, by this device's clock; milliseconds since 1970-01-01 UTC.
    public var time: Int64 { engine.timestamp.milliseconds }
    /// Whether it is undone; a redo makes it stand again.
    public var isUndone: Bool { engine.undoneBy != nil }
    /// Whether it is an undo or a redo itself.
    public var isUndo: Bool { engine.undoes != nil }
    /// The edits, the latest first; of records that it made only that.
    ///
    /// Of a transaction that made more than 1,000 records the newest are named.
    public var edits: [Edit] { engine.entries.compactMap(Edit.init) }
}

extension LocalTransaction.Edit.Kind {
    fileprivate init?(_ entry: JournalEntry) {
        if entry.kind == .made {
            self = .made
            return
        }
        if entry.field == .deleted {
            // Of a decision by which the record is deleted, or back, another entry says so.
            if entry.isDecisionOnDelete, entry.before != entry.after { return nil }
            self = entry.after == .bool(true) ? .deleted : .restored
            return
        }
        guard case .text(let name) = entry.field.name else { return nil }
        if case .element(_, let element) = entry.field {
            guard case .text(let text) = element else { return nil }
            let isIn = entry.after == .bool(true)
            self =
                isIn ? .added(attribute: name, text: text) : .removed(attribute: name, text: text)
            return
        }
        switch entry.kind {
        case .dropped:
            self = .resolved(attribute: name, from: entry.before ?? .null, to: entry.after ?? .null)
        case .opened: self = .reopened(attribute: name, value: entry.after ?? .null)
        default:
            self = .changed(attribute: name, from: entry.before ?? .null, to: entry.after ?? .null)
        }
    }
}

/// The result of an undo or a redo.
public enum UndoResult: Hashable, Sendable {
    /// A reason why a transaction cannot be undone as it is.
    public struct Obstacle: Hashable, Sendable {
        /// The reasons.
        public enum Reason: Hashable, Sendable {
            /// A device of that name changed the attribute later, at a time by its clock (milliseconds since
            /// 1970-01-01 UTC): the undo would take that away.
            case changedLater(device: String, time: Int64)
            /// The attribute is in conflict now: resolve it instead.
            case inConflict
            /// The record is in the trash now: restore it first.
            case deleted
            /// The record was purged: nothing is left of it.
            case purged
        }

        /// The record.
        public let record: RecordName
        /// The attribute; nil if the obstacle concerns the whole record.
        public let attribute: String?
        /// The reason.
        public let reason: Reason
        /// Whether an undo that is forced goes on all the same.
        public let yieldsToForce: Bool
    }

    /// New edits of these records took it back; none if everything was as before already.
    case done([RecordName])
    /// Nothing was done.
    case refused([Obstacle])
    /// There is nothing to undo or to redo, or the transaction is undone already.
    case nothing
}

/// Undoing what this device did, by new edits: it works after a sync as before it, and syncs like any edit.
extension TandemStore {
    /// The transactions of this device that its journal keeps, the latest first; undos stand among them.
    ///
    /// The journal keeps the last 100,000 changes of all devices, at most 32 MiB of them.
    /// - Parameter limit: the most to give.
    /// - Throws: `busy`, `damaged`, `schemaChanged`, `notOpen`.
    public func localChanges(limit: Int = 20) throws(TandemError) -> [LocalTransaction] {
        let engine = try opened()
        return try TandemError.mapping { () throws(StoreFault) in
            try engine.localChanges(limit: max(limit, 0)).map { LocalTransaction(engine: $0) }
        }
    }

    /// Undoes a transaction of this device: its records show again what they showed before it.
    ///
    /// All of it is undone or nothing. Records that it made go to the trash. If somebody changed one of its attributes
    /// later, nothing is done and the result names what is in the way.
    /// - Parameters:
    ///   - transaction: one of ``localChanges(limit:)``; nil for the latest that is not undone and is no undo itself,
    ///     which is refused if records were purged after it. Of an undo, it is a redo.
    ///   - isForced: whether to go on where somebody changed an attribute later or it is in conflict.
    /// - Returns: what came of it.
    /// - Throws: `noSuchRecord` if the journal does not keep the transaction any more; `busy`, `diskFull`, `damaged`,
    ///   `schemaChanged`, `nestedTransaction`, `notOpen`.
    public func undo(
        _ transaction: LocalTransaction? = nil, isForced: Bool = false
    ) throws(TandemError) -> UndoResult {
        let device = try openDevice()
        return try TandemError.mapping { () throws(StoreFault) in
            guard let transaction else {
                switch try device.store.nextToUndo() {
                case .nothing: return .nothing
                case .change(let next): return try Self.undo(next, isForced, on: device)
                case .purge(let purge, before: _):
                    var obstacles: [UndoResult.Obstacle] = []
                    for record in purge.records {
                        let obstacle = UndoOutcome.Obstacle(
                            record: record, field: .purged, reason: .purged)
                        obstacles.append(try UndoResult.Obstacle(obstacle, on: device))
                    }
                    return .refused(obstacles)
                }
            }
            return try Self.undo(transaction.engine, isForced, on: device)
        }
    }

    /// Makes again what the last undo took back; further redos go on with the undos before it.
    ///
    /// An edit that was made since leaves nothing to redo.
    /// - Parameter isForced: whether to go on where somebody changed an attribute later or it is in conflict.
    /// - Returns: what came of it.
    /// - Throws: what ``undo(_:isForced:)`` throws.
    public func redo(isForced: Bool = false) throws(TandemError) -> UndoResult {
        let device = try openDevice()
        return try TandemError.mapping { () throws(StoreFault) in
            try Self.undo(device.store.nextToRedo(), isForced, on: device)
        }
    }

    private static func undo(
        _ change: LocalChange?, _ isForced: Bool, on device: Device
    ) throws(StoreFault) -> UndoResult {
        guard let change else { return .nothing }
        switch try device.store.undo(change.timestamp, isForced: isForced) {
        case .done(let records): return .done(records)
        case .undoneAlready: return .nothing
        case .refused(let found):
            var obstacles: [UndoResult.Obstacle] = []
            for obstacle in found {
                obstacles.append(try UndoResult.Obstacle(obstacle, on: device))
            }
            return .refused(obstacles)
        }
    }
}

extension UndoResult.Obstacle {
    fileprivate init(
        _ obstacle: UndoOutcome.Obstacle, on device: Device
    ) throws(StoreFault) {
        record = obstacle.record
        if case .text(let name) = obstacle.field.name { attribute = name } else { attribute = nil }
        yieldsToForce = obstacle.reason.yields
        reason =
            switch obstacle.reason {
            case .changedLater(let author, let time):
                .changedLater(device: try device.name(of: author), time: time.milliseconds)
            case .inConflict: .inConflict
            case .deleted: .deleted
            case .purged: .purged
            }
    }
}
