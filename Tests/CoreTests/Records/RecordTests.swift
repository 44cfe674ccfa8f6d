import Core
import TestSupport
import Testing

@Suite("Records")
struct RecordTests {
    private func write(
        _ replica: Int, _ counter: UInt64, at time: Int64, _ assignments: [Assignment]
    )
        -> Write
    {
        Write(
            dot: Dot(replica: SmallWorld.replica(replica), counter: counter),
            timestamp: HybridTimestamp(milliseconds: time), assignments: assignments)
    }

    private let title = Field.number(2)

    @Test("shown is the greatest by time, then replica, then counter")
    func shownValue() {
        let record = RecordState(
            clock: SmallWorld.vector([3, 3]),
            writes: [
                write(0, 2, at: 5, [Assignment(title, .text("a2"))]),
                write(0, 3, at: 5, [Assignment(title, .text("a3"))]),
                write(1, 1, at: 5, [Assignment(title, .text("b1"))]),
                write(1, 2, at: 4, [Assignment(title, .text("b2"))]),
            ])
        #expect(record.isWellFormed)
        #expect(record.visible(title) == .text("b1"))
        let order = record.survivors(of: title).map(\.value)
        #expect(order == [.text("b2"), .text("a2"), .text("a3"), .text("b1")])
        #expect(record.visible(.number(3)) == nil)
    }

    @Test("a set shows the elements whose shown value is true, sorted")
    func setElements() {
        func tag(_ text: String) -> Field { .element(.number(4), text: text) }
        let record = RecordState(
            clock: SmallWorld.vector([2, 1]),
            writes: [
                write(
                    0, 1, at: 1, [Assignment(tag("a"), .bool(true)), Assignment(tag("b"), .null)]),
                write(
                    1, 1, at: 2, [Assignment(tag("a"), .null), Assignment(tag("c"), .bool(true))]),
            ])
        #expect(record.elements(of: .number(4)) == [.text("c")])
        #expect(record.fields == [tag("a"), tag("b"), tag("c")])
    }

    @Test("every way to be malformed is seen")
    func malformedIsSeen() {
        let good = [Assignment(title, .int(1))]
        let clock = SmallWorld.vector([2, 2])
        func isGood(_ writes: [Write]) -> Bool {
            RecordState(clock: clock, writes: writes).isWellFormed
        }
        #expect(isGood([write(0, 1, at: 1, good), write(1, 2, at: 1, good)]))
        #expect(!isGood([write(0, 3, at: 1, good)]), "not covered")
        #expect(!isGood([write(0, 1, at: 1, [])]), "no assignment")
        #expect(!isGood([write(1, 1, at: 1, good), write(0, 1, at: 1, good)]), "not sorted")
        #expect(!isGood([write(0, 1, at: 1, good), write(0, 1, at: 1, good)]), "doubled dot")
        #expect(!isGood([write(0, 1, at: 1, good + good)]), "doubled field")
    }

    @Test("a value left out anywhere is noticed")
    func elidedIsNoticed() {
        let record = RecordState(
            clock: SmallWorld.vector([2]),
            writes: [write(0, 1, at: 1, [Assignment(title, .elided)])])
        #expect(record.hasElidedValue)
    }

    @Test("a policy has a name and is found by it")
    func policyNames() {
        for policy in DeletePolicy.allCases { #expect(DeletePolicy(name: policy.name) == policy) }
        #expect(DeletePolicy(name: "last-writer-wins") == nil)
    }
}
