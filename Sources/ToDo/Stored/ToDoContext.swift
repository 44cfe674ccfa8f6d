import Core
import Storage

/// The view whose filter holds on this device for lists and new to-dos, until another one is chosen.
///
/// The view syncs; which one is chosen stays in this store.
package struct ToDoContext: Sendable {
    /// The filter, or why there is none to hold.
    package enum State: Sendable {
        /// It holds.
        case holds(ToDoFilter)
        /// There is no view of the name; another device may have removed it.
        case missing
        /// The view has a filter that this program cannot read.
        case unreadable(SavedViewFault)
    }

    /// The name of the view.
    package let name: String
    /// The filter, or why there is none.
    package let state: State
    /// The words of the filter.
    package let words: [String]
    /// The tags that a new to-do gets.
    package private(set) var tags: [String] = []
    /// The project that a new to-do without one gets.
    package private(set) var project = ""
    /// The people that a new to-do without any gets.
    package private(set) var people: [String] = []
    /// The parts of the filter that a new to-do cannot be given, as they were written.
    package private(set) var partsLeft: [String] = []

    init(name: String, view: SavedView?, now: Int64, zone: LocalTimeZone, weekStart: Weekday) {
        self.name = name
        words = view?.words ?? []
        guard let view else {
            state = .missing
            return
        }
        do throws(SavedViewFault) {
            state = .holds(try view.filter(now: now, zone: zone, weekStart: weekStart))
        } catch {
            state = .unreadable(error)
            return
        }
        for part in (try? ToDoFilter.parts(of: words, now: now, zone: zone)) ?? [] {
            if !take(part) { partsLeft.append(part.text) }
        }
    }

    /// Takes a part that says what a to-do has.
    ///
    /// - Returns: whether it does.
    private mutating func take(_ part: ToDoFilter.Part) -> Bool {
        let before = self
        for condition in part.conditions {
            switch condition {
            case .tag(let tag):
                if !tags.contains(tag) { tags.append(tag) }
            case .project(let name) where !name.isEmpty && (project.isEmpty || project == name):
                project = name
            case .person(let name):
                if !people.contains(name) { people.append(name) }
            default:
                self = before
                return false
            }
        }
        return true
    }

    /// The filter; nil if none holds.
    package var filter: ToDoFilter? {
        if case .holds(let filter) = state { filter } else { nil }
    }

    /// Gives a new to-do what the filter says that its to-dos have; what it has already stays.
    ///
    /// - Parameter words: the words that were typed for it: a key with nothing behind it asks for none of that.
    /// - Returns: the context with no more than what was given; nil if that is nothing.
    package func apply(
        to item: inout ToDoItem, typed words: ToDoWords = ToDoWords()
    ) -> ToDoContext? {
        let before = item
        var given = self
        let asks = { (none: ToDoAssignment) in words.assignments.contains(none) }
        given.tags = asks(.tags([])) ? [] : tags.filter { !item.tags.contains($0) }
        if !item.project.isEmpty || asks(.project("")) { given.project = "" }
        if !item.people.isEmpty || asks(.people([])) { given.people = [] }
        for tag in given.tags { item.addTag(tag) }
        if !given.project.isEmpty { item.project = given.project }
        if !given.people.isEmpty { item.people = given.people }
        return item == before ? nil : given
    }
}

extension ToDoStore {
    private static let contextNamespace = "context"
    private static let contextKey = "name"

    /// The context that is chosen on this device; nil for none.
    ///
    /// - Parameter name: the one that counts instead; empty or `none` for none.
    package func context(
        insteadOfChosen name: String? = nil, weekStart: Weekday
    ) throws(StoreFault) -> ToDoContext? {
        var chosen = name
        if chosen == nil {
            chosen = try store.localMetadata(in: Self.contextNamespace)[Self.contextKey]
                .map { String(decoding: $0, as: UTF8.self) }
        }
        guard let chosen, !chosen.isEmpty, chosen != "none" else { return nil }
        return ToDoContext(
            name: SavedView.key(chosen), view: try savedView(named: chosen), now: now, zone: zone,
            weekStart: weekStart)
    }

    /// Chooses a context on this device; nil for none.
    package func choose(context name: String?) throws(StoreFault) {
        try store.edit { transaction throws(StoreFault) in
            try transaction.setLocalMetadata(
                name.map { Array(SavedView.key($0).utf8) }, named: Self.contextKey,
                in: Self.contextNamespace)
        }
    }
}
