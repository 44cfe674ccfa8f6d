import Core
import Storage

/// Why a filter takes nothing: names that no to-do has, and where to-dos that it takes are instead.
package struct EmptyResult: Sendable {
    /// A name in a filter that no to-do has.
    package struct UnknownName: Sendable {
        /// The field of the name.
        package enum Kind: String, Sendable {
            /// A project.
            case project
            /// A tag.
            case tag
            /// A person.
            case person
        }

        /// The field.
        package let kind: Kind
        /// The name, as it was typed.
        package let name: String
        /// The names that to-dos have, those first that the typed one may be a misspelling or a part of.
        package let known: [String]
    }

    /// The names that no to-do has; all that is told if there are any.
    package internal(set) var unknownNames: [UnknownName] = []
    /// How many finished to-dos the filter takes; 0 if they were looked at.
    package internal(set) var finishedCount = 0
    /// How many to-dos in the trash the filter takes.
    package internal(set) var trashedCount = 0

    /// The most to-dos that are counted.
    package static let countMax = 1_000
}

extension ToDoStore {
    /// Returns why a filter takes nothing.
    ///
    /// - Parameter isAll: whether finished to-dos were looked at, too.
    package func emptyResult(
        of filter: ToDoFilter, isAll: Bool
    ) throws(StoreFault) -> EmptyResult {
        var result = EmptyResult()
        let glance = ToDoGlance(folder: store.paths.folder)
        for condition in filter.conditions {
            let (kind, name, known): (EmptyResult.UnknownName.Kind, String, [String]?)
            switch condition {
            case .project(let project) where !project.isEmpty:
                (kind, name, known) = (.project, project, glance?.projects(prefix: ""))
            case .tag(let tag): (kind, name, known) = (.tag, tag, glance?.tags(prefix: ""))
            case .person(let person):
                (kind, name, known) = (.person, person, glance?.people(prefix: ""))
            default: continue
            }
            let one = ToDoFilter([condition], weekStart: filter.weekStart)
            guard try list(one, pendingOnly: false, limit: 1).isEmpty else { continue }
            result.unknownNames.append(
                EmptyResult.UnknownName(
                    kind: kind, name: name, known: Self.nearestFirst(name, among: known ?? [])))
        }
        guard result.unknownNames.isEmpty else { return result }
        if !isAll {
            // Of those that are pending there is none.
            let (filter, predicate, isExact) = try question(filter, pendingOnly: false)
            result.finishedCount = try pages(
                .and([.not(Self.pending), predicate]), Self.order, limit: EmptyResult.countMax
            ) { page throws(StoreFault) in
                isExact ? page : try matching(page, filter)
            }.count
        }
        result.trashedCount = try trashedCount(filter, limit: EmptyResult.countMax)
        return result
    }

    private static func nearestFirst(_ name: String, among known: [String]) -> [String] {
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
