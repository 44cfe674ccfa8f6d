import Core
import Storage
import Testing
import ToDo

@Suite("Changes of other programs")
struct ApplyingChangesTests {
    private let world: ToDoWorld
    private let store: Store

    init() throws {
        world = try ToDoWorld(zone: try Fixed.berlin())
        store = try world.store("laptop")
    }

    private func apply(
        _ lines: String..., rehearses: Bool = false, to store: Store? = nil
    ) throws -> [AppliedChange] {
        let changes = try ToDoChange.read(Array(lines.joined(separator: "\n").utf8))
        return try world.todos(store ?? self.store).apply(changes, rehearses: rehearses) {
            name throws(ToDoNameFault) in
            throw .several(name, [], hasMore: false)
        }
    }

    private func item(_ id: RecordID) throws -> ToDoItem {
        ToDoMapping.item(try #require(try store.record(id)))
    }

    private func fault(_ lines: String...) -> ToDoChangeFault? {
        do throws(ToDoChangeFault) {
            let changes = try ToDoChange.read(Array(lines.joined(separator: "\n").utf8))
            _ = try world.todos(store).apply(changes) { name throws(ToDoNameFault) in
                throw .several(name, [], hasMore: false)
            }
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "lines make, change, finish, delete and restore to-dos; the same lines again change nothing"
    )
    func lines() throws {
        let id = "00000000-0000-4000-8000-000000000007"
        let lines = [
            #"{"key":"a","kind":"insert","item":{"id":"\#(id)","title":"milk","due":"2026-12-01","tags":["x"],"custom":{"n":1,"m":2}}}"#,
            #"{"key":"b","kind":"update","id":"\#(id)","item":{"notes":"two","due":null,"custom":{"n":null,"o":3}}}"#,
            #"{"key":"c","kind":"update","item":{"id":"\#(id)","status":"completed"}}"#,
            #"{"key":"d","kind":"delete","id":"\#(id)"}"#,
            #"{"key":"e","kind":"restore","id":"\#(id)"}"#,
            #"{"key":"f","kind":"restore","id":"\#(id)"}"#,
        ]
        let results = try apply(lines.joined(separator: "\n"))
        #expect(
            results.map(\.outcome)
                == [.inserted, .updated, .updated, .deleted, .restored, .unchanged])
        let found = try item(results[0].id)
        #expect(found.title == "milk" && found.notes == "two" && found.due == nil)
        #expect(
            found.tags == ["x"] && found.status == .completed && found.completions == [world.now])
        #expect(found.custom == ["m": .int(2), "o": .int(3)] && found.created == world.now)
        let sequence = store.sequence
        #expect(
            try apply(lines.joined(separator: "\n")).allSatisfy { $0.outcome == .known })
        #expect(store.sequence == sequence)
        // One undo takes back all of it.
        #expect(try store.localChanges(limit: 9).count == 1)
    }

    @Test("a new to-do without an id gets the same one on every device from its key")
    func derived() throws {
        let line = #"{"key":"mail-7","kind":"insert","item":{"title":"milk"}}"#
        let id = try #require(try apply(line).first?.id)
        let phone = try world.store("phone")
        #expect(try apply(line, to: phone).map(\.id) == [id])
        try world.meet(store, phone)
        #expect(try world.todos(store).counts().pending == 1)
        // Also where the key was forgotten.
        try store.edit { transaction throws(StoreFault) in
            try transaction.setLocalMetadata(nil, named: "mail-7", in: "applied-changes")
        }
        #expect(try apply(line).map(\.outcome) == [.known])
    }

    @Test("a rehearsal has the results of doing it, and writes nothing")
    func rehearsal() throws {
        let line = #"{"key":"a","kind":"insert","item":{"title":"milk"}}"#
        let sequence = store.sequence
        #expect(try apply(line, rehearses: true).map(\.outcome) == [.inserted])
        #expect(try store.sequence == sequence && world.todos(store).counts().pending == 0)
        #expect(try apply(line).map(\.outcome) == [.inserted])
    }

    @Test("finishing a repeating to-do makes the next one, and making it pending takes that back")
    func repeating() throws {
        let made = try apply(
            #"{"key":"a","kind":"insert","item":{"title":"water","due":"2026-12-01","repeat":"every week"}}"#
        )
        let id = made[0].id
        _ = try apply(
            #"{"key":"b","kind":"update","id":"\#(id.uuidText)","item":{"status":"completed"}}"#)
        #expect(try world.todos(store).counts().pending == 1)
        _ = try apply(
            #"{"key":"c","kind":"update","id":"\#(id.uuidText)","item":{"status":"pending"}}"#)
        #expect(try world.todos(store).counts().pending == 1)
        #expect(try item(id).status == .pending && item(id).completions.isEmpty)
    }

    @Test("a wrong line is named by its number, and nothing of any line is written")
    func wrong() throws {
        let good = #"{"key":"a","kind":"insert","item":{"title":"milk"}}"#
        let id = try #require(try apply(good).first?.id).uuidText
        let sequence = store.sequence
        let bad = [
            "nonsense", "[]", #"{"kind":"insert","item":{"title":"x"}}"#,
            #"{"key":"","kind":"insert","item":{"title":"x"}}"#,
            #"{"key":"\#(String(repeating: "k", count: ToDoChange.keyByteCountMax + 1))","kind":"delete","id":"\#(id)"}"#,
            #"{"key":"b","kind":"upsert","item":{"title":"x"}}"#, #"{"key":"b","kind":"insert"}"#,
            #"{"key":"b","kind":"insert","item":{}}"#,
            #"{"key":"b","kind":"update","item":{"title":"x"}}"#,
            #"{"key":"b","kind":"insert","item":{"title":"x","dew":"2026-12-01"}}"#,
            #"{"key":"b","kind":"insert","item":{"title":"x"},"when":1}"#,
            #"{"key":"b","kind":"insert","item":{"title":"x","due":"tomorrow"}}"#,
            #"{"key":"b","kind":"update","id":"\#(id)","item":{"title":null}}"#,
            #"{"key":"b","kind":"update","id":"\#(id)","item":{"parent":"\#(id)"}}"#,
            #"{"key":"b","kind":"update","id":"00000000-0000-4000-8000-000000000001","item":{}}"#,
            #"{"key":"b","kind":"update","id":"oat milk","item":{}}"#,
        ]
        for line in bad {
            let first = #"{"key":"c","kind":"insert","item":{"title":"bread"}}"#
            #expect(fault(first, "", line)?.line == 3, "\(line)")
            #expect(store.sequence == sequence, "\(line)")
        }
        _ = try apply(#"{"key":"d","kind":"delete","id":"\#(id)"}"#)
        #expect(
            fault(#"{"key":"e","kind":"update","id":"\#(id)","item":{"notes":"x"}}"#)?.line == 1)
    }

    @Test(
        "more lines than the limit are refused, and keys beyond theirs forgotten, the oldest first")
    func limits() throws {
        let line = #"{"key":"K","kind":"insert","item":{"title":"x"}}"#
        let lines = Array(repeating: line, count: ToDoChange.lineCountMax)
        #expect(try ToDoChange.read(Array(lines.joined(separator: "\n").utf8)).count == lines.count)
        #expect(throws: ToDoChangeFault.self) {
            try ToDoChange.read(Array((lines + [line]).joined(separator: "\n").utf8))
        }
        // The same key in one input counts once.
        #expect(try apply(line, line).map(\.outcome) == [.inserted, .known])
        // All later than K, and earlier than L.
        let later = (0..<8).map { UInt8(truncatingIfNeeded: (world.now + 500) >> (56 - 8 * $0)) }
        world.now += 1000
        try store.edit { transaction throws(StoreFault) in
            for number in 0..<ToDoStore.appliedKeyCountMax {
                try transaction.setLocalMetadata(
                    later, named: "\(number)", in: "applied-changes")
            }
        }
        _ = try apply(#"{"key":"L","kind":"insert","item":{"title":"y"}}"#)
        let known = try store.localMetadata(in: "applied-changes")
        #expect(known.count == ToDoStore.appliedKeyCountMax && known["L"] != nil)
        #expect(known["K"] == nil)
    }

    @Test("a to-do that would wait for itself, also through another, is refused")
    func circles() throws {
        let a = "00000000-0000-7000-8000-00000000000a", b = "00000000-0000-7000-8000-00000000000b"
        func line(_ kind: String, _ id: String, _ depends: String) -> String {
            #"{"key":"\#(kind)\#(id)\#(depends)","kind":"\#(kind)","id":"\#(id)","#
                + #""item":{"title":"t","depends":["\#(depends)"]}}"#
        }
        guard case .circle? = fault(line("insert", a, a))?.code else {
            Issue.record("it waits for itself")
            return
        }
        // One that is made later may be waited for.
        #expect(fault(line("insert", a, b)) == nil)
        let circle = try #require(
            fault(
                #"{"key":"b","kind":"insert","id":"\#(b)","item":{"title":"t"}}"#,
                line("update", b, a)))
        guard case .circle = circle.code else { throw circle }
        #expect(circle.line == 2)
    }

    @Test("lines without anything are passed over, however many they are")
    func emptyLines() throws {
        let lines = String(repeating: "\n", count: 300_000)
        let made = try apply(lines + #"{"key":"e","kind":"insert","item":{"title":"y"}}"#)
        #expect(made.map(\.change.line) == [300_001])
    }

    @Test("one key for two changes is refused, and one change twice is not")
    func keysTwice() throws {
        let line = #"{"key":"z","kind":"insert","item":{"title":"y"}}"#
        let other = #"{"key":"z","kind":"insert","item":{"title":"x"}}"#
        #expect(fault(line, line) == nil)
        let found = try #require(fault(line, other))
        #expect(found.line == 2)
        guard case .keyTwice(1) = found.code else { throw found }
        for list in ["[", "[\(line)]", "[\(line),"] {
            guard case .noObject? = fault(list)?.code else { throw found }
        }
        guard case .badJSON? = fault("{\"key\":")?.code else { throw found }
    }

    @Test("the lines of a watch are taken as they are, its first passed over")
    func watched() throws {
        let id = "00000000-0000-4000-8000-000000000009"
        let results = try apply(
            #"{"number":0,"kind":"begin","time":"2026-11-21T05:34:07Z"}"#,
            #"{"number":1,"kind":"insert","time":"2026-11-21T05:34:08Z","changes":[],"item":{"tandem":1,"id":"\#(id)","title":"a","status":"pending","created":"2026-11-20T00:00:00Z","modified":"2026-11-21T00:00:00Z"}}"#,
            #"{"number":2,"kind":"update","time":"2026-11-21T05:34:09Z","changes":[{}],"item":{"tandem":1,"id":"\#(id)","title":"b","status":"pending"}}"#,
            #"{"number":3,"kind":"delete","time":"2026-11-21T05:34:10Z","changes":[],"item":{"tandem":1,"id":"\#(id)","title":"b","status":"pending","deleted":true,"standing":"trash"}}"#
        )
        #expect(results.map(\.outcome) == [.inserted, .updated, .deleted])
        #expect(results.map(\.title).last == "b")
    }
}
