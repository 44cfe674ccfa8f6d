import Core
import Storage
import TestSupport
import Testing
import ToDo

@Suite("A folder of iCalendar files, and chance")
struct FolderCrashTests {
    /// The values that both sides wrote into one to-do since the two were last in sync.
    private struct Since {
        var here: String?
        var there: String?
        var isDeletedHere = false
        var isDeletedThere = false
    }

    /// A random life of a store and a folder.
    private final class Life {
        let folder: FolderWorld
        var chance: SplitMix64
        var ids: [RecordID] = []
        var since: [RecordID: Since] = [:]
        var titles: [RecordID: String] = [:]
        var hasCrashed = false
        private var number = 0

        init(seed: UInt64) throws {
            folder = try FolderWorld(zone: .utc)
            chance = SplitMix64(seed: seed)
            for _ in 0..<4 {
                let title = next("begin")
                let id = try folder.add(title)
                ids.append(id)
                titles[id] = title
            }
        }

        func next(_ word: String) -> String {
            number += 1
            return "\(word)\(number)"
        }

        func editHere(_ id: RecordID) throws {
            guard try folder.todos.stored(id)?.verdict.isDeleted == false else { return }
            let title = next("here")
            try folder.edit(id) { $0.title = title }
            since[id, default: Since()].here = title
        }

        func editThere(_ id: RecordID) {
            let name = folder.name(id)
            guard let bytes = folder.files[name] else { return }
            let title = next("there")
            let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
                .map { $0.hasPrefix("SUMMARY:") ? "SUMMARY:\(title)" : String($0) }
            folder.files[name] = Array((lines.joined(separator: "\r\n") + "\r\n").utf8)
            since[id, default: Since()].there = title
        }

        func step() throws {
            let id = chance.pick(ids)
            switch chance.below(12) {
            case 0...2: try editHere(id)
            case 3...5: editThere(id)
            case 6:
                let isDeleted = try folder.todos.delete([id]).contains(id)
                if isDeleted { since[id, default: Since()].isDeletedHere = true }
            case 7 where folder.files.count > 2:
                if folder.files.removeValue(forKey: folder.name(id)) != nil {
                    since[id, default: Since()].isDeletedThere = true
                    // Deleting the file undoes the edits made in it.
                    since[id]?.there = nil
                }
            case 8...9:
                let isCrash = chance.chance(1, in: 2)
                hasCrashed = hasCrashed || isCrash
                let doneCount = isCrash ? chance.below(3) : nil
                try folder.look(
                    isForced: true, crashesAfter: doneCount,
                    meanwhile: { if self.chance.chance(1, in: 3) { self.editThere(id) } })
            default: break
            }
        }

        /// Brings both sides together.
        func settle() throws {
            for _ in 0..<6 {
                let report = try folder.look(isForced: true)
                if report.steps.isEmpty { return }
            }
            Issue.record("never at rest")
        }
    }

    private func values(_ id: RecordID, _ life: Life) throws -> Set<Value> {
        let stored = try #require(try life.folder.todos.stored(id))
        return Set(
            stored.record.candidates(of: .number(ToDoSchema.Number.title)).map(\.value))
    }

    private func check(_ life: Life, _ seed: UInt64) throws {
        for id in life.ids {
            let stored = try #require(try life.folder.todos.stored(id))
            let file = life.folder.files[life.folder.name(id)]
            #expect((file != nil) == !stored.verdict.isDeleted, "seed \(seed), \(id)")
            let found = try values(id, life)
            let title = ToDoMapping.item(stored).title
            if let file {
                let text = String(decoding: file, as: UTF8.self)
                #expect(text.contains("SUMMARY:\(title)\r\n"), "seed \(seed), \(id)")
            }
            guard let since = life.since[id] else { continue }
            for value in [since.here, since.there].compactMap({ $0 }) {
                // Each side's last word is there, unless the other had seen it.
                let other = value == since.here ? since.there : since.here
                let isKept =
                    found.contains(.text(value)) || other.map { found.contains(.text($0)) } == true
                #expect(isKept, "seed \(seed), \(id): \(value) is lost")
            }
            let isDeleted = since.isDeletedHere || since.isDeletedThere
            if isDeleted { #expect(stored.verdict.isDeleted, "seed \(seed), \(id)") }
            if !life.hasCrashed, !isDeleted, since.here == nil || since.there == nil {
                #expect(found.count == 1, "seed \(seed), \(id): no conflict")
            }
        }
    }

    // Goal: at rest both sides say the same, and nobody's last word is lost.
    // Method: random edits and deletes on both sides, looks that end at any step, and edits during a look.
    @Test("whatever happens on both sides, and wherever a look is cut, they come together")
    func random() throws {
        for seed in 1...UInt64(TestSettings.number("TANDEM_FOLDER_SEEDS") ?? 60) {
            let life = try Life(seed: seed)
            for _ in 0..<4 {
                for _ in 0..<12 { try life.step() }
                try life.settle()
                try check(life, seed)
                // Ended here, so that the next round begins with one value of each.
                for conflict in try life.folder.todos.conflicts() {
                    guard case .field(let field, let candidates) = conflict.kind else { continue }
                    let value = life.chance.pick(candidates.map(\.value))
                    try life.folder.todos.resolve(conflict.id, field, with: value)
                }
                try life.settle()
                life.since = [:]
                life.hasCrashed = false
            }
        }
    }

    // Goal: between two looks without a crash, what both sides wrote apart is all kept.
    // Method: one edit of the same field on each side, all orders, a crash of the first look at each place.
    @Test("two words of one field are both kept, wherever the look that finds them is cut")
    func bothKept() throws {
        for doneCount in [0, 1, nil] {
            for isEditedTwice in [false, true] {
                let life = try Life(seed: 1)
                let id = life.ids[0]
                try life.editHere(id)
                life.editThere(id)
                try life.folder.look(crashesAfter: doneCount)
                if isEditedTwice { try life.editHere(life.ids[1]) }
                try life.settle()
                let since = try #require(life.since[id])
                let wanted = [since.here, since.there].compactMap { $0 }.map { Value.text($0) }
                #expect(try values(id, life) == Set(wanted))
                #expect(try values(life.ids[1], life).count == 1)
            }
        }
    }
}
