import Core
import TestSupport
import Testing

@Suite("Edits by somebody who had seen less")
struct SeenEditTests {
    private let fields: [Field] = [
        .number(2), .number(3), .custom("note"), .element(.number(4), text: "x"),
    ]

    private func editor(_ policy: DeletePolicy, _ time: Int64) -> LocalEdit {
        LocalEdit(policy: policy, timestamp: HybridTimestamp(rawValue: UInt64(time) << 16))
    }

    private func assignments(_ chance: inout SplitMix64) -> [Assignment] {
        let chosen = fields.filter { _ in chance.chance(1, in: 2) }.sorted()
        return chosen.map { field in
            if field.isElement { return Assignment(field, .bool(true)) }
            return Assignment(field, chance.pick([.null, .text("a"), .text("b"), .text("c")]))
        }
    }

    private struct World {
        var base = RecordState()
        var here = RecordState()
        var own = LocalEdit.DotSource(replica: ReplicaID(value: 1), counter: 0)
        var other = LocalEdit.DotSource(replica: ReplicaID(value: 2), counter: 0)
    }

    /// A record that somebody saw, and what became of it here since.
    private func world(_ policy: DeletePolicy, _ chance: inout SplitMix64) -> World {
        var world = World()
        for step in 0..<1 + chance.below(3) {
            let edit = editor(policy, Int64(step))
            let saved = try? edit.save(assignments(&chance), to: world.base, dots: &world.own)
            world.base = (saved ?? nil) ?? world.base
        }
        world.here = world.base
        // Some of the seen writes may be from a clock that is ahead.
        let isAhead = chance.chance(1, in: 2)
        if isAhead { addBeside(&world, policy, &chance) }
        for step in 0..<chance.below(4) {
            let edit = editor(policy, Int64(10 + step))
            var dots = chance.chance(1, in: 2) ? world.own : world.other
            let changed =
                chance.chance(1, in: 5)
                ? try? edit.delete(world.here, dots: &dots)
                : try? edit.save(assignments(&chance), to: world.here, dots: &dots)
            world.here = (changed ?? nil) ?? world.here
            if dots.replica == world.own.replica { world.own = dots } else { world.other = dots }
        }
        return world
    }

    /// Adds a fourth device's values to what was seen, and writes to what is here that had not seen these.
    private func addBeside(
        _ world: inout World, _ policy: DeletePolicy, _ chance: inout SplitMix64
    ) {
        var fourth = LocalEdit.DotSource(replica: ReplicaID(value: 4), counter: 0)
        let theirs = try? editor(policy, 50).save(
            assignments(&chance), to: world.base, dots: &fourth)
        let unseen = try? editor(policy, 5).save(
            assignments(&chance), to: world.base, dots: &world.other)
        world.base = (theirs ?? nil) ?? world.base
        world.here = RecordMerge.merged(world.base, (unseen ?? nil) ?? world.base)
    }

    private func check(
        _ found: RecordState, _ wanted: RecordState, _ policy: DeletePolicy, _ seed: Int
    ) {
        #expect(found.isWellFormed, "seed \(seed)")
        for field in fields {
            #expect(
                Set(found.candidates(of: field).map(\.value))
                    == Set(wanted.candidates(of: field).map(\.value)), "seed \(seed), \(field)")
        }
        let rule = DeletionRule(policy)
        #expect(
            rule.verdict(on: found).isDeleted == rule.verdict(on: wanted).isDeleted, "seed \(seed)")
        #expect(
            rule.verdict(on: found).isContested == rule.verdict(on: wanted).isContested,
            "seed \(seed)")
    }

    // Goal: a file's edit is no other than a device's.
    // Method: the same edit on a third device that has the seen writes, merged, against the edit
    // here.
    @Test("they come to what the same edit on another device comes to, merged")
    func sameAsMerged() throws {
        for seed in 1...2_000 {
            var chance = SplitMix64(seed: UInt64(seed))
            let policy = chance.pick(DeletePolicy.allCases)
            var world = world(policy, &chance)
            if world.base.isEmpty { continue }
            let edit = editor(policy, 100)
            var theirs = LocalEdit.DotSource(replica: ReplicaID(value: 3), counter: 0)
            let isDelete = chance.chance(1, in: 3)
            // The values that differ from the seen ones, as a three-way comparison finds them.
            let changes = assignments(&chance).filter {
                world.base.visible($0.field) ?? .null != $0.value
            }
            let there =
                isDelete
                ? try edit.delete(world.base, dots: &theirs)
                : edit.save(changes, to: world.base, seen: world.base.clock, dots: &theirs)
            let merged = RecordMerge.merged(world.here, there ?? world.base)
            func take(_ record: RecordState) throws -> RecordState? {
                isDelete
                    ? try edit.delete(record, seen: world.base.clock, dots: &world.own)
                    : edit.save(changes, to: record, seen: world.base.clock, dots: &world.own)
            }
            let found = try take(world.here) ?? world.here
            if isDelete, DeletionRule(policy).verdict(on: world.here).isDeleted {
                // Two deletes at once: the file is gone either way.
                continue
            }
            check(found, merged, policy, seed)
            if isDelete {
                for field in fields {
                    #expect(found.visible(field) == merged.visible(field), "seed \(seed), \(field)")
                }
            }
            if !isDelete { #expect(try take(found) == nil, "seed \(seed): again") }
        }
    }
}
