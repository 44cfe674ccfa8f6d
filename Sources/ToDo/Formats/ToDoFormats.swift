/// The formats that files come and go in: a new one is a line here.
package enum ToDoFormats {
    /// All formats; the first is our own.
    package static let all: [any ToDoFormat.Type] = [
        JSONLinesFormat.self, TaskwarriorFormat.self, ICalendarFormat.self, TodoTextFormat.self,
        CSVFormat.self, TodoistFormat.self, ChronoListFormat.self,
    ]

    /// Our own format, which keeps every field.
    package static let own: any ToDoFormat.Type = JSONLinesFormat.self

    /// The formats that are written.
    package static let written = all.filter { $0.profile.writtenAs == nil }

    /// The kinds of files, each once.
    package static let families = unique(all.map { $0.profile.family })

    /// The format of a name, in any case; nil if there is none.
    package static func named(_ word: String) -> (any ToDoFormat.Type)? {
        let name = word.lowercased()
        return all.first { $0.profile.name == name || $0.profile.otherNames.contains(name) }
    }

    /// The format that a file's name tells, and its first bytes where two formats end alike; nil if it
    /// tells none.
    package static func ofFile(
        _ fileName: String, bytes: () throws -> [UInt8]
    ) rethrows -> (any ToDoFormat.Type)? {
        let name = fileName.lowercased()
        let candidates = all.filter { $0.profile.nameEndings.contains { name.hasSuffix($0) } }
        for candidate in candidates {
            guard let recognizes = candidate.profile.recognizes else { continue }
            if recognizes(try bytes()) { return candidate }
        }
        return candidates.first { $0.profile.recognizes == nil }
    }

    /// The options of all formats that reading takes, each once.
    package static let readOptions = unique(all.flatMap { $0.profile.readOptions })

    /// The options of all formats that writing takes, each once.
    package static let writeOptions = unique(written.flatMap { $0.profile.writeOptions })

    private static func unique<Element: Hashable>(_ elements: [Element]) -> [Element] {
        var seen: Set<Element> = []
        return elements.filter { seen.insert($0).inserted }
    }
}
