import Core
import Storage
import TestSupport
import Testing
import ToDo

@Suite("Clients, devices, and chance")
struct ServedRandomTests {
    private typealias Number = ToDoSchema.Number

    /// Words that people typed, and who knew of which: a model that shares no rule with the merge.
    private struct Words {
        /// The words that the author of each had seen, by field.
        private var seen: [UInt32: [String: Set<String>]] = [:]

        mutating func type(_ word: String, in field: UInt32, knowing known: Set<String>) {
            seen[field, default: [:]][word] = known
        }

        /// The words that nobody has replaced who had seen them.
        func last(_ field: UInt32, among there: Set<String>) -> Set<String> {
            let replaced = there.reduce(into: Set<String>()) {
                $0.formUnion(seen[field]?[$1] ?? [])
            }
            return there.subtracting(replaced)
        }
    }

    /// A program with a copy of the to-do.
    private struct Program {
        enum Kind: CaseIterable {
            /// It keeps what it does not know.
            case keeping
            /// It drops what it does not know.
            case dropping
            /// It made its file itself, and never takes over another text.
            case ownFile
        }

        let kind: Kind
        let client: ServedClient
        var values: [UInt32: String] = [:]
        /// The words that it knows of, by field.
        var known: [UInt32: Set<String>] = [:]
        /// The fields that somebody typed in since it put its text.
        var changed: Set<UInt32> = []
        var seen: String?
        var tags: [String] = []
        var lastText: (text: String, ifMatch: [String]?)?

        func text() -> String {
            let lines = values.sorted { $0.key < $1.key }.map { field, value in
                "\(ServedRandomTests.properties[field] ?? ""):\(value)"
            }
            return ServedWorld.text(
                "to-do", lines + (seen.map { ["X-TANDEM-SEEN:\($0)"] } ?? []))
        }
    }

    private static let properties = [
        Number.title: "SUMMARY", Number.notes: "DESCRIPTION", Number.location: "LOCATION",
    ]
    private static let fields = properties.keys.sorted()

    private final class Life {
        let world: ServedWorld
        var chance: SplitMix64
        var words = Words()
        var known: [String: [UInt32: Set<String>]] = ["gateway": [:], "phone": [:]]
        var programs: [Program] = []
        let id: RecordID
        private var number = 0
        let comment: String

        init(seed: UInt64) throws {
            world = try ServedWorld()
            chance = SplitMix64(seed: seed)
            var maker = Program(
                kind: .ownFile, client: ServedClient(identifier: "own", name: "own"))
            for field in ServedRandomTests.fields { maker.values[field] = "begin\(field)" }
            let made = try world.put("x.ics", maker.text(), isNew: true, by: maker.client)
            id = try #require(made.document?.identifier)
            comment = "seed \(seed)"
            programs = [maker]
            for field in ServedRandomTests.fields {
                words.type("begin\(field)", in: field, knowing: [])
                for device in ["gateway", "phone"] { known[device]?[field] = ["begin\(field)"] }
                programs[0].known[field] = ["begin\(field)"]
            }
            for kind in Program.Kind.allCases where kind != .ownFile {
                let client = ServedClient(identifier: "\(kind)", name: "\(kind)")
                programs.append(Program(kind: kind, client: client))
                try get(programs.count - 1)
            }
            try world.meet()
        }

        private func word(_ author: String) -> String {
            number += 1
            return "\(author)\(number)"
        }

        func candidates(_ field: UInt32) throws -> Set<String> {
            Set(try world.values(field, id).compactMap(\.text))
        }

