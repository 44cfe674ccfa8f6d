import ToDo

/// A list of to-dos: the inbox, or a top-level project with all that is below it.
package struct ToDoList: Hashable, Sendable {
    /// The segment of its path.
    package let segment: String
    /// The top-level project; empty for the inbox.
    package let project: String
    /// The settings that clients made; without any, as the project says.
    package let settings: ListSettings

    /// The name that clients show.
    package var shownName: String {
        settings.displayName ?? (project.isEmpty ? "Inbox" : project)
    }
}

/// The lists of a store and the live to-dos in each, kept along with the store's changes.
///
/// - Complexity: the first look reads all to-dos, a later one what has changed since.
final class ListCatalog {
    private var projects: [RecordID: String] = [:]
    private var members: [String: Set<RecordID>] = [:]
    private var sequences: [RecordID: UInt64] = [:]
    /// The last arrival number at which a list of this project changed.
    private var changes: [String: UInt64] = [:]
    private var firstSequence: UInt64 = 0
    private var settings: [String: ListSettings] = [:]
    /// How far changes were taken note of; nil before the first look.
    private var position: ListLook.Position?

    /// Takes note of all that has changed.
    func refresh(_ todos: ToDoStore) throws(StoreFault) {
        let look = try todos.look(atListsAfter: position)
        if look.isWhole { (projects, members, sequences) = ([:], [:], [:]) }
        for record in look.todos { take(record) }
        if look.isWhole {
            changes = [:]
            firstSequence = look.position.sequence
        }
        settings = look.settings
        position = look.position
    }

    private func take(_ record: Record) {
        let id = record.id
        if let old = projects.removeValue(forKey: id) {
            members[old]?.remove(id)
            if members[old]?.isEmpty == true { members[old] = nil }
            changes[old] = record.sequence
        }
        sequences[id] = nil
        let project = Self.project(of: record)
        changes[project] = record.sequence
        guard record.standing == .live else { return }
        projects[id] = project
        members[project, default: []].insert(id)
        sequences[id] = record.sequence
    }

    /// The project of the list that a record is in, or was before it was deleted.
    static func project(of record: Record) -> String {
        ListNames.topLevel(of: record[ToDoSchema.Number.project]?.text ?? "")
    }

    // MARK: Lists

    /// All lists: the inbox, then the others by their projects.
    var lists: [ToDoList] {
        let all = Set(members.keys).union(settings.values.map(\.project)).subtracting([""])
        return ([""] + all.sorted()).map { list(ofProject: $0) }
    }

    /// The list of a path's segment; nil if there is none.
    func list(_ segment: String) -> ToDoList? {
        if let known = settings[segment] {
            return ToDoList(segment: segment, project: known.project, settings: known)
        }
        let project = ListNames.project(ofSegment: segment)
        guard let project, project.isEmpty || members[project] != nil else { return nil }
        let found = list(ofProject: project)
        return found.segment == segment ? found : nil
    }

    /// The list of a project's to-dos.
    func list(ofProject project: String) -> ToDoList {
        let known = settings.values.filter { $0.project == project }
            .min { $0.segment < $1.segment }
        var segment = known?.segment ?? ListNames.segment(ofProject: project)
        if known == nil, settings[segment] != nil { segment = ListNames.marked(project) }
        return ToDoList(
            segment: segment, project: project,
            settings: known ?? ListSettings(segment: segment, project: project))
    }

    /// The projects that have a list.
    var takenProjects: Set<String> {
        Set(members.keys).union(settings.values.map(\.project)).union([""])
    }

    /// Lists whose to-dos have the project again that the list had before it was renamed, as the rename was undone, with the
    /// settings of then; the same of an undo that was taken back.
    ///
    /// A list that has a to-do of its new project, and a former project that is another list's, stay as they are. Where
    /// nothing was undone, to-dos of a former project are in a list of that name: they may be somebody else's.
    func renamedBack(_ served: ServedToDos) throws(StoreFault) -> [ListSettings] {
        let empty = settings.values.filter { members[$0.project] == nil && !$0.formers.isEmpty }
        if empty.isEmpty { return [] }
        // Two lists may have had one name one after the other: the first of them by its path has it again.
        var taken = Set(settings.values.map(\.project))
        var found: [ListSettings] = []
        for known in empty.sorted(by: { $0.segment < $1.segment }) {
            guard let back = known.renamedBack, members[back.project] != nil,
                try served.isTakenBack(known), taken.insert(back.project).inserted
            else { continue }
            found.append(back)
        }
        return found
    }

    /// Whether a list has settings that are kept.
    func hasSettings(_ list: ToDoList) -> Bool { settings[list.segment] != nil }

    /// How many lists have settings.
    var settingsCount: Int { settings.count }

    // MARK: To-dos

    /// The live to-dos of a list, by their ids.
    func members(of list: ToDoList) -> [RecordID] { (members[list.project] ?? []).sorted() }

    /// Whether a live to-do is in a list.
    func contains(_ id: RecordID, in list: ToDoList) -> Bool { projects[id] == list.project }

    /// The list that a live to-do is in; nil if it is in none.
    func list(of id: RecordID) -> ToDoList? { projects[id].map { list(ofProject: $0) } }

    /// The arrival number of a live to-do's last change.
    func sequence(of id: RecordID) -> UInt64? { sequences[id] }

    /// The number that a list's tag is made of: it rises whenever a to-do comes, goes or changes.
    ///
    /// A change while no gateway ran counts for all lists.
    func changeNumber(of list: ToDoList) -> UInt64 {
        max(changes[list.project] ?? 0, firstSequence)
    }
}
