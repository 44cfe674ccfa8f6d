import Causality
import Records
import Relay
import Storage
import Testing

@Suite("What a relay keeps of a space")
struct RelayStoreTests {
    /// A clock from counters of the replicas 1, 2, 3.
    static func clock(_ counters: UInt64...) -> VersionVector {
        VersionVector(
            unsorted: counters.enumerated().map {
                VersionVector.Entry(
                    replica: ReplicaID(value: UInt128($0.offset + 1)), counter: $0.element)
            })
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let put: [VersionVector]
        let kept: [Int]
        var testDescription: String { name }

        init(_ name: String, _ put: [VersionVector], keeps kept: [Int]) {
            self.name = name
            self.put = put
            self.kept = kept
        }

        static let all: [Row] = [
            Row("one", [clock(1)], keeps: [0]),
            Row("the same again", [clock(1), clock(1)], keeps: [0]),
            Row("a later one", [clock(1), clock(2)], keeps: [1]),
            Row("an earlier one", [clock(2), clock(1)], keeps: [0]),
            Row("concurrent", [clock(1, 2), clock(2, 1)], keeps: [0, 1]),
            Row("concurrent with a lower sum", [clock(9), clock(0, 1)], keeps: [0, 1]),
            Row("concurrent with a higher sum", [clock(0, 1), clock(9)], keeps: [0, 1]),
            Row("what covers both", [clock(1), clock(0, 1), clock(1, 1)], keeps: [2]),
            Row("what covers one", [clock(1), clock(0, 1), clock(2)], keeps: [1, 2]),
            Row(
                "three at once", [clock(1), clock(0, 1), clock(0, 0, 1)], keeps: [0, 1, 2]),
            Row("one of two again", [clock(1), clock(0, 1), clock(1)], keeps: [0, 1]),
        ]
    }

    @Test("a version that another one covers goes, others stay", arguments: Row.all)
    func dominance(row: Row) throws {
        let world = RelayWorld()
        let store = try world.store()
        let id = RecordID(value: 5)
        let changes = row.put.enumerated().map {
            Change(id: id, clock: $0.element, body: [UInt8($0.offset)])
        }
        try store.transact { () throws(StoreFault) in
            for change in changes { _ = try store.put(change, limits: RelayLimits()) }
        }
        #expect(try store.versions(of: id) == row.kept.map { changes[$0] })
        #expect(try store.examine() == [])
    }
}
