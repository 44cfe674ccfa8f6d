// Broken variants of this module's rules, for `PlantedFault`; release builds have none of them.

extension DeletionRule {
    /// What a broken rule decides; nil if none is planted or it has nothing to say.
    func brokenDecision(on record: Record, isPurged: Bool) -> Bool? {
        if PlantedFault.deletedByLatestTimestamp.isPlanted {
            return record.visible(.deleted)?.isNull == false
        }
        guard policy == .editsWin else { return nil }
        if PlantedFault.editsWinByRecordClock.isPlanted {
            return record.deletes.contains { $0.covers(record.clock) }
        }
        guard PlantedFault.editsWinByOneDelete.isPlanted else { return nil }
        return record.deletes.contains { seen in
            !record.writes.contains { write in
                !write.isRecovered && !seen.covers(write.dot)
                    && write.assignments.contains { contests($0, isPurged: isPurged) }
            }
        }
    }
}

extension Record {
    /// What each surviving delete had seen.
    fileprivate var deletes: [VersionVector] {
        survivors(of: .deleted).compactMap { survivor in
            if case .clock(let seen) = survivor.value { seen } else { nil }
        }
    }

    /// Whether nothing is left of what was written, as after a purge without a mark.
    var isBare: Bool { !isEmpty && writes.isEmpty }

    /// The record with one value a field: the latest, and at equal timestamps the one `own` holds.
    func decided(for own: Record) -> Record {
        var kept: [Field: Dot] = [:]
        for field in fields {
            var best: Write?
            for write in writes where write.value(of: field) != nil {
                guard let other = best else {
                    best = write
                    continue
                }
                let isOwn = own.writes.contains { $0.dot == write.dot }
                let isTie = write.timestamp == other.timestamp
                if isTie ? isOwn : write.timestamp > other.timestamp { best = write }
            }
            kept[field] = best?.dot
        }
        var result = self
        for index in result.writes.indices {
            let dot = result.writes[index].dot
            result.writes[index].assignments.removeAll { kept[$0.field] != dot }
        }
        result.writes.removeAll(where: \.assignments.isEmpty)
        return result
    }
}
