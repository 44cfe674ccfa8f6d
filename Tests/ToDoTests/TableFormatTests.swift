import Testing
import ToDo

@Suite("Tables: our own and Todoist's")
struct TableFormatTests {
    private func csv(_ text: String) throws -> FormatReading {
        try CSVFormat(zone: try Fixed.berlin()).decode(Array(text.utf8))
    }

    @Test("our own table says everything and reads back")
    func lossless() throws {
        let items = FormatSamples.items
        let writing = try CSVFormat(zone: .utc).encode(items)
        #expect(writing.losses.isEmpty)
        #expect(try CSVFormat(zone: .utc).decode(writing.bytes).items == items)
        let text = String(decoding: writing.bytes, as: UTF8.self)
        #expect(text.hasPrefix("id,title,status,project,priority,due,"))
        #expect(text.contains("work,remind,except,x.note,x.size,x.when\r\n"))
        #expect(
            text.contains("\"Buy \"\"milk\"\", bread; é 🎉\",pending,Home.Shop,high,2026-12-01,"))
        #expect(text.contains(#",x y,5,"{""instant"":""2026-11-21T05:34:07Z""}""#))
        #expect(text.hasSuffix("\r\n"))
    }

    @Test("more custom names than columns go into one column")
    func manyNames() throws {
        var items: [ToDoItem] = []
        for number in 0...1_000 {
            var item = ToDoItem(title: "t")
            item.identifier = UInt128(number + 1)
            item.custom = ["n\(number)": .int(Int64(number))]
            items.append(item)
        }
        let writing = try CSVFormat(zone: .utc).encode(items)
        #expect(
            String(decoding: writing.bytes.prefix(400), as: UTF8.self).contains(
                ",work,remind,except,custom\r\n"))
        #expect(try CSVFormat(zone: .utc).decode(writing.bytes).items == items)
        #expect(writing.losses.isEmpty)
    }

    @Test("anybody's table with a title is read: own columns, local times, several tags")
    func foreign() throws {
        let reading = try csv(
            "Due,TITLE,Tags,Estimate,Status\n2026-12-01 10:00,\"a, b\",home; desk ;,1.5,done\n"
                + ",c,,,\n\n,c,,,\n")
        #expect(reading.faults.isEmpty)
        #expect(reading.items.map(\.title) == ["a, b", "c", "c"])
        #expect(reading.items[0].due == .instant(1_796_115_600_000))
        #expect(reading.items[0].tags == ["desk", "home"])
        #expect(reading.items[0].custom == ["Estimate": .double(1.5)])
        #expect(reading.items[0].status == .completed)
        let again = try csv("title\n\"a, b\"\nc\nc\n")
        #expect(again.items.map(\.identifier) == reading.items.map(\.identifier))
        #expect(Set(again.items.map(\.identifier)).count == 3)
    }

    @Test(
        "dates as people and spreadsheets write them",
        arguments: [
            ("25.12.2026", nil, "2026-12-25"), ("1.12.2026", nil, "2026-12-01"),
            ("12/25/2026", nil, "2026-12-25"), ("25/12/2026", nil, "2026-12-25"),
            ("2026/12/25", nil, "2026-12-25"), ("24.12.26", nil, "2026-12-24"),
            ("5/6/2026", .dayMonth, "2026-06-05"), ("5/6/2026", .monthDay, "2026-05-06"),
            ("25.12.2026 10:30", nil, "2026-12-25T09:30:00Z"),
            ("12/25/2026 5:00 PM", nil, "2026-12-25T16:00:00Z"),
            ("13/6/2026", .monthDay, nil), ("6/13/2026", .dayMonth, nil),
            ("5/5/2026", nil, "2026-05-05"),
            ("5/6/2026", nil, nil), ("25.12.", nil, nil), ("31.2.2026", nil, nil),
            ("12/25", nil, nil), ("1.2.3.4", nil, nil), ("tomorrow", nil, nil),
            ("+5.6.2026", nil, nil), ("5/-6/2026", nil, nil),
            ("Dec 25, 2026", nil, "2026-12-25"), ("25 December 2026", nil, "2026-12-25"),
            ("25-Dec-2026", nil, "2026-12-25"),
            ("Dec 25, 2026 5:00 PM", nil, "2026-12-25T16:00:00Z"),
            ("Dec 25", nil, nil), ("25 Dec", nil, nil), ("31 Feb 2026", nil, nil),
            ("Dec 2026", nil, nil),
        ] as [(String, DateOrder?, String?)])
    func writtenDates(cell: String, order: DateOrder?, expected: String?) throws {
        let format = CSVFormat(zone: try Fixed.berlin(), dateOrder: order)
        let reading = try format.decode(Array("title,due\nx,\"\(cell)\"\n".utf8))
        guard let expected else {
            #expect(reading.items.isEmpty && reading.faults.count == 1)
            return
        }
        #expect(reading.faults.isEmpty, "\(reading.faults)")
        let ours = try csv("title,due\nx,\(expected)\n")
        #expect(reading.items.map(\.due) == ours.items.map(\.due))
    }

    @Test(
        "columns of other names are what the map says, in any case, also of tables with semicolons")
    func mapped() throws {
        let map = try CSVColumnMap(" due date =Due, Name=title,a=b=x.ratio,Effort, about=notes")
        let format = CSVFormat(zone: try Fixed.berlin(), map: map)
        let reading = try format.decode(
            Array("NAME;Due Date;a=b;Effort;Effort, about\nPaint;2026-12-01;2;XL;A day\n".utf8))
        #expect(reading.faults.isEmpty)
        let item = try #require(reading.items.first)
        #expect(item.title == "Paint")
        #expect(item.notes == "A day")
        #expect(item.due == Fixed.day("2026-12-01"))
        #expect(item.custom == ["ratio": .int(2), "Effort": .text("XL")])
        #expect(reading.ownColumns == ["Effort"])
        #expect(
            reading.columnNames.map(\.here) == ["title", "due", "x.ratio", "x.Effort", "notes"])
        #expect(reading.columns == ["title", "due", "ratio", "Effort", "notes"])
        for (text, part) in [
            ("name;x\na;b\n", "'name', 'x'"),
            ("name;due date;a=b;title;Effort, about\na;;;b;\n", "'title'"),
        ] {
            do throws(FormatFault) {
                _ = try format.decode(Array(text.utf8))
                Issue.record("it was read")
            } catch {
                #expect(error.reason.contains(part), "\(error.reason)")
            }
        }
    }

    @Test(
        "a map that says nothing, or names a column that we have not, is refused",
        arguments: [
            ("", CSVColumnMapFault.noPair("")), ("Name", .noPair("Name")),
            ("Name,title", .noPair("Name,title")), ("Name=title,x", .noPair("x")),
            ("=title", .noPair("=title")),
            ("Name=", .noPair("Name=")), ("Name=titel", .unknownField("titel", "title")),
            ("Name=x.", .unknownField("x.", nil)), ("a=title,A=due", .twice("A")),
        ])
    func refusedMap(text: String, fault: CSVColumnMapFault) {
        #expect(throws: fault) { try CSVColumnMap(text) }
        #expect(!fault.description.isEmpty)
    }

    @Test("tags are parted by semicolons or commas, and one with a comma goes out whole")
    func tags() throws {
        let reading = try csv("title,tags,people\na,\"b,c\",\"Smith, John\"\nd,\"e, f;g\",\n")
        #expect(reading.items.map(\.tags) == [["b", "c"], ["e", "f", "g"]])
        #expect(reading.items[0].people == ["Smith, John"])
        var item = ToDoItem(title: "a")
        item.identifier = 1
        item.setTags(["a,b", "c"])
        let bytes = try CSVFormat(zone: .utc).encode([item]).bytes
        #expect(try CSVFormat(zone: .utc).decode(bytes).items == [item])
    }

    @Test("semicolons and tabs part cells, too, where the first row or a line in front says so")
    func separators() throws {
        for text in [
            "title;notes\r\na;\"b;c, d\"\r\n", "\"title\"\tnotes\na\tb;c, d\n",
            "sep=;\r\ntitle;notes\r\na;\"b;c, d\"\r\n", "notes;title\n\"b;c, d\";a\n",
            "\u{feff}Title;notes\na;\"b;c, d\"\n",
        ] {
            let reading = try csv(text)
            #expect(reading.items.map(\.title) == ["a"], "\(text)")
            #expect(reading.items.map(\.notes) == ["b;c, d"], "\(text)")
        }
        #expect(try csv("title,x;y\na,b\n").items[0].custom == ["x;y": .text("b")])
        #expect(try csv("sep=;\ntitle\n\nx").items.map(\.title) == ["x"])
        #expect(throws: FormatFault.self) { try csv("sep=") }
    }

    @Test("short rows, stray commas and blanks around names and dates refuse nothing")
    func untidy() throws {
        let short = try csv("title,due,notes\na\nb,2026-12-01\nc,2026-12-01,n\n")
        #expect(short.faults.isEmpty && short.losses.isEmpty)
        #expect(short.items.map(\.due) == [nil, .day(20_788), .day(20_788)])
        #expect(
            short.remarks.map(\.reason) == [
                "line 2 has 1 of 3 cells; the others are read as empty",
                "line 3 has 2 of 3 cells; the others are read as empty",
            ])
        for text in [
            "title,due\na,2026-12-01,\n", "title,due\na,2026-12-01,,,\n",
            "title,due,,\na,2026-12-01,,\n", "title,due,\na,2026-12-01\n",
            " title , due \na, 2026-12-01\n",
            "due ; title\n2026-12-01 ;a\n",
        ] {
            let reading = try csv(text)
            #expect(reading.faults.isEmpty && reading.losses.isEmpty, "\(text)")
            #expect(reading.remarks.isEmpty && reading.ownColumns.isEmpty, "\(text)")
            #expect(reading.items.map(\.title) == ["a"], "\(text)")
            #expect(reading.items.map(\.due) == [.day(20_788)], "\(text)")
            #expect(reading.items.map(\.custom) == [[:]], "\(text)")
        }
        // What would be lost is refused, or told.
        #expect(try csv("title,due\na,2026-12-01,more\n").faults.count == 1)
        let nameless = try csv("title,,\na,one,two\n")
        #expect(nameless.losses.map(\.reason) == ["left out, as it has no name: one; two"])
    }

    @Test("a priority that is none here is kept as a field, and told; a status has more words")
    func otherWords() throws {
        let reading = try csv("title,priority,status\na,1,open\nb,urgent,To Do\nc, High ,done\n")
        #expect(reading.faults.isEmpty && reading.losses.isEmpty)
        #expect(
            reading.items.map(\.custom) == [
                ["priority": .text("1")], ["priority": .text("urgent")], [:],
            ])
        #expect(reading.items.map(\.priority) == [.none, .none, .high])
        #expect(reading.items.map(\.status) == [.pending, .pending, .completed])
        #expect(
            reading.remarks.map(\.reason) == [
                "'1' in line 2 is none of none, low, medium, high; it is kept as x.priority",
                "'urgent' in line 3 is none of none, low, medium, high; it is kept as x.priority",
            ])
        // What decides whether it is done, or when it is due, is not guessed.
        #expect(try csv("title,status\na,perhaps\n").faults.count == 1)
        #expect(try csv("title,due\na,soon\n").faults.count == 1)
        #expect(try csv("title,priority,x.priority\na,urgent,7\n").faults.count == 1)
    }

    @Test("a table without a title, or with a column twice, is refused by its header")
    func headers() throws {
        for (text, name) in [("title,Title\n", "'title'"), ("title,a,x.a\n", "'a'")] {
            let fault = #expect(throws: FormatFault.self) { try csv(text) }
            #expect(fault?.line == 1 && fault?.entry == nil)
            #expect(fault?.reason.contains(name) == true)
        }
        // The error for a table with other column names lists the right ones.
        let fault = #expect(throws: FormatFault.self) { try csv("name,due\n") }
        let reason = try #require(fault?.reason)
        #expect(reason.contains("'name', 'due'; "))
        #expect(reason.contains(" id, title, status, project, "))
    }

    // MARK: Todoist

    private func todoist(
        _ rows: String, fileName: String = "Work [123].csv"
    ) throws -> FormatReading {
        let format = TodoistFormat(now: Fixed.now, zone: try Fixed.berlin(), fileName: fileName) {
            $0 == "UTC" ? .utc : nil
        }
        return try format.decode(Array(rows.utf8))
    }

    @Test("sections, indentation, labels, notes and people find their places")
    func todoist() throws {
        let reading = try todoist(FormatSamples.todoistText)
        #expect(reading.faults.isEmpty)
        let (basil, compost) = (reading.items[0], reading.items[1])
        #expect(basil.title == "Repot the basil")
        #expect(basil.tags == ["home"])
        #expect(basil.notes == "Terracotta, \"old\" pot")
        #expect(basil.project == "Work.Garden")
        #expect(basil.priority == .high)
        #expect(basil.people == ["Ann"])
        #expect(basil.due == Fixed.day("2026-10-05"))
        #expect(compost.parent == basil.identifier)
        #expect(compost.notes == "Peat-free")
        #expect(compost.repeats == "every 2 weeks after completion")
        #expect(
            compost.due == .instant(Fixed.instant("2026-11-21", 9, in: try Fixed.berlin())))
        #expect(reading.losses.map(\.field) == ["AUTHOR"])
        let again = try todoist(FormatSamples.todoistText)
        #expect(again.items.map(\.identifier) == reading.items.map(\.identifier))
        #expect(
            try todoist(FormatSamples.todoistText, fileName: "x.csv").items[0].project == "Garden")
    }

    @Test(
        "dates are read as people type them there, from Saturday 21 November 2026",
        arguments: [
            ("2026-12-01", "2026-12-01", ""), ("Dec 1 2026", "2026-12-01", ""),
            ("1 Dec", "2026-12-01", ""), ("tomorrow", "2026-11-22", ""),
            ("every day", "2026-11-21", "every day"), ("every fri", "2026-11-27", "every fri"),
            ("Every Friday", "2026-11-27", "every fri"),
            ("every fri until dec 31", "2026-11-27", "every fri until 2026-12-31"),
            ("every day ending 2027-01-01", "2026-11-21", "every day until 2027-01-01"),
            ("every sat", "2026-11-21", "every sat"),
            ("every! 3 days", "2026-11-21", "every 3 days after completion"),
            ("every other week", "2026-11-21", "every 2 weeks"),
            ("every mon, fri", "2026-11-23", "every mon, fri"),
            ("every weekday", "2026-11-23", "every mon, tue, wed, thu, fri"),
            ("every 27th", "2026-11-27", "every month"),
            ("every 2 months", "2026-11-21", "every 2 months"),
            ("every jan 27", "2027-01-27", "every year"),
            ("every week starting dec 1", "2026-12-01", "every week"),
            ("every 3rd friday", "2026-12-18", "every month on the 3rd fri"),
            ("every last fri", "2026-11-27", "every month on the last fri"),
        ])
    func todoistDates(text: String, day: String, repeats: String) throws {
        let reading = try todoist("TYPE,CONTENT,DATE\ntask,a,\"\(text)\"\n")
        #expect(reading.items[0].due == Fixed.day(day))
        #expect(reading.items[0].repeats == repeats)
        #expect(reading.losses.isEmpty)
        let timed = try todoist("TYPE,CONTENT,DATE,TIMEZONE\ntask,a,\"\(text) at 17:30\",UTC\n")
        #expect(timed.items[0].due == .instant(Fixed.instant(day, 17, 30, in: .utc)))
        #expect(timed.items[0].repeats == repeats)
    }

    @Test(
        "a date that is not understood is kept as text and told",
        arguments: ["jeden Montag", "every full moon", "2026-02-30", "every 32nd", "someday maybe"])
    func unknownDate(_ text: String) throws {
        let reading = try todoist("TYPE,CONTENT,DATE,DATE_LANG\ntask,a,\(text),\n")
        #expect(reading.items[0].due == nil)
        #expect(reading.items[0].repeats == "")
        #expect(reading.items[0].custom == ["date": .text(text)])
        #expect(reading.losses.map(\.field) == ["DATE"])
        #expect(
            reading.losses.map { $0.code as? TodoistReason } == [.dateKept(text, field: "date")])
    }

    @Test("a deadline is the due date, and the date is when it is planned")
    func deadline() throws {
        let item = try todoist(
            "TYPE,CONTENT,DATE,DEADLINE,DURATION,DURATION_UNIT\ntask,a,2026-12-01,2026-12-09,30,minute\n"
        ).items[0]
        #expect(item.scheduled == Fixed.day("2026-12-01"))
        #expect(item.due == Fixed.day("2026-12-09"))
        #expect(item.custom == ["duration": .text("30 minute")])
    }

    @Test("a bad row is told, and nothing below it becomes a part of another task")
    func badRows() throws {
        let reading = try todoist(
            """
            TYPE,CONTENT,PRIORITY,INDENT
            task,good,4,1
            task,bad,9,1
            task,below,4,2
            note,orphan? no: of below,,
            task,deep,4,500
            note,of deep,,
            dream,x,,
            """)
        #expect(reading.items.map(\.title) == ["good", "below"])
        #expect(reading.items.map(\.parent) == [nil, nil])
        #expect(reading.items.map(\.notes) == ["", "orphan? no: of below"])
        #expect(reading.faults.map(\.line) == [3, 6, 7, 8])
        for (fault, figure) in zip(reading.faults, ["'9'", "'500'", " ", "'dream'"]) {
            #expect(fault.reason.contains(figure))
        }
    }
}