        func editAtDevice(_ device: String) throws {
            world.world.now += 1_000
            let todos = world.world.todos(device == "phone" ? world.phone : world.gateway)
            let field = chance.pick(ServedRandomTests.fields)
            let old = ToDoMapping.item(try #require(try todos.stored(id)))
            var new = old
            let word = word(device)
            switch field {
            case Number.title: new.title = word
            case Number.notes: new.notes = word
            default: new.location = word
            }
            _ = try todos.edit(id, from: old, to: new)
            // It replaces all that is there only where nothing else stands beside.
            words.type(word, in: field, knowing: known[device]?[field] ?? [])
            known[device]?[field, default: []].insert(word)
        }

        func sync() throws {
            try world.meet()
            for field in ServedRandomTests.fields {
                let all = (known["gateway"]?[field] ?? []).union(known["phone"]?[field] ?? [])
                for device in ["gateway", "phone"] { known[device]?[field] = all }
            }
        }

        func get(_ index: Int) throws {
            // One that drops what it does not know takes over whatever it reads: nothing tells else what it has.
            if programs[index].kind == .dropping, !programs[index].changed.isEmpty { return }
            let document = try world.get(id, by: programs[index].client)
            programs[index].tags.append(document.tag)
            let isTaken = programs[index].kind != .ownFile && programs[index].changed.isEmpty
            guard isTaken else { return }
            let lines = document.text.split(separator: "\r\n")
            for field in ServedRandomTests.fields {
                let name = ServedRandomTests.properties[field] ?? ""
                let line = lines.first { $0.hasPrefix(name + ":") }
                programs[index].values[field] = line.map { String($0.dropFirst(name.count + 1)) }
            }
            if programs[index].kind == .keeping {
                let line = lines.first { $0.hasPrefix("X-TANDEM-SEEN:") }
                programs[index].seen = line.map { String($0.dropFirst(14)) }
            }
            programs[index].known = known["gateway"] ?? [:]
        }

        func type(_ index: Int) {
            let field = chance.pick(ServedRandomTests.fields)
            programs[index].values[field] = word("\(programs[index].kind)")
            programs[index].changed.insert(field)
        }

        func put(_ index: Int) throws {
            let program = programs[index]
            if program.changed.isEmpty && chance.chance(2, in: 3) { return }
            var ifMatch: [String]?
            switch chance.below(4) {
            case 0: ifMatch = program.tags.last.map { [$0] }
            case 1 where !program.tags.isEmpty:
                ifMatch = [chance.pick(program.tags.suffix(4).map { $0 })]
            case 2: ifMatch = ["*"]
            default: break
            }
            let text = program.text()
            var before: [UInt32: Set<String>] = [:]
            for field in ServedRandomTests.fields { before[field] = try candidates(field) }
            let outcome = try world.put("x.ics", text, ifMatch: ifMatch, by: program.client)
            #expect(outcome.refusal == nil, "\(comment): \(program.kind) \(ifMatch ?? [])")
            for field in ServedRandomTests.fields {
                let after = try candidates(field)
                guard program.changed.contains(field), let word = program.values[field] else {
                    #expect(after == before[field], "\(comment): \(program.kind) \(field)")
                    continue
                }
                #expect(after.contains(word), "\(comment): \(program.kind) \(word)")
                words.type(word, in: field, knowing: program.known[field] ?? [])
                programs[index].known[field, default: []].insert(word)
                known["gateway"]?[field, default: []].insert(word)
            }
            programs[index].changed = []
            programs[index].lastText = (text, ifMatch)
        }

        /// The last text arrives once more, late.
        func retry(_ index: Int) throws {
            guard let (text, ifMatch) = programs[index].lastText else { return }
            let before = try world.stored(id).record
            try world.put("x.ics", text, ifMatch: ifMatch, by: programs[index].client)
            #expect(try world.stored(id).record == before, "\(comment): a retry")
        }

        func step() throws {
            let index = chance.below(programs.count)
            switch chance.below(12) {
            case 0...1: try editAtDevice("phone")
            case 2: try editAtDevice("gateway")
            case 3...4: try sync()
            case 5...6: try get(index)
            case 7...8: type(index)
            case 9...10: try put(index)
            default: try retry(index)
            }
        }

        func check() throws {
            for field in ServedRandomTests.fields {
                let there = try candidates(field)
                let last = words.last(field, among: known["gateway"]?[field] ?? [])
                #expect(
                    last.isSubset(of: there), "\(comment): \(last) in \(field), but \(there)")
            }
        }
    }

    // Goal: no word that somebody typed goes without somebody who had seen it, and no program writes what nobody typed in it.
    // Method: three programs, each with a text of its own age, put with any condition and late, two devices write and sync;
    // a model tells which words have to be there.
    @Test(
        "no word is lost that nobody replaced who had seen it, and none is written that nobody typed"
    )
    func random() throws {
        for seed in 1...UInt64(TestSettings.number("TANDEM_SERVED_SEEDS") ?? 40) {
            let life = try Life(seed: seed)
            for _ in 0..<40 {
                try life.step()
                try life.check()
            }
            try life.sync()
            try life.check()
        }
    }
}
