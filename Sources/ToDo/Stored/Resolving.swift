import Core
import Storage

/// The choice of a value that ends a conflict.
package enum ConflictChoice: Hashable, Sendable {
    /// The value of this device.
    case mine
    /// The value of the other device.
    case theirs
    /// Both texts.
    case both
    /// The value of the device of this name.
    case device(String)
    /// The value at this position among the candidates, from 1.
    case position(Int)
    /// Another value, as it was typed.
    case value(String)
}

/// Why a choice does not give one value; a code, from which whoever shows it makes words.
package enum ConflictChoiceFault: Error, Hashable, Sendable {
    /// The typed value would leave a to-do without a title.
    case untitled
    /// There is no candidate at that position.
    case noPosition(Int, count: Int)
    /// The values of this field cannot stand beside each other.
    case cannotBoth(Field)
    /// No candidate is meant.
    case none(ConflictChoice, [ToDoConflict.Candidate])
    /// Several candidates may be meant.
    case several(ConflictChoice, [ToDoConflict.Candidate])

    /// Whether another choice is needed, rather than another conflict.
    package var isOfChoice: Bool {
        switch self {
        case .untitled, .several: true
        case .noPosition, .cannotBoth, .none: false
        }
    }
}

/// Deciding conflicts.
extension ToDoStore {
    /// Conflicts that one choice decides, and those that it leaves open.
    package struct Decisions {
        /// The values, one for each conflict that is decided.
        package var decided: [(id: RecordID, field: Field, value: Value)] = []
        /// The conflicts that stay open, and why.
        package var open: [(conflict: ToDoConflict, field: Field, why: ConflictChoiceFault)] = []
    }

    /// Returns the decisions that a choice makes, for all conflicts or those of one field.
    ///
    /// - Throws: a fault of the choice itself if the field was named; a fault of the typed value; a `StoreFault`.
    package func decisions(_ choice: ConflictChoice, for meant: Field?) throws -> Decisions {
        var decisions = Decisions()
        for conflict in try conflicts() {
            guard case .field(let field, let candidates) = conflict.kind,
                meant == nil || meant == field
            else { continue }
            do {
                let value = try value(choice, of: field, among: candidates)
                decisions.decided.append((conflict.id, field, value))
            } catch let fault as ConflictChoiceFault where !fault.isOfChoice || meant == nil {
                decisions.open.append((conflict, field, fault))
            }
        }
        return decisions
    }

    /// Returns the value that a choice means for a field.
    ///
    /// - Throws: a `ConflictChoiceFault`; a `ToDoWordsError` for a typed value.
    package func value(
        _ choice: ConflictChoice, of field: Field, among candidates: [ToDoConflict.Candidate]
    ) throws -> Value {
        switch choice {
        case .value(let text):
            let value = try ToDoMapping.value(typed: text, for: field, now: now, zone: zone)
            if value.isNull, field == .number(ToDoSchema.Number.title) {
                throw ConflictChoiceFault.untitled
            }
            return value
        case .both: return try Self.both(of: field, among: candidates)
        case .mine: return try Self.only(candidates.filter(\.isMine), of: candidates, choice)
        case .theirs: return try Self.only(candidates.filter { !$0.isMine }, of: candidates, choice)
        case .position(let position):
            guard position <= candidates.count else {
                throw ConflictChoiceFault.noPosition(position, count: candidates.count)
            }
            return candidates[position - 1].value
        case .device(let name):
            return try Self.only(candidates.filter { $0.device == name }, of: candidates, choice)
        }
    }

    /// Whether two texts of a field can stand beside each other.
    package static func takesBoth(_ field: Field) -> Bool {
        let number = ToDoSchema.Number.self
        return switch field {
        case .number(number.title), .number(number.notes), .number(number.location), .text: true
        default: false
        }
    }

    /// Joins both texts, the shown one first; notes one below the other.
    private static func both(
        of field: Field, among candidates: [ToDoConflict.Candidate]
    ) throws(ConflictChoiceFault) -> Value {
        let texts = candidates.compactMap { candidate -> String? in
            if case .text(let text) = candidate.value { text } else { nil }
        }
        let notes = Field.number(ToDoSchema.Number.notes)
        guard takesBoth(field), texts.count == candidates.count else { throw .cannotBoth(field) }
        return .text(texts.joined(separator: field == notes ? "\n\n" : " / "))
    }

    private static func only(
        _ chosen: [ToDoConflict.Candidate], of all: [ToDoConflict.Candidate],
        _ choice: ConflictChoice
    ) throws(ConflictChoiceFault) -> Value {
        guard let first = chosen.first else { throw .none(choice, all) }
        guard chosen.count == 1 else { throw .several(choice, all) }
        return first.value
    }
}

/// The obstacles to purging.
extension ToDoStore {
    /// Why to-dos cannot be purged unless that is forced.
    package enum PurgeObstacle: Sendable {
        /// This one has a conflict whose values would be lost.
        case conflict(Record)
        /// This one is purged, and what was written to it meanwhile would be lost: it is let go alone, and by
        /// force.
        case editedAfterPurge(Record)
        /// This one is not in the trash.
        case notDeleted(Record)
    }

    /// Returns the first obstacle to purging to-dos; nil if there is none.
    package static func obstacle(toPurging found: [Record], isForced: Bool) -> PurgeObstacle? {
        if !isForced || found.count > 1,
            let edited = found.first(where: { $0.standing == .editedAfterPurge })
        {
            return .editedAfterPurge(edited)
        }
        if isForced { return nil }
        if let open = found.first(where: \.isInConflict) { return .conflict(open) }
        return found.first { !$0.verdict.isDeleted }.map { .notDeleted($0) }
    }
}

extension Record {
    /// Whether devices disagree on a field of it, or on whether it is deleted or purged.
    package var isInConflict: Bool {
        verdict.isContested || verdict.isEditedAfterPurge || !record.fieldConflicts.isEmpty
    }
}
