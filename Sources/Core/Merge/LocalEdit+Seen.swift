/// Edits by somebody who had seen less than the record includes: a file that another program wrote.
///
/// They come to the same as an edit on another device that had seen so much and was merged just now.
extension LocalEdit {
    /// Saves fields by somebody who had seen the writes in `seen` alone.
    ///
    /// Values that they had not seen stay beside theirs, as a conflict; a delete that they had not seen
    /// stands against their edit by the space's rule. A value that stands there already makes no
    /// assignment, so that to repeat the edit changes nothing.
    ///
    /// - Parameter assignments: what differs from what they had seen.
    package func save(
        _ assignments: [Assignment], to record: Record, seen: VersionVector, dots: inout DotSource
    ) -> Record? {
        var deletes = VersionVector()
        for case (_, .clock(let clock)) in record.survivors(of: .deleted) { deletes.join(clock) }
        let changed = assignments.filter {
            isChange($0, in: record, seen: seen, deletes: deletes)
        }
        if changed.isEmpty { return nil }
        var result = record
        let fields = Set(changed.map(\.field))
        for index in result.writes.indices where seen.covers(result.writes[index].dot) {
            result.writes[index].assignments.removeAll { fields.contains($0.field) }
        }
        result.writes.removeAll(where: \.assignments.isEmpty)
        return adding(changed, under: dots.next(), to: result)
    }

    private func isChange(
        _ assignment: Assignment, in record: Record, seen: VersionVector, deletes: VersionVector
    ) -> Bool {
        let standing = record.survivors(of: assignment.field)
        if standing.isEmpty { return !assignment.value.isNull }
        // What a delete had seen does not stand against it.
        let isThere = standing.contains {
            $0.value == assignment.value && !deletes.covers($0.write.dot)
        }
        guard isThere else { return true }
        return standing.contains { seen.covers($0.write.dot) && $0.value != assignment.value }
    }

    /// Deletes by somebody who had seen the writes in `seen` alone.
    ///
    /// What was written since then is written once more behind the delete, with the same values, so that it
    /// stands against it by the space's rule; what is shown stays shown.
    package func delete(
        _ record: Record, seen: VersionVector, dots: inout DotSource
    ) throws(Refusal) -> Record? {
        guard let deleted = try delete(record, dots: &dots) else { return nil }
        var layers: [[Assignment]] = []
        for field in record.fields where field > .purged {
            let standing = record.survivors(of: field)
            var unseen = standing.filter { !seen.covers($0.write.dot) }
            // A value that they had seen may be shown all the same, by its time: it comes last then.
            if !unseen.isEmpty, let shown = standing.last, seen.covers(shown.write.dot) {
                unseen.append(shown)
            }
            for (rank, survivor) in unseen.enumerated() {
                if rank == layers.count { layers.append([]) }
                layers[rank].append(Assignment(field, survivor.value))
            }
        }
        var result = deleted
        for layer in layers { result = adding(layer, under: dots.next(), to: result) }
        return result
    }
}
