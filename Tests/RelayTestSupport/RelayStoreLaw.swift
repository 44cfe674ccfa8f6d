import Core
import Relay
import Session
import Storage
import Testing

/// A law that each store of a relay keeps: the conformance suite of `RelayStore`.
///
/// A store runs them in its own file, by a test with `RelayStoreLaw.all` as arguments.
package struct RelayStoreLaw: Sendable, CustomTestStringConvertible {
    /// Its name.
    package let testDescription: String
    private let body: @Sendable (RelayStoreBench) throws -> Void

    init(_ name: String, _ body: @escaping @Sendable (RelayStoreBench) throws -> Void) {
        testDescription = name
        self.body = body
    }

    /// Checks the law.
    ///
    /// - Parameter open: opens the store; later calls open what the store before has left.
    package func check(_ open: @escaping (RelayLimits) throws -> any SynchronousRelayStore) throws {
        let bench = try RelayStoreBench(open)
        try body(bench)
        #expect(try bench.store.examine(RelayStoreBench.space) == [])
        bench.store.close()
    }

    /// All of them.
    package static let all: [RelayStoreLaw] = [
        numbers, covering, unreadable, quotas, admission, devices, rekeyMessages, marks, reading,
        restarts,
    ].flatMap { $0 }

    private typealias Bench = RelayStoreBench
    private typealias Desk = RelaySamples

    // MARK: Numbers and covering

    private static let numbers = [
        RelayStoreLaw("numbers follow one another without holes, over versions and rows") {
            bench in
            let key = try bench.enter().key
            let first = try bench.commit(
                key, [Desk.change(1, 1, 1), Desk.change(2, 1, 2)], row: [7])
            #expect(first.start == 0 && first.through == 3)
            #expect(first.receipts[Bench.sender(1)]?.own == [1...3])
            let second = try bench.commit(key, [Desk.change(3, 2, 1)], from: 2)
            #expect(second.start == 3 && second.receipts[Bench.sender(2)]?.own == [4...4])
            #expect(try bench.head().sequence == 4)
        },
        RelayStoreLaw("what is here already takes no number and makes no news") { bench in
            let key = try bench.enter().key
            let first = try bench.commit(key, [Desk.change(1, 1, 1)], row: [7])
            let again = try bench.commit(key, [Desk.change(1, 1, 1)], row: [7])
            #expect(again.start == first.through && again.through == first.through)
            #expect(again.receipts[Bench.sender(1)]?.itemCount == 2)
            #expect(again.fresh.isEmpty)
        },
    ]

    private static let covering = [
        RelayStoreLaw("a version that another one covers goes, also within one commit") { bench in
            let key = try bench.enter().key
            let commit = try bench.commit(key, [1, 2, 3].map { Desk.change(1, 1, $0) })
            #expect(commit.fresh == [Desk.change(1, 1, 3)])
            #expect(commit.replaced == [1, 2])
            try bench.commit(key, [Desk.change(1, 1, 2)])
            #expect(
                try bench.store.versions(
                    of: RecordName(.relayed, RecordID(value: 1)), in: Bench.space)
                    == [Desk.change(1, 1, 3)])
            #expect(try bench.head().versionCount == 1)
        },
        RelayStoreLaw("concurrent versions all stay, and so do two bodies of one clock") { bench in
            let key = try bench.enter().key
            let all = [Desk.change(1, 1, 1), Desk.change(1, 2, 1), Desk.change(1, 1, 1, 9)]
            try bench.commit(key, all)
            #expect(
                try bench.store.versions(
                    of: RecordName(.relayed, RecordID(value: 1)), in: Bench.space) == all)
            #expect(try bench.head().recordCount == 1)
        },
        RelayStoreLaw("a version that was deferred drops none that can be read") { bench in
            let key = try bench.enter().key
            let later = Desk.change(1, 1, 2)
            let deferred = Change(
                later.name, clock: later.clock, body: later.body, isDeferred: true)
            try bench.commit(key, [Desk.change(1, 1, 1), deferred])
            #expect(try bench.head().versionCount == 2)
            try bench.commit(key, [Desk.change(1, 1, 2)])
            #expect(
                try bench.store.versions(
                    of: RecordName(.relayed, RecordID(value: 1)), in: Bench.space)
                    == [Desk.change(1, 1, 2)])
        },
    ]

    // MARK: Quotas

    private static let quotas = [
        RelayStoreLaw("bytes are exact; what makes a space no larger is always taken") { bench in
            let size = RelayQuota.byteCount(of: Desk.change(1, 1, 1, 100))
            bench.store.limits.spaceByteCountMax = 2 * size
            let key = try bench.enter().key
            try bench.commit(key, [Desk.change(1, 1, 1, 100), Desk.change(2, 1, 2, 100)])
            #expect(try bench.head().byteCount == 2 * size)
            let over = try bench.commit(key, [Desk.change(1, 1, 3, 101)])
            #expect(over.quotas == [Bench.sender(1): .bytes])
            #expect(over.receipts[Bench.sender(1)]?.itemCount == 0)
            #expect(try bench.commit(key, [Desk.change(1, 1, 3, 100)]).quotas == [:])
            #expect(try bench.commit(key, [], row: []).quotas == [Bench.sender(1): .bytes])
        },
        RelayStoreLaw("a quota ends the uploads of its sender, and of nobody else") { bench in
            bench.store.limits.spaceRecordCountMax = 2
            let key = try bench.enter().key
            let uploads = [
                Bench.changes([Desk.change(1, 1, 1)], from: 1),
                Bench.changes([Desk.change(2, 1, 2), Desk.change(3, 1, 3)], from: 1),
                Bench.changes([Desk.change(1, 1, 4)], from: 1),
                Bench.changes([Desk.change(1, 2, 1)], from: 2),
            ]
            let commit = try bench.store.commit(uploads, to: key)
            #expect(commit.quotas == [Bench.sender(1): .records])
            #expect(commit.receipts[Bench.sender(1)]?.itemCount == 1)
            #expect(commit.receipts[Bench.sender(2)]?.itemCount == 1)
            #expect(commit.fresh.count == 3)
        },
        RelayStoreLaw("concurrent versions of a record have a quota") { bench in
            bench.store.limits.recordVersionCountMax = 2
            let key = try bench.enter().key
            let commit = try bench.commit(key, [1, 2, 3].map { Desk.change(1, $0, 1) })
            #expect(commit.quotas == [Bench.sender(1): .versions])
            #expect(try bench.head().versionCount == 2)
        },
    ]

    // MARK: Admission

    private static let admission = [
        RelayStoreLaw("a refusal changes nothing, and the decision hears of all other spaces") {
            bench in
            let refused = try bench.store.admit(Bench.relayHello(), from: nil) { head, others in
                #expect(head == nil && others == 0)
                return .refuse(RelayRejection(refusal: .greeted))
            }
            guard case .refused(_, nil) = refused else {
                Issue.record("a device was let in")
                return
            }
            #expect(try bench.store.head(of: Bench.space) == nil)
            #expect(try bench.enter().cause == .made)
            _ = try bench.store.admit(Bench.relayHello(to: SpaceID(value: 9)), from: nil) {
                head, others in
                #expect(head == nil && others == 1)
                return .refuse(RelayRejection(refusal: .greeted))
            }
            #expect(try bench.enter().cause == .found)
            #expect(try bench.enter().head.sequence == 0)
        },
        RelayStoreLaw("a new generation drops all but letters, and voids what was known") { bench in
            let old = try bench.enter(generation: 1, verifier: [1]).key
            let rekeyMessage = RekeyMessage(generation: 1, verifier: [9], bytes: [1, 2])
            try bench.commit(old, [Desk.change(1, 1, 1)], row: [7])
            _ = try bench.store.commit(
                [Bench.uploadDone(.rekeyMessage(rekeyMessage), from: 1)], to: old)
            let begun = try bench.admit { _ in .begin(generation: 2, verifier: [2]) }
            #expect(begun.cause == .begun(after: 1))
            #expect(begun.uploaded == nil && begun.start == 0)
            #expect(begun.head.generation == 2 && begun.head.verifier == [2])
            #expect(begun.head.sequence == 0 && begun.head.versionCount == 0)
            #expect(begun.head.rekeyMessageMarks == [rekeyMessage.mark])
            #expect(begun.head.byteCount == RelayQuota.byteCount(ofRekeyMessage: 2))
            #expect(begun.key.relay != old.relay)
            #expect(throws: RelayStoreFault.replaced) {
                try bench.store.read(RelayReadRequest(start: 0), of: old)
            }
            #expect(throws: RelayStoreFault.replaced) {
                try bench.commit(old, [Desk.change(1, 1, 1)])
            }
            #expect(try bench.head().sequence == 0)
        },
    ]

    private static func visitor(_ number: UInt8, day: Int64) -> RelayVisitor {
        RelayVisitor(fingerprint: [UInt8](repeating: number, count: 32), day: day)
    }

    private static let devices = [
        RelayStoreLaw("a device that was let in is remembered with its first and its last day") {
            bench in
            _ = try bench.admit(from: visitor(1, day: 10)) {
                #expect($0 == nil)
                return .make(generation: 0, verifier: [])
            }
            _ = try bench.admit(from: visitor(2, day: 11)) {
                #expect($0?.isVisitorKnown == false)
                return .enter
            }
            try bench.restart()
            _ = try bench.admit(from: visitor(1, day: 12)) {
                #expect($0?.isVisitorKnown == true)
                return .enter
            }
            // A clock that was set back makes no visit an earlier one.
            _ = try bench.admit(from: visitor(1, day: 7)) { _ in .enter }
            _ = try bench.enter()
            #expect(
                try bench.store.devices(of: Bench.space) == [
                    RelayDevice(
                        fingerprint: visitor(1, day: 0).fingerprint, firstDay: 10, lastDay: 12),
                    RelayDevice(
                        fingerprint: visitor(2, day: 0).fingerprint, firstDay: 11, lastDay: 11),
                ])
            #expect(try bench.store.devices(of: SpaceID(value: 9)) == [])
        },
        RelayStoreLaw("a device that is refused is not remembered") { bench in
            _ = try bench.enter()
            _ = try bench.store.admit(Bench.relayHello(), from: visitor(1, day: 10)) { _, _ in
                .refuse(RelayRejection(refusal: .greeted))
            }
            #expect(try bench.store.devices(of: Bench.space) == [])
        },
        RelayStoreLaw("a new generation knows only the devices that were let in since") { bench in
            _ = try bench.admit(from: visitor(1, day: 10)) { _ in
                .make(generation: 1, verifier: [1])
            }
            _ = try bench.admit(from: visitor(2, day: 11)) { head in
                #expect(head?.isVisitorKnown == false)
                return .begin(generation: 2, verifier: [2])
            }
            let fingerprints = try bench.store.devices(of: Bench.space).map(\.fingerprint)
            #expect(fingerprints == [visitor(2, day: 0).fingerprint])
        },
        RelayStoreLaw("of too many devices those are forgotten that were here longest ago") {
            bench in
            bench.store.limits.spaceDeviceCountMax = 2
            _ = try bench.admit(from: visitor(1, day: 10)) { _ in
                .make(generation: 0, verifier: [])
            }
            for (number, day) in [(2, 11), (1, 12), (3, 12)] as [(UInt8, Int64)] {
                _ = try bench.admit(from: visitor(number, day: day)) { _ in .enter }
            }
            let fingerprints = try bench.store.devices(of: Bench.space).map(\.fingerprint)
            #expect(fingerprints == [1, 3].map { visitor($0, day: 0).fingerprint })
        },
    ]

    // MARK: Rekey messages and marks

    private static let rekeyMessages = [
        RelayStoreLaw(
            "a verifier has one letter, the present one none, and of nine the oldest goes"
        ) { bench in
            let key = try bench.enter(generation: 20, verifier: [20]).key
            func rekeyMessage(_ generation: UInt8, _ byte: UInt8 = 1) -> RekeyMessage {
                RekeyMessage(generation: UInt32(generation), verifier: [generation], bytes: [byte])
            }
            let all = [
                rekeyMessage(3), rekeyMessage(1), rekeyMessage(1, 2), rekeyMessage(20),
                rekeyMessage(21),
            ]
            _ = try bench.store.commit(
                all.map { Bench.uploadDone(.rekeyMessage($0), from: 1) }, to: key)
            #expect(
                try bench.head().rekeyMessageMarks == [
                    rekeyMessage(3).mark, rekeyMessage(1, 2).mark,
                ])
            let more = (4...10).map { Bench.uploadDone(.rekeyMessage(rekeyMessage($0)), from: 1) }
            let commit = try bench.store.commit(more, to: key)
            #expect(commit.receipts == [:] && commit.through == 0)
            let kept = try bench.head().rekeyMessageMarks.map(\.verifier)
            #expect(Set(kept) == Set((3...10).map { [UInt8($0)] }))
            let answer = try bench.store.admit(Bench.relayHello(), from: nil) { _, _ in
                var rejection = RelayRejection(refusal: .greeted)
                rejection.rekeyMessageVerifier = [5]
                return .refuse(rejection)
            }
            guard case .refused(_, let found) = answer else { return }
            #expect(found == rekeyMessage(5))
        },
        RelayStoreLaw("a letter that does not fit is dropped, and ends nobody's uploads") { bench in
            bench.store.limits.spaceByteCountMax = 100
            let key = try bench.enter(generation: 2, verifier: [2]).key
            let rekeyMessage = RekeyMessage(
                generation: 1, verifier: [1], bytes: [UInt8](repeating: 1, count: 37))
            let commit = try bench.store.commit(
                [Bench.uploadDone(.rekeyMessage(rekeyMessage), from: 1)], to: key)
            #expect(commit.quotas == [:])
            #expect(try bench.head().rekeyMessageMarks == [])
        },
    ]

    private static let marks = [
        RelayStoreLaw("how far a device has uploaded is known when it comes again") { bench in
            let key = try bench.enter().key
            #expect(try bench.enter().uploaded == nil)
            try bench.commit(key, [Desk.change(1, 1, 1)], through: 5)
            #expect(try bench.enter().uploaded?.sequence == 5)
            try bench.commit(key, [], through: 6, row: [1])
            #expect(try bench.enter().uploaded?.sequence == 6)
            #expect(try bench.enter(replica: 2).uploaded == nil)
            #expect(
                try bench.store.rows(of: ReplicaID(value: 1), in: Bench.space)
                    == [Desk.row(1, number: 6, [1])])
        },
        RelayStoreLaw("of more devices than are remembered the oldest is forgotten") { bench in
            bench.store.limits.spaceReplicaCountMax = 2
            let key = try bench.enter().key
            for replica: UInt128 in [1, 2, 3] {
                try bench.commit(
                    key, [Desk.change(replica, replica, 1)], row: [1], from: replica)
            }
            #expect(try bench.enter(replica: 1).uploaded == nil)
            #expect(try bench.enter(replica: 2).uploaded != nil)
        },
    ]

    // MARK: Reading

    private static let reading = [
        RelayStoreLaw(
            "pages of a bounded size give all versions in order, and rows at the end"
        ) { bench in
            let key = try bench.enter().key
            let all = (1...40).map { Desk.change(UInt128($0), 1, UInt64($0), 100) }
            try bench.commit(key, all, row: [7])
            bench.store.limits.batchByteCountMax = 500
            var (found, start): ([Change], UInt64) = ([], 0)
            for _ in 0..<100 {
                let page = try bench.store.read(RelayReadRequest(start: start), of: key)
                #expect(page.changes.reduce(0) { $0 + $1.body.count } <= 500)
                #expect(page.isEnd == (page.rows != nil))
                #expect(page.epoch == (try bench.head().epoch))
                found += page.changes
                start = page.through
                if page.isEnd {
                    #expect(page.rows?.rows.map(\.sequence) == [41])
                    #expect(page.rows?.isComplete == true)
                    break
                }
            }
            #expect(found == all && start == 41)
            let end = try bench.store.read(RelayReadRequest(start: 41), of: key)
            #expect(end.isEnd && end.changes.isEmpty && end.through == 41)
        },
        RelayStoreLaw("a body that is longer than a page is read alone") { bench in
            let key = try bench.enter().key
            try bench.commit(key, [1, 2].map { Desk.change($0, 1, UInt64($0), 1000) })
            bench.store.limits.batchByteCountMax = 10
            let page = try bench.store.read(RelayReadRequest(start: 0), of: key)
            #expect(page.changes.count == 1 && page.through == 1 && !page.isEnd)
        },
        RelayStoreLaw("a device gets none of its own batches, and all of its rows") { bench in
            let key = try bench.enter().key
            for replica: UInt128 in [1, 2, 1] {
                let id = try bench.head().sequence + 1
                try bench.commit(
                    key, [Desk.change(UInt128(id), replica, id)], row: [UInt8(id)],
                    from: replica)
            }
            var request = RelayReadRequest(start: 0, own: [1...2, 5...6])
            var page = try bench.store.read(request, of: key)
            #expect(page.changes == [Desk.change(3, 2, 3)])
            #expect(page.through == 6 && page.isEnd)
            #expect(page.rows?.rows.map(\.row.bytes) == [[3], [5]])
            request = RelayReadRequest(start: 0, rowsAfter: 4)
            page = try bench.store.read(request, of: key)
            #expect(page.changes.count == 3)
            #expect(page.rows?.rows.map(\.sequence) == [6])
        },
        RelayStoreLaw("rows that are known are left out until a number is given") { bench in
            let key = try bench.enter().key
            try bench.commit(key, [], row: [7])
            var request = RelayReadRequest(start: 0)
            request.rowsKnownThrough = 1
            #expect(try bench.store.read(request, of: key).rows == nil)
            try bench.commit(key, [Desk.change(1, 1, 1)])
            #expect(try bench.store.read(request, of: key).rows?.rows.count == 1)
        },
        RelayStoreLaw("many rows come in several readings") { bench in
            let key = try bench.enter().key
            let count = WireLimits.summaryRowCountMax + 5
            try bench.commit(key, (1...count).map { Desk.row(1, about: UInt128($0), [1]) })
            var (found, after): ([UInt64], UInt64) = ([], 0)
            for _ in 0..<5 {
                let request = RelayReadRequest(start: UInt64(count), rowsAfter: after)
                let rows = try #require(try bench.store.read(request, of: key).rows)
                found += rows.rows.map(\.sequence)
                after = found.last ?? 0
                #expect(rows.isComplete == (found.count == count))
                if rows.isComplete { break }
            }
            #expect(found == (1...UInt64(count)).map(\.self))
        },
        RelayStoreLaw("of the rows of a key that with the highest number is kept") { bench in
            let key = try bench.enter().key
            func put(_ row: SummaryRow) throws -> [SummaryRow] {
                try bench.commit(key, [row])
                return try bench.store.rows(of: ReplicaID(value: 1), in: Bench.space)
            }
            let rows = [
                Desk.row(1, about: 2, number: 5, [5]), Desk.row(1, about: 3, number: 1, [1]),
            ]
            #expect(try put(rows[0]) == [rows[0]])
            #expect(try put(rows[1]) == rows, "about another replica id")
            let before = try bench.head().sequence
            #expect(try put(Desk.row(1, about: 2, number: 4, [4])) == rows, "an earlier one")
            #expect(try put(rows[0]) == rows)
            #expect(try bench.head().sequence == before, "none of them is news")
            let other = Desk.row(1, about: 2, number: 5, [6])
            #expect(try put(other) == [other, rows[1]], "the same number, said anew")
            let next = Desk.row(1, about: 2, number: 6, [7])
            #expect(try put(next) == [next, rows[1]])
            let digests = Desk.row(1, [8])
            #expect(try put(digests) == [digests, next, rows[1]])
            // Near the end of all numbers it could never be replaced.
            let step: UInt64 = 1 << 32
            #expect(
                try put(Desk.row(1, about: 2, number: step + 7, [9])) == [digests, next, rows[1]])
            #expect(
                try put(Desk.row(1, about: 4, number: step + 1, [9])) == [digests, next, rows[1]])
            let far = Desk.row(1, about: 2, number: step + 6, [9])
            #expect(try put(far) == [digests, far, rows[1]])
            #expect(try bench.store.examine(Bench.space) == [])
        },
    ]

    // MARK: Restarts

    private static let restarts = [
        RelayStoreLaw("after a restart all is there, and the first write begins an epoch") {
            bench in
            let key = try bench.enter().key
            try bench.commit(key, [Desk.change(1, 1, 1)], through: 3, row: [7])
            let before = try bench.head()
            try bench.restart()
            #expect(try bench.head() == before, "a store that only reads speaks in the last epoch")
            #expect(try bench.enter().uploaded?.sequence == 3)
            let rows = try bench.store.rows(of: ReplicaID(value: 1), in: Bench.space)
            #expect(rows == [Desk.row(1, number: 3, [7])])
            try bench.commit(key, [Desk.change(1, 1, 2)])
            let after = try bench.head()
            #expect(after.epoch != before.epoch && after.epoch.value & 1 == 1)
            #expect(after.sequence == 3 && after.versionCount == 1)
        },
        RelayStoreLaw("a bookmark counts to the end of its epoch, and none of another store") {
            bench in
            let key = try bench.enter().key
            try bench.commit(key, [Desk.change(1, 1, 1)])
            let first = try bench.head().epoch
            try bench.restart()
            try bench.commit(key, [Desk.change(1, 1, 2)])
            let second = try bench.head().epoch
            let relay = key.relay
            #expect(try bench.start(relay, first, 99) == 1)
            #expect(try bench.start(relay, second, 99) == 2)
            #expect(try bench.start(relay, second, 1) == 1)
            // The even neighbour names the same epoch in the middle of a run.
            #expect(try bench.start(relay, EpochID(value: second.value & ~1), 99) == 2)
            #expect(try bench.start(relay, EpochID(value: 78), 99) == 0)
            #expect(try bench.start(ReplicaID(value: 9), second, 2) == 0)
        },
        RelayStoreLaw("totals are the sums over spaces") { bench in
            let key = try bench.enter().key
            try bench.commit(key, [Desk.change(1, 1, 1), Desk.change(1, 2, 1)])
            let head = try bench.head()
            let totals = bench.store.totals
            #expect(totals.spaceCount == 1 && totals.openSpaceCount == 1)
            #expect(totals.versionCount == 2 && totals.recordCount == 1)
            #expect(totals.byteCount == head.byteCount)
            try bench.restart()
            #expect(bench.store.totals.spaceCount == 1)
        },
    ]
}
