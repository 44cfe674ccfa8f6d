import Storage
import Terminal
import ToDo

/// The message for a filter that matches nothing: the filter, and the nearest existing names.
struct NoMatch {
    /// The words of the filter, as they were typed.
    let words: [String]
    let filter: ToDoFilter
    /// Whether finished to-dos were looked at, too.
    let isAll: Bool
    let place: CommandContext

    /// The most names that are offered.
    private static let nameCountMax = 6

    /// The parts, the first of which says that nothing was found.
    func parts() throws -> [String] {
        guard !words.isEmpty else { return ["Nothing matches"] }
        var parts = ["Nothing matches \(words.joined(separator: " ").shownInLine)"]
        let glance = ToDoGlance(folder: place.store.paths.folder)
        for condition in filter.conditions {
            switch condition {
            case .project(let name) where !name.isEmpty:
                parts += try unknown("project", name, condition, glance?.projects(prefix: ""))
            case .tag(let name):
                parts += try unknown("tag", name, condition, glance?.tags(prefix: ""))
            case .person(let name):
                parts += try unknown("person", name, condition, glance?.people(prefix: ""))
            default: continue
            }
        }
        guard parts.count == 1 else { return parts }
        if filter.conditions.contains(where: { if case .text = $0 { true } else { false } }) {
            parts[0] += " in titles and notes"
        }
        if !isAll {
            let count = try place.todos.list(filter, pendingOnly: false, limit: Self.countMax).count
            if count > 0 { parts.append("finished: \(Self.counted(count)), see --all") }
        }
        let count = try place.todos.trashedCount(filter, limit: Self.countMax)
        if count > 0 { parts.append("in the trash: \(Self.counted(count)), see tandem trash") }
        return parts
    }

    /// The most to-dos that are counted elsewhere.
    private static let countMax = 1_000

    private static func counted(_ count: Int) -> String {
        count == countMax ? "many" : "\(count)"
    }

    /// Returns the message that no to-do has the name, with the existing names, the nearest first.
    private func unknown(
        _ kind: String, _ name: String, _ condition: ToDoFilter.Condition, _ known: [String]?
    ) throws -> [String] {
        let one = ToDoFilter([condition], weekStart: filter.weekStart)
        if try !place.todos.list(one, pendingOnly: false, limit: 1).isEmpty { return [] }
        let absence = "there is no \(kind) \(name.shownInLine)"
        guard let known, !known.isEmpty else { return [absence] }
        let plural = kind == "person" ? "people" : kind + "s"
        let shown = Self.nearest(name, among: known).prefix(Self.nameCountMax)
        let more = known.count > shown.count ? ", …" : ""
        return [
            absence, "\(plural): \(shown.map(\.shownInLine).joined(separator: ", "))\(more)",
        ]
    }

    /// The names, those first that the typed one may be a misspelling or a part of.
    private static func nearest(_ name: String, among known: [String]) -> [String] {
        let typed = name.lowercased()
        let misspelling = Spelling.suggestion(for: typed, among: known.map { $0.lowercased() })
        let near = known.filter { candidate in
            let candidate = candidate.lowercased()
            return candidate == misspelling || candidate.contains(typed)
                || typed.contains(candidate)
        }
        return near + known.filter { !near.contains($0) }
    }
}
