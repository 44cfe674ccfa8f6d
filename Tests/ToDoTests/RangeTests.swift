import Core
import Storage
import Testing
import ToDo

@Suite("Ranges and lists of numbers")
struct RangeTests: NumberedToDos {
    let world: ToDoWorld
    let store: Store

    init() throws {
        world = try ToDoWorld(zone: try Fixed.berlin())
        store = try world.store("laptop")
    }

    @Test("a range names finished and deleted to-dos where a command is for these")
    func rangesOfOthers() throws {
        let all = try ["milk", "bread", "tea", "jam", "rice"].map(add)
        _ = naming("a").show(all)
        try finish(all[1])
        try finish(all[2])
        func titles(_ word: String, _ scope: ToDoNaming.Scope) throws -> [String] {
            try naming("a").find([word], in: scope).map { ToDoMapping.item($0).title }
        }
        #expect(try titles("1-3", .finished) == ["bread", "tea"])
        #expect(try titles("1-3", .any) == ["milk", "bread", "tea"])
        #expect(try titles("4-5", .finished) == ["jam", "rice"])
        #expect(throws: ToDoNameFault.self) { try titles("2-3", .alive) }
        _ = try world.todos(store).delete([all[3].id, all[4].id])
        #expect(try titles("1-5", .trash) == ["jam", "rice"])
        #expect(try titles("1-3", .trash) == ["milk"])
        // A terminal that was shown some of them does not pass over one that it was not shown.
        _ = naming("b").show([try again(all[1])])
        #expect(throws: ToDoNameFault.self) { try naming("b").find(["1-3"], in: .finished) }
        #expect(try naming("c").find(["1-2"], in: .any).count == 2)
    }

    @Test(
        "the end of a range may have more digits than any number has; an id has a hyphen elsewhere")
    func longRanges() throws {
        let milk = try add("milk")
        _ = naming("a").show([milk])
        for word in ["1-1000000", "1-99999999999", "1,1-1000000"] {
            #expect(try found([word], by: "a") == ["milk"])
        }
        #expect(
            ToDoName.read(["12345678-1234"]) == [.digits("123456781234", typed: "12345678-1234")])
        do {
            _ = try naming("a").find(["12ab-34"], in: .alive)
        } catch {
            guard case .nothing("12ab-34") = error else { throw error }
        }
    }

    @Test("a list of numbers takes the latest as well")
    func listsWithTheLatest() throws {
        let all = try ["milk", "bread", "tea"].map(add)
        _ = naming("a").show(all)
        naming("a").setLatest(all[2].id)
        for words in [["1,last"], ["1,", "last"], ["1-1,LAST"]] {
            #expect(try found(words, by: "a") == ["milk", "tea"], "\(words)")
        }
        #expect(ToDoName.isNumberOrLast("1-3,last") && !ToDoName.isNumberOrLast("1,lost"))
        #expect(throws: ToDoNameFault.self) { try naming("a").find(numberOrID: "1,last") }
    }

    @Test("a range names a to-do that is pending again, though its number was set free meanwhile")
    func rangeOfReopened() throws {
        let all = try ["milk", "bread", "tea"].map(add)
        _ = naming("a").show(all)
        try finish(all[1])
        _ = naming("b").show([try again(all[1])])
        _ = try world.todos(store).setStatus(.pending, of: [all[1].id])
        #expect(try found(["1-3"], by: "a") == ["milk", "bread", "tea"])
    }

    @Test("digits are a number and never words of a title, and an empty word names nothing")
    func noTitles() throws {
        for title in ["Buy 0.5 l cream", "1-0 for us", "a, b", "00 7", "- 0123456 -1"] {
            _ = try add(title)
        }
        for word in ["0", "00", "-1", "1-0", "0-1", "0,1", "0,", "0123456", "1000-0", "000000"] {
            let fault = #expect(throws: ToDoNameFault.self) { try found([word], by: "a") }
            guard case .noNumber? = fault else {
                Issue.record("\(word): \(String(describing: fault))")
                continue
            }
        }
        for words in [[""], [" "], ["-"], [","], ["", "cream"], ["1", ""], ["last", "\t"]] {
            let fault = #expect(throws: ToDoNameFault.self) { try found(words, by: "a") }
            guard case .empty? = fault else {
                Issue.record("\(words): \(String(describing: fault))")
                continue
            }
        }
        for word in ["1,,2", "1-", "last,,1", "1-2-3"] {
            let fault = #expect(throws: ToDoNameFault.self) { try found([word], by: "a") }
            guard case .incomplete(word)? = fault else {
                Issue.record("\(word): \(String(describing: fault))")
                continue
            }
        }
        #expect(try found(["0.5"], by: "a") == ["Buy 0.5 l cream"])
        #expect(try found(["Buy 0.5 l"], by: "a") == ["Buy 0.5 l cream"])
        #expect(throws: ToDoNameFault.self) { try naming("a").find(numberOrID: "0") }
    }

    @Test("a phrase finds a title as a list shows it, with one blank for a tab or several")
    func shownBlanks() throws {
        _ = try add("tab\tin  title")
        _ = try add("title in tab")
        for words in [["tab in title"], ["tab  in"], ["tab", "in title"], [" tab in "]] {
            #expect(try found(words, by: "a") == ["tab\tin  title"], "\(words)")
        }
        #expect(throws: ToDoNameFault.self) { try found(["tab title"], by: "a") }
    }
}
