import Core
import TestSupport
import Testing

@Suite("Version vectors")
struct VersionVectorTests {
    private let all = SmallWorld.counters(3, max: 2)

    private func vector(_ counters: [UInt64]) -> VersionVector { SmallWorld.vector(counters) }

    @Test("covering is comparing every counter")
    func coversEveryCounter() {
        for left in all {
            for right in all {
                let expected = zip(left, right).allSatisfy { $0 >= $1 }
                #expect(vector(left).covers(vector(right)) == expected)
            }
        }
    }

    @Test("the order of two is told from what each includes")
    func orderIsTold() {
        for left in all {
            for right in all {
                let more = zip(left, right).contains { $0 > $1 }
                let less = zip(left, right).contains { $0 < $1 }
                let expected: CausalOrder =
                    more ? (less ? .concurrent : .after) : (less ? .before : .equal)
                #expect(vector(left).order(relativeTo: vector(right)) == expected)
            }
        }
    }

    @Test("a join takes the higher counter of each, in every small case")
    func joinTakesTheHigher() {
        for left in all {
            for right in all {
                let expected = vector(zip(left, right).map { max($0, $1) })
                #expect(vector(left).joined(with: vector(right)) == expected)
                var joined = vector(left)
                joined.join(vector(right))
                #expect(joined == expected)
            }
        }
    }

    @Test("the join is commutative, associative, idempotent, and only grows")
    func joinLaws() {
        let vectors = SmallWorld.vectors(replicas: 3, counterMax: 2)
        let failures = JoinLaws.failures(
            vectors, join: { $0.joined(with: $1) }, includes: { $0.covers($1) })
        #expect(failures.isEmpty, "\(failures)")
    }

    @Test("a dot is covered by its replica's counter alone")
    func dotsAreCovered() {
        for counters in all {
            for (index, counter) in counters.enumerated() {
                for tried in 1...3 as ClosedRange<UInt64> {
                    let dot = Dot(replica: SmallWorld.replica(index), counter: tried)
                    #expect(vector(counters).covers(dot) == (tried <= counter))
                }
            }
        }
        #expect(vector([1]).counter(of: SmallWorld.replica(5)) == 0)
    }

    @Test("including only grows, setting can shrink and take away")
    func includeAndSet() {
        for counters in all {
            for index in 0..<3 {
                for counter in 0...3 as ClosedRange<UInt64> {
                    var (grown, put) = (vector(counters), vector(counters))
                    grown.include(counter, of: SmallWorld.replica(index))
                    put.set(counter, of: SmallWorld.replica(index))
                    var expected = counters
                    expected[index] = max(counter, counters[index])
                    #expect(grown == vector(expected))
                    expected[index] = counter
                    #expect(put == vector(expected))
                }
            }
        }
    }

    @Test("entries are kept sorted, whatever the order they come in")
    func entriesAreSorted() {
        for counters in all {
            let entries = counters.enumerated().map {
                VersionVector.Entry(replica: SmallWorld.replica($0.offset), counter: $0.element)
            }
            for order in SmallWorld.permutations(entries) {
                let vector = VersionVector(unsorted: order)
                #expect(vector == self.vector(counters))
                #expect(VersionVector(sorted: vector.entries) == vector)
            }
        }
    }

    @Test("sorted entries that are not, or are doubled or zero, are refused")
    func badEntriesAreRefused() {
        func entry(_ index: Int, _ counter: UInt64) -> VersionVector.Entry {
            VersionVector.Entry(replica: SmallWorld.replica(index), counter: counter)
        }
        #expect(VersionVector(sorted: [entry(1, 1), entry(0, 1)]) == nil)
        #expect(VersionVector(sorted: [entry(1, 1), entry(1, 2)]) == nil)
        #expect(VersionVector(sorted: [entry(0, 0)]) == nil)
        #expect(VersionVector(sorted: []) == VersionVector())
        #expect(VersionVector(unsorted: [entry(1, 4), entry(1, 2)]) == vector([0, 4]))
    }

    @Test("a dot of counter zero is a mistake of ours and stops the program")
    func zeroDotStops() async {
        await #expect(processExitsWith: .failure) {
            _ = VersionVector(Dot(replica: ReplicaID(value: 1), counter: 0))
        }
    }
}
