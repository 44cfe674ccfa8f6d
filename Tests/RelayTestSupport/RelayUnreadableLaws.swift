import Core
import Relay
import Storage
import Testing

/// Laws of versions that devices could not open.
extension RelayStoreLaw {
    private static func unreadable(_ changes: Change...) -> RelayUpload {
        RelayStoreBench.uploadDone(.unreadable(changes.map { VersionMark(of: $0) }), from: 2)
    }

    private static let name = RecordName(.relayed, RecordID(value: 1))

    static let unreadable = [
        RelayStoreLaw(
            "a version is said to be unreadable under a number, once; an unknown one is not"
        ) {
            bench in
            let key = try bench.enter().key
            let (good, other) = (RelaySamples.change(1, 1, 1), RelaySamples.change(1, 1, 9))
            try bench.commit(key, [good])
            let first = try bench.store.commit([unreadable(good, other)], to: key)
            #expect(first.through == 2 && first.unreadable == [VersionMark(of: good)])
            let receipt = try #require(first.receipts[RelayStoreBench.sender(2)])
            #expect(receipt.itemCount == 1 && receipt.own == [2...2])
            #expect(receipt.unreadable == [VersionMark(of: good)])
            #expect(receipt.unknown == [VersionMark(of: other)])
            let again = try bench.store.commit([unreadable(good)], to: key)
            #expect(again.through == 2 && again.unreadable.isEmpty)
            #expect(
                again.receipts[RelayStoreBench.sender(2)]?.unreadable == [VersionMark(of: good)])
        },
        RelayStoreLaw("an unreadable version drops nothing but its copy, and is dropped as ever") {
            bench in
            let key = try bench.enter().key
            let (low, high) = (RelaySamples.change(1, 1, 1), RelaySamples.change(1, 1, 5, 7))
            try bench.commit(key, [low, high])
            #expect(try bench.store.versions(of: name, in: RelayStoreBench.space) == [high])
            _ = try bench.store.commit([unreadable(high)], to: key)
            try bench.commit(key, [low, high, RelaySamples.change(1, 1, 5, 8)])
            let kept = try bench.store.versions(of: name, in: RelayStoreBench.space)
            #expect(kept == [high, RelaySamples.change(1, 1, 5, 8)])
            try bench.commit(key, [RelaySamples.change(1, 1, 6)])
            #expect(
                try bench.store.versions(of: name, in: RelayStoreBench.space) == [
                    RelaySamples.change(1, 1, 6)
                ])
        },
        RelayStoreLaw("what an unreadable version covers is kept beside it") { bench in
            let key = try bench.enter().key
            let (low, high) = (RelaySamples.change(1, 1, 1), RelaySamples.change(1, 1, 5, 7))
            try bench.commit(key, [high])
            try bench.commit(key, [low])
            #expect(try bench.store.versions(of: name, in: RelayStoreBench.space) == [high])
            _ = try bench.store.commit([unreadable(high)], to: key)
            let commit = try bench.commit(key, [low])
            #expect(commit.fresh == [low] && commit.replaced.isEmpty)
            #expect(try bench.store.versions(of: name, in: RelayStoreBench.space) == [high, low])
        },
        RelayStoreLaw("unreadable versions use up no quota of a record's versions") { bench in
            bench.store.limits.recordVersionCountMax = 2
            let key = try bench.enter().key
            let forged = [RelaySamples.change(1, 3, 1), RelaySamples.change(1, 4, 1)]
            try bench.commit(key, forged)
            let refused = try bench.commit(key, [RelaySamples.change(1, 1, 1)])
            #expect(refused.quotas[RelayStoreBench.sender(1)] == .versions)
            _ = try bench.store.commit([unreadable(forged[0], forged[1])], to: key)
            let taken = try bench.commit(
                key, [RelaySamples.change(1, 1, 1), RelaySamples.change(1, 2, 1)])
            #expect(taken.quotas == [:] && taken.kept.count == 2)
        },
        RelayStoreLaw("unreadable versions count against the quota of all versions of a record") {
            bench in
            bench.store.limits.recordVersionCountMax = 2
            let key = try bench.enter().key
            var counter: UInt64 = 0
            func forge() throws -> RelayCommit {
                counter += 1
                let forged = RelaySamples.change(1, UInt128(counter), 1)
                let commit = try bench.commit(key, [forged])
                _ = try bench.store.commit([unreadable(forged)], to: key)
                return commit
            }
            for _ in 1...bench.store.limits.storedVersionCountMax {
                #expect(try forge().quotas == [:])
            }
            #expect(try forge().quotas[RelayStoreBench.sender(1)] == .storedVersions)
            let count = try bench.store.versions(of: name, in: RelayStoreBench.space).count
            #expect(count == 6)
            // A version that takes the place of others is taken.
            let clock = RelaySamples.clock(1, 2).joined(with: RelaySamples.clock(2, 2))
            let whole = Change(name, clock: clock, body: [1])
            #expect(try bench.commit(key, [whole]).kept.count == 1)
            #expect(try bench.store.versions(of: name, in: RelayStoreBench.space).count == 5)
        },
        RelayStoreLaw(
            "devices read of unreadable versions by number, but not what they said themselves"
        ) {
            bench in
            let key = try bench.enter().key
            let all = [RelaySamples.change(1, 1, 1), RelaySamples.change(2, 1, 2)]
            try bench.commit(key, all)
            _ = try bench.store.commit([unreadable(all[0])], to: key)
            try bench.commit(key, [RelaySamples.change(3, 1, 3)])
            var page = try bench.store.read(RelayReadRequest(start: 0), of: key)
            #expect(page.unreadable == [VersionMark(of: all[0])] && page.changes.count == 3)
            page = try bench.store.read(RelayReadRequest(start: 2), of: key)
            #expect(page.unreadable == [VersionMark(of: all[0])] && page.changes.count == 1)
            #expect(try bench.store.read(RelayReadRequest(start: 3), of: key).unreadable.isEmpty)
            let request = RelayReadRequest(start: 2, own: [3...3])
            #expect(try bench.store.read(request, of: key).unreadable.isEmpty)
            bench.store.limits.batchByteCountMax = 1
            page = try bench.store.read(RelayReadRequest(start: 0), of: key)
            #expect(page.through == 1 && page.unreadable.isEmpty)
            page = try bench.store.read(RelayReadRequest(start: 2), of: key)
            #expect(page.through == 4 && page.unreadable.count == 1)
            try bench.restart()
            page = try bench.store.read(RelayReadRequest(start: 2), of: try bench.enter().key)
            #expect(page.unreadable == [VersionMark(of: all[0])])
        },
        RelayStoreLaw("more unreadable versions than a message names come in several readings") {
            bench in
            let key = try bench.enter().key
            let count = WireLimits.unreadableCountMax + 5
            let all = (1...count).map { RelaySamples.change(UInt128($0), 1, UInt64($0)) }
            try bench.commit(key, all)
            let marks = all.map { VersionMark(of: $0) }
            _ = try bench.store.commit(
                [RelayStoreBench.uploadDone(.unreadable(marks), from: 2)], to: key)
            try bench.commit(key, [RelaySamples.change(UInt128(count + 1), 1, UInt64(count + 1))])
            var (found, start, changes): ([VersionMark], UInt64, Int) = ([], UInt64(count), 0)
            for _ in 0..<5 {
                let page = try bench.store.read(RelayReadRequest(start: start), of: key)
                #expect(page.unreadable.count <= WireLimits.unreadableCountMax)
                #expect(page.through > start)
                found += page.unreadable
                changes += page.changes.count
                start = page.through
                if page.isEnd { break }
            }
            #expect(found == marks && changes == 1)
            #expect(start == UInt64(2 * count + 1))
        },
    ]
}
