import Devices
import Terminal
import ToDo

/// The message for a filter that matches nothing: the filter, and the nearest existing names.
struct NoMatch {
    /// The words of the filter, as they were typed.
    let words: [String]
    let filter: ToDoFilter
    /// Whether finished to-dos were looked at, too.
    let isAll: Bool
    let context: CommandContext

    /// The most names that are offered.
    private static let nameCountMax = 6

    /// The parts, the first of which says that nothing was found.
    func parts() throws -> [String] {
        guard !words.isEmpty else { return ["Nothing matches"] }
        var parts = ["Nothing matches \(words.joined(separator: " ").shownInLine)"]
        let result = try context.todos.emptyResult(of: filter, isAll: isAll)
        if !result.unknownNames.isEmpty { return parts + result.unknownNames.flatMap(Self.words) }
        if filter.searchesText {
            parts[0] += " in titles and notes"
            parts += words.prefix { $0 != "--" }.compactMap(Self.ownField)
        }
        if let line = projects {
            parts.append("to list what is in a project, run: \(AdvisedLine.program) \(line)")
        }
        if result.finishedCount > 0 {
            parts.append("finished: \(Self.counted(result.finishedCount)), see --all")
        }
        if result.trashedCount > 0 {
            parts.append(
                "in the trash: \(Self.counted(result.trashedCount)), see \(AdvisedLine.program) trash"
            )
        }
        return parts
    }

    /// What is said of a word that may have been meant for a field of the user's own; nil for any other word.
    static func ownField(_ word: String) -> String? {
        ToDoFilter.ownFieldMeant(by: word).map {
            "for a field of your own, write: \($0.shownInLine)"
        }
    }

    /// The line that lists projects of which all words are the names; nil if they are not.
    private var projects: String? {
        let glance = ToDoGlance(folder: context.device.folder)
        guard let known = glance?.projects() else { return nil }
        let named = words.map { word in
            known.first { $0.lowercased() == word.lowercased() }.map { "project:" + $0 }
        }
        guard !named.contains(nil) else { return nil }
        let terms = named.compactMap(\.self).flatMap { [$0, "or"] }.dropLast()
        return "list " + SavedViewWords.words(ofFilter: Array(terms)).shownInLine
    }

    private static func counted(_ count: Int) -> String {
        count == EmptyResult.countMax ? "many" : "\(count)"
    }

    /// The refusal to change what a filter takes that leaves out what no to-do has, and was probably to leave out something.
    static func refusal(ofLeftOut unknown: UnknownName) -> CommandFailure {
        let meant = unknown.suggestion.map { "; did you mean \($0.shownInLine)?" } ?? ""
        let kind = unknown.kind.rawValue
        return CommandFailure(
            .usage,
            "there is no \(kind) \(unknown.name.shownInLine), so nothing would be left out by it; nothing was done"
                + meant)
    }

    /// Returns the message that no to-do has the name, with the existing names, the nearest first.
    static func words(_ unknown: UnknownName) -> [String] {
        let kind = unknown.kind.rawValue
        let absence = "there is no \(kind) \(unknown.name.shownInLine)"
        if unknown.known.isEmpty { return [absence] }
        let plural = unknown.kind == .person ? "people" : kind + "s"
        let shown = unknown.known.prefix(nameCountMax)
        let more = unknown.known.count > shown.count ? ", …" : ""
        return [
            absence, "\(plural): \(shown.map(\.shownInLine).joined(separator: ", "))\(more)",
        ]
    }
}
