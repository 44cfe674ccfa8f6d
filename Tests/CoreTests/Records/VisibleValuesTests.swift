import Core
import TestSupport
import Testing

@Suite("Values that a record shows")
struct VisibleValuesTests {
    /// The value of a field by the words of the rule: that of the latest write which has it.
    private func shown(_ field: Field, in record: RecordState) -> Value? {
        var best: (write: Write, value: Value)?
        for write in record.writes {
            for assignment in write.assignments where assignment.field == field {
                if let best, !write.isShown(over: best.write) { continue }
                best = (write, assignment.value)
            }
        }
        return best?.value
    }

    @Test(
        "going through a record gives each of its fields once, in order, with the value that it shows"
    )
    func each() {
        for seed in 1...200 as ClosedRange<UInt64> {
            var random = RandomRecords(seed: seed)
            let record = random.record(writesMax: 6)
            var fields: [Field] = []
            record.forEachVisible { field, value in
                fields.append(field)
                #expect(value == shown(field, in: record), "seed \(seed): \(field)")
            }
            #expect(fields == record.fields, "seed \(seed)")
        }
    }

    @Test("a field that is asked for has the value that the latest write gave it, any other none")
    func single() {
        for seed in 1...200 as ClosedRange<UInt64> {
            var random = RandomRecords(seed: seed)
            let record = random.record(writesMax: 6)
            let others = (0..<8).map { _ in random.field() }
            for field in record.fields + others + [.deleted, .purged, .number(.max)] {
                #expect(
                    record.visible(field) == shown(field, in: record), "seed \(seed): \(field)")
            }
        }
    }
}
