import Core
import Storage
import Testing
import ToDo

@Suite("Numbers and ids beside words of a title")
struct MixedNameTests: NumberedToDos {
    let world: ToDoWorld
    let store: Store

    init() throws {
        world = try ToDoWorld(zone: try Fixed.berlin())
        store = try world.store("laptop")
    }

    /// Adds to-dos and shows them to reader `a` with numbers from 1; the last one is its latest.
    private func fill(_ titles: String...) throws {
        let all = try titles.map(add)
        #expect(naming("a").show(all) == Array(1...all.count))
        naming("a").setLatest(all[all.count - 1].id)
    }

    private func add(_ title: String, id: UInt128) throws {
        var item = ToDoItem(title: title)
        item.identifier = id
        _ = try world.todos(store).add(item)
    }

    private func mixed(_ words: [String]) throws -> MixedNames? {
        do {
            let found = try found(words, by: "a")
            Issue.record("\(words) named \(found)")
            return nil
        } catch let fault as ToDoNameFault {
            guard case .mixed(let mixed) = fault else { throw fault }
            return mixed
        }
    }

    private func titles(_ records: [Record]) -> [String] {
        records.map { ToDoMapping.item($0).title }
    }

    @Test(
        "words of one title are that to-do and no other, though a number, a range, last or an id is among them",
        arguments: [
            (["get", "2", "apples"], "Get 2 apples"), (["send", "form", "1"], "Send form 1"),
            (["1-3", "pages"], "1-3 pages"), (["last", "will"], "last will"),

            (["last", "2", "pears"], "last 2 pears"), (["coke", "0"], "Coke 0"),
            (["1,", "milk"], "1, milk"),
            (["eat", "beef"], "Eat beef"), (["1", "to", "3"], "1 to 3"),
            (["1", "-", "3"], "1 - 3"),
        ] as [([String], String)])
    func oneTitle(words: [String], title: String) throws {
        try fill(
            "Get 2 apples", "Send form 1", "1-3 pages", "last will", "last 2 pears", "Coke 0",
            "1, milk",
            "Eat beef", "1 to 3", "1 - 3", "Move 1 to 3", "Get 2 apples and pears")
        try add("Imported", id: 0xaabb_ccdd_0000_7000_8000_0000_0000_beef)
        #expect(try found(words, by: "a") == [title])
    }

    @Test("numbers and words of a title that are meant as two name none, and each is told")
    func two() throws {
        try fill("Bread", "Buy milk", "Milk 12 l", "Tea")
        for words in [["1", "tea"], ["tea", "1"], ["1,", "tea"], ["1-1", "tea"]] {
            let mixed = try #require(try mixed(words))
            #expect(
                titles(mixed.numbered) == ["Bread"] && titles(mixed.titled) == ["Tea"], "\(words)")
            #expect(mixed.range == nil && !mixed.isList)
        }
        // A number inside another one is no word of a title.
        let several = try #require(try mixed(["1", "milk"]))
        #expect(Set(titles(several.titled)) == ["Buy milk", "Milk 12 l"])
        #expect(try titles(#require(try mixed(["last", "milk"])).numbered) == ["Tea"])
        #expect(try #require(try mixed(["9", "nothing"])).numbered.isEmpty)
        let list = try #require(try mixed(["1", "and", "2"]))
        #expect(list.isList && titles(list.numbered) == ["Bread", "Buy milk"])
        try finish(try #require(try naming("a").find(["3"], in: .alive).first))
        #expect(
            try found(["12", "milk"], by: "a") == ["Milk 12 l"], "a finished one has the words")
    }

    @Test(
        "several titles that have all the words name none by themselves, unless one is the whole of them"
    )
    func severalTitles() throws {
        try fill("Send form 1", "Send form 1 again", "Form 1 to send")
        #expect(try found(["send", "form", "1"], by: "a") == ["Send form 1"])
        let fault = #expect(throws: ToDoNameFault.self) { try found(["form", "1"], by: "a") }
        guard case .several(_, let found, hasMore: false)? = fault else {
            Issue.record("\(String(describing: fault))")
            return
        }
        #expect(found.count == 3)
    }

    @Test("what is typed for a range names none, and the range is told")
    func ranges() throws {
        try fill("Bread", "Walk to town", "Move 1 to 3")
        for words in [
            ["1", "to", "3"], ["3", "through", "1"], ["1", "-", "3"], ["1", "–", "3"], ["1..3"],
            ["1–3"],
        ] {
            #expect(try #require(try mixed(words)).range == 1...3, "\(words)")
        }
        for words in [["1", "to"], ["to", "1", "3"], ["1..3", "x"], ["1.3"], ["a..b"], ["1-3"]] {
            #expect(ToDoName.rangeMeant(by: words) == nil, "\(words)")
        }
        _ = try add("pages 1..3")
        #expect(try found(["1..3"], by: "a") == ["pages 1..3"])
    }

    @Test(
        "a word that may be an id is a word of a title first, and where both are there neither is meant"
    )
    func hexadecimalWords() throws {
        try fill("Eat beef", "Visit the cafe", "Facebook")
        #expect(try found(["beef"], by: "a") == ["Eat beef"])
        #expect(try found(["cafe", "visit"], by: "a") == ["Visit the cafe"])
        for (end, word) in [(0xbeef, "beef"), (0xcafe, "cafe"), (0xface, "FACE")]
            as [(UInt128, String)]
        {
            try add("Imported \(end)", id: 0xaabb_ccdd_0000_7000_8000_0000_0000_0000 + end)
            let fault = #expect(throws: ToDoNameFault.self) { try found([word], by: "a") }
            guard case .several(_, let found, hasMore: false)? = fault else {
                Issue.record("\(word): \(String(describing: fault))")
                continue
            }
            #expect(found.count == 2, "\(word)")
        }
        try add("Alone", id: 0xaabb_ccdd_0000_7000_8000_0000_0000_dead)
        #expect(try found(["dead"], by: "a") == ["Alone"], "no title has it")
        #expect(try found(["dead", "1"], by: "a") == ["Alone", "Eat beef"])
        #expect(try titles(#require(try mixed(["beef", "1"])).titled) == ["Eat beef"])
        // One word of a title and one of another are not two to-dos.
        #expect(throws: ToDoNameFault.self) { try found(["beef", "cafe"], by: "a") }
        // Eight digits with a number among them are no word.
        _ = try add("0000dead")
        #expect(try found(["0000dead"], by: "a") == ["Alone"])
    }
}
