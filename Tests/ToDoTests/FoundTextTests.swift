import Testing
import ToDo

@Suite("Searched texts where they stand")
struct FoundTextTests {
    @Test(
        "a text is found as it stands there, whatever the case and the accents",
        arguments: [
            ("Buy a bike lock", ["BIKE"], "Buy a |bike| lock"),
            ("Ein Café am See", ["cafe"], "Ein |Café| am See"),
            ("Ein Cafe\u{301} am See", ["CAFÉ"], "Ein |Cafe\u{301}| am See"),
            ("Fahrradschloss", ["rad"], "Fahr|rad|schloss"), ("東京で会議", ["会議"], "東京で|会議|"),
            ("one two", ["two", "one"], "|one| two"), ("onetwo", ["one", "onet"], "|onet|wo"),
            ("line\n  and\tline", ["d l"], "line an|d l|ine"), ("👩‍👩‍👧 🎉", ["🎉"], "👩‍👩‍👧 |🎉|"),
            ("nothing", ["x"], nil), ("", ["x"], nil), ("any", [], nil), ("any", [""], nil),
        ] as [(String, [String], String?)])
    func finding(text: String, searched: [String], shown: String?) {
        let found = FoundText(of: searched, in: text)
        #expect(found.map { "\($0.before)|\($0.found)|\($0.after)" } == shown)
    }

    @Test("around a text there is as much as has room, and the text itself in any case")
    func cutting() throws {
        let notes =
            "Ask at the shop behind the station whether they have a bike lock that fits, and ask for the price"
        let found = try #require(FoundText(of: ["bike"], in: notes))
        #expect(found.cut(to: 200) { $0.count }.text == notes)
        for room in 0...110 {
            let cut = found.cut(to: room) { $0.count }
            #expect(cut.found == "bike")
            #expect(cut.text.count <= max(room, 4))
        }
        #expect(found.cut(to: 40) { $0.count }.text == "…have a bike lock that fits, and ask fo…")
        let early = try #require(FoundText(of: ["ask"], in: notes))
        #expect(early.cut(to: 20) { $0.count }.text == "Ask at the shop beh…")
        let late = try #require(FoundText(of: ["price"], in: notes))
        #expect(late.cut(to: 20) { $0.count }.text == "…ask for the price")
    }

    @Test("a text in parts is the text, with each place marked")
    func parts() {
        let parts = FoundText.parts(of: "Bike, bíke and BIKES", holding: ["bike"])
        #expect(parts.map(\.text) == ["Bike", ", ", "bíke", " and ", "BIKE", "S"])
        #expect(parts.map(\.isFound) == [true, false, true, false, true, false])
        #expect(FoundText.parts(of: "nothing", holding: ["x"]).map(\.text) == ["nothing"])
        #expect(FoundText.parts(of: "", holding: ["x"]).isEmpty)
        for text in ["é\u{301}\u{301}e", "\u{301}", "İ̇i", "\r\n\u{0}", "각가", "ﷺ"] {
            for searched in ["e", "i", "\n", "가", text] {
                let parts = FoundText.parts(of: text, holding: [searched])
                #expect(
                    parts.map(\.text).joined().unicodeScalars.elementsEqual(text.unicodeScalars))
            }
        }
    }

    @Test("what a filter wants to be there is what is marked")
    func searched() throws {
        func texts(_ words: String...) throws -> [String] {
            try ToDoFilter.parse(words, now: 0, zone: .utc).searchedTexts
        }
        #expect(try texts("bike", "or", "car") == ["bike", "car"])
        #expect(try texts("bike", "not", "car", "+tag") == ["bike"])
        #expect(try texts("title:bike", "notes:lock") == ["bike", "lock"])
        #expect(try texts("project:Home") == [])
    }
}
