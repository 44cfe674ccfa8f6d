import Testing
import ToDo

@Suite("The list of formats")
struct FormatRegistryTests {
    private func settings(_ options: [String: String] = [:]) -> FormatSettings {
        var settings = FormatSettings(zone: .utc, now: Fixed.now)
        settings.options = options
        return settings
    }

    @Test("no two formats share a name, and each is found by all of its names in any case")
    func names() {
        let names = ToDoFormats.all.flatMap { [$0.profile.name] + $0.profile.otherNames }
        #expect(Set(names).count == names.count)
        for format in ToDoFormats.all {
            for name in [format.profile.name] + format.profile.otherNames {
                #expect(ToDoFormats.named(name.uppercased())?.profile.name == format.profile.name)
            }
        }
        #expect(ToDoFormats.named("chronolyst") == nil)
    }

    @Test("a file's name tells its format, and its bytes where two formats end alike")
    func guesses() throws {
        func guess(_ name: String, _ text: String = "") -> String? {
            ToDoFormats.ofFile(name) { Array(text.utf8) }?.profile.name
        }
        #expect(guess("Tasks.JSON") == "taskwarrior")
        #expect(guess("a.jsonl") == "jsonl")
        #expect(guess("done.txt") == "todotxt")
        #expect(guess("a.csv", "title\r\na\r\n") == "csv")
        #expect(guess("a.csv", FormatSamples.todoistText) == "todoist")
        #expect(guess("notes.txt") == nil)
    }

    @Test("every format that is written reads back the titles of what it wrote")
    func roundTrips() throws {
        for type in ToDoFormats.written {
            let format = try type.init(settings())
            let items = FormatSamples.items.filter { $0.identifier != nil }
            let writing = try format.encode(items)
            let reading = try format.read(writing.bytes)
            #expect(reading.faults.isEmpty, "\(type.profile.name)")
            #expect(reading.items.map(\.title) == items.map(\.title), "\(type.profile.name)")
            #expect(reading.items.allSatisfy { $0.identifier != nil }, "\(type.profile.name)")
        }
    }

    @Test("a format that keeps every field says so, and no other does")
    func losses() throws {
        for type in ToDoFormats.written {
            let item = FormatSamples.items[0]
            let writing = try type.init(settings()).encode([item])
            if type.profile.losses.isEmpty { #expect(writing.losses.isEmpty) }
        }
    }

    @Test("a format that is only read names another to write, and refuses to")
    func readOnly() throws {
        for type in ToDoFormats.all {
            guard let other = type.profile.writtenAs else { continue }
            #expect(ToDoFormats.written.contains { $0.profile.name == other })
            let format = try type.init(settings())
            #expect(throws: FormatFault.self) { try format.encode([ToDoItem(title: "a")]) }
        }
    }

    @Test("an option that cannot be read is refused with its name")
    func options() {
        let error = #expect(throws: FormatOptionFault.self) {
            try CSVFormat(settings(["map": "Name=titel"]))
        }
        #expect(error?.option == "map")
        #expect(error?.description.contains("'title'") == true)
    }
}
