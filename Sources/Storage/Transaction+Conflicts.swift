import Core

/// Conflicts that are opened again.
extension Transaction {
    /// Gives a field several values, beside each other: the conflict that was resolved is open again, on
    /// every device.
    ///
    /// - Parameter values: the one that is to be shown first.
    func put(
        _ values: [Value], beside field: Field, of id: RecordID
    ) throws(StoreFault) {
        guard let old = try record(id) else { throw .noSuchRecord }
        var record = old.record
        for index in record.writes.indices {
            record.writes[index].assignments.removeAll { $0.field == field }
        }
        record.writes.removeAll(where: \.assignments.isEmpty)
        // The value that is shown comes last: at equal timestamps the highest counter is shown.
        for value in values.reversed() {
            let dot = nextDot()
            record.clock.include(dot.counter, of: dot.replica)
            let write = Write(
                dot: dot, timestamp: timestamp, assignments: [Assignment(field, value)])
            let place = record.writes.firstIndex { $0.dot > dot } ?? record.writes.count
            record.writes.insert(write, at: place)
        }
        try save(id, old.collection, record, replacing: old)
    }
}
