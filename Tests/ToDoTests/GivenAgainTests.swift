import Core
import Storage
import Testing
import ToDo

@Suite("Numbers that were given again")
struct GivenAgainTests: NumberedToDos {
    let world: ToDoWorld
    let store: Store
    private let day: Int64 = 86_400_000

    init() throws {
        world = try ToDoWorld(zone: try Fixed.berlin())
        store = try world.store("laptop")
    }

    @Test(
        "a number that was given again means nothing to a reader of before, until it is shown the new owner",
        arguments: [nil, 0] as [Int64?])
    func givenAgain(began: Int64?) throws {
        func reader(_ name: String, _ began: Int64?) -> ToDoNaming {
            ToDoNaming(world.todos(store), reader: name, began: began)
        }
        let first = try add("Important first")
        #expect(reader("a", began).show([first]) == [1])
        try finish(first)
        #expect(naming("b").show([try add("bread")]) == [2])
        let many = try (0..<ToDoNumbers.shownCountMax).map { try add("\($0)") }
        // More than is remembered of what `a` was shown.
        _ = reader("a", began).show(many)
        world.now += 2 * day
        let new = try add("New")
        #expect(naming("b").show([new]) == [1])
        for words in [["1"], ["1-2"]] {
            do {
                _ = try reader("a", began).find(words, in: .alive)
                Issue.record("a number that was given again named its new owner")
            } catch {
                guard case .changed(1, let shown, let now) = error else { throw error }
                #expect(shown?.id == first.id && now?.id == new.id)
            }
        }
        #expect(reader("a", began).show([new]) == [1])
        #expect(try reader("a", began).find(["1"], in: .alive).map(\.id) == [new.id])
        // One that began since was shown nothing else, nor one that is not known; one that was forgotten may have been.
        #expect(try reader("c", world.now + 1).find(["1"], in: .alive).map(\.id) == [new.id])
        #expect(try reader("d", nil).find(["1"], in: .alive).map(\.id) == [new.id])
        #expect(throws: ToDoNameFault.self) { try reader("e", 0).find(["1"], in: .alive) }
    }
}
