import Core
import Storage

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
        /// A field of the user's own.
        case field
    }

    /// The field.
    package let kind: Kind
    /// The name, as it was typed.
    package let name: String
    /// The names that to-dos have, those first that the typed one may be a misspelling or a part of.
    package let known: [String]
    /// The one of them that was probably meant; nil if none is near.
    package let suggestion: String?

    fileprivate init(_ kind: Kind, _ name: String, among known: [String]) {
        let typed = name.lowercased()
        var known = known
        // A computed tag is in capitals, and no to-do has it among its tags.
        if kind == .tag, let computed = Self.computedTag(near: typed) {
            known.insert(computed, at: 0)
        }
        let suggestion =
            known.first { $0.lowercased() == typed }
            ?? Spelling.suggestion(for: typed, among: known.map { $0.lowercased() }).flatMap {
                meant in known.first { $0.lowercased() == meant }
            }
            ?? known.first { kind == .project && Self.isPart(typed, of: $0) }
        let near = known.filter { candidate in
            let other = candidate.lowercased()
            return candidate == suggestion || other.contains(typed) || typed.contains(other)
        }
        self.kind = kind
        self.name = name
        self.known = near + known.filter { !near.contains($0) }
        self.suggestion = suggestion
    }

    private static func computedTag(near typed: String) -> String? {
        let words = ToDoVirtualTag.words
        let word = words.contains(typed) ? typed : Spelling.suggestion(for: typed, among: words)
        return word?.uppercased()
    }

    /// Whether a project stands below others: `Garden` in `Home.Garden`.
    private static func isPart(_ typed: String, of project: String) -> Bool {
        project.lowercased().split(separator: ".").contains(typed[...])
    }
}

extension ToDoStore {
    /// The names that a filter leaves out and no to-do has, so that they leave out nothing.
    package func unknownNames(leftOutBy filter: ToDoFilter) throws(StoreFault) -> [UnknownName] {
        var found: [UnknownName] = []
        for condition in filter.leftOut {
            if let unknown = try unknownName(in: condition, .alive) { found.append(unknown) }
        }
        return found
    }

    /// The name in a condition that no to-do has; nil if some has it, or the condition has no name.
    ///
    /// - Parameter scope: the to-dos whose names are the known ones.
    func unknownName(
        in condition: ToDoFilter.Condition, _ scope: ToDoGlance.Scope
    ) throws(StoreFault) -> UnknownName? {
        let (kind, name): (UnknownName.Kind, String)
        switch condition {
        case .project(let project) where !project.isEmpty: (kind, name) = (.project, project)
        case .tag(let tag): (kind, name) = (.tag, tag)
        case .person(let person): (kind, name) = (.person, person)
        case .custom(let field, .some), .customCompare(let field, _, _):
            (kind, name) = (.field, field)
        default: return nil
        }
        guard try !isKnown(name, kind, condition) else { return nil }
        let glance = ToDoGlance(folder: store.paths.folder)
        let known =
            switch kind {
            case .project: glance?.projects(prefix: "", scope)
            case .tag: glance?.tags(prefix: "", scope)
            case .person: glance?.people(prefix: "", scope)
            case .field: glance?.customNames(prefix: "")
            }
        return UnknownName(kind, name, among: known ?? [])
    }

    /// Whether a to-do has the name; pending ones are asked first, as they are few.
    private func isKnown(
        _ name: String, _ kind: UnknownName.Kind, _ condition: ToDoFilter.Condition
    ) throws(StoreFault) -> Bool {
        for pendingOnly in [true, false] {
            var (filter, predicate, isExact) = try question(
                ToDoFilter([condition]), pendingOnly: pendingOnly)
            if kind == .field {
                // Any value of the field will do.
                let having = FetchPredicate.not(.absent(.custom(name)))
                (predicate, isExact) = (
                    pendingOnly ? .and([Self.pending, having]) : having, true
                )
            }
            let found = try pages(predicate, [], limit: 1) { page throws(StoreFault) in
                isExact ? page : try matching(page, filter)
            }
            if !found.isEmpty { return true }
        }
        return false
    }
}

extension ToDoFilter {
    /// The conditions that stand below a `not`.
    fileprivate var leftOut: [Condition] {
        conditions.flatMap { Self.leaves($0, isBelowNot: false) }
    }

    private static func leaves(_ condition: Condition, isBelowNot: Bool) -> [Condition] {
        switch condition {
        case .not(let inner): leaves(inner, isBelowNot: true)
        case .all(let parts), .any(let parts):
            parts.flatMap { leaves($0, isBelowNot: isBelowNot) }
        default: isBelowNot ? [condition] : []
        }
    }
}
