import Core
import JSON
import Storage

/// The facts about a list that its to-dos do not say: those that clients set.
///
/// They are in the local metadata of this device and do not sync: another gateway has its own.
package struct ListSettings: Hashable, Sendable {
    /// The segment of the list's path.
    package var segment: String
    /// The top-level project of its to-dos; empty for the inbox.
    package var project: String
    /// The name that clients show; nil for the project's.
    package var displayName: String?
    /// The colour, as the client wrote it: `#FF2968FF`.
    package var color: String?
    /// The place among the lists, as the client wrote it: a number.
    package var order: String?
    /// The projects that the list had before it was renamed, the latest last.
    package var formers: [Former] = []

    /// A project that a list had before, with the name that clients showed for it.
    package struct Former: Hashable, Sendable {
        /// The top-level project.
        package var project: String
        /// The name that clients showed; nil for the project's.
        package var displayName: String?
        /// The change of this device by which the list came from it to the next; nil if that changed no to-do.
        package var change: HybridTimestamp?
        /// Whether it did as that change was undone, and not as it was made or done again.
        package var isByUndo = false

        /// A project and its name.
        package init(project: String, displayName: String?) {
            self.project = project
            self.displayName = displayName
        }
    }

    /// A list without settings.
    package init(segment: String, project: String) {
        self.segment = segment
        self.project = project
    }

    /// The longest name, colour or order, in bytes.
    package static let textByteCountMax = 1_000
    /// The most lists that have settings.
    package static let countMax = 1_000
    /// The most former projects of a list that are remembered.
    package static let formerCountMax = 8

    private static let namespace = "gateway-list"

    // MARK: Another project

    /// The settings of the list once it has another project.
    ///
    /// - Parameter name: the name that clients show for it.
    package func renamed(to project: String, showing name: String) -> ListSettings {
        renamed(to: Former(project: project, displayName: name == project ? nil : name))
    }

    /// The settings of the list once it has the project again that it had last before.
    ///
    /// - Returns: nil if it never had another one.
    package var renamedBack: ListSettings? {
        guard let last = formers.last else { return nil }
        var settings = renamed(to: last)
        settings.noteRename(by: last.change, isByUndo: !last.isByUndo)
        return settings
    }

    /// Keeps by which change the list came to its present project.
    fileprivate mutating func noteRename(by change: HybridTimestamp?, isByUndo: Bool) {
        guard let last = formers.indices.last else { return }
        formers[last].change = change
        formers[last].isByUndo = isByUndo
    }

    private func renamed(to new: Former) -> ListSettings {
        var settings = self
        settings.formers.removeAll { $0.project == project || $0.project == new.project }
        settings.formers.append(Former(project: project, displayName: displayName))
        settings.formers = settings.formers.suffix(Self.formerCountMax)
        (settings.project, settings.displayName) = (new.project, new.displayName)
        return settings
    }

    // MARK: As a local metadata

    /// The settings of all lists that have any, by segment.
    static func all(in store: Store) throws(StoreFault) -> [String: ListSettings] {
        var found: [String: ListSettings] = [:]
        for (segment, bytes) in try store.localMetadata(in: namespace) {
            guard let value = JSONValue(compactText: String(decoding: bytes, as: UTF8.self)),
                let former = Former(value)
            else { continue }
            var settings = ListSettings(segment: segment, project: former.project)
            settings.displayName = former.displayName
            settings.color = value["color"]?.asText
            settings.order = value["order"]?.asText
            settings.formers = (value["before"]?.asList ?? []).compactMap { Former($0) }
            found[segment] = settings
        }
        return found
    }

    fileprivate func save(in transaction: Transaction) throws(StoreFault) {
        var members = Former(project: project, displayName: displayName).members
        if let color { members.append(("color", .text(color))) }
        if let order { members.append(("order", .text(order))) }
        if !formers.isEmpty {
            members.append(("before", .array(formers.map { .named($0.members) })))
        }
        try transaction.setLocalMetadata(
            Array(JSONValue.named(members).compactText.utf8), named: segment, in: Self.namespace)
    }

    fileprivate static func remove(
        _ segment: String, in transaction: Transaction
    ) throws(StoreFault) {
        try transaction.setLocalMetadata(nil, named: segment, in: namespace)
    }
}

extension ListSettings.Former {
    fileprivate init?(_ value: JSONValue) {
        guard let project = value["project"]?.asText else { return nil }
        self.init(project: project, displayName: value["name"]?.asText)
        change = value["change"]?.asText.flatMap { UInt64($0) }
            .map { HybridTimestamp(rawValue: $0) }
        isByUndo = value["undo"] != nil
    }

    fileprivate var members: [(String, JSONValue)] {
        var members: [(String, JSONValue)] = [("project", .text(project))]
        if let displayName { members.append(("name", .text(displayName))) }
        if let change { members.append(("change", .text(String(change.rawValue)))) }
        if isByUndo { members.append(("undo", .bool(true))) }
        return members
    }
}

/// Lists as clients change them.
extension ServedToDos {
    /// Keeps the settings of a list.
    package func keep(_ settings: ListSettings) throws(StoreFault) {
        try edit { transaction throws(StoreFault) in
            try settings.save(in: transaction)
        }
    }

    /// Gives the to-dos of a list the project that its settings have now, and keeps those, all as one change.
    ///
    /// A to-do of `Home.shop` in a list that becomes `House` is one of `House.shop` then. The client has seen these writes:
    /// they do not stand against what it does with a text from before.
    ///
    /// - Parameters:
    ///   - settings: those that the list has from now on.
    ///   - old: the top-level project that the to-dos have; those with another one are left as they are.
    package func rename(
        _ identifiers: [RecordID], to settings: ListSettings, from old: String
    ) throws(StoreFault) {
        try edit { transaction throws(StoreFault) in
            var change: HybridTimestamp?
            for id in identifiers {
                guard let stored = try transaction.record(id), stored.standing == .live else {
                    continue
                }
                let before = try todos.item(stored)
                var item = before
                Self.follow(&item.project, from: [old], to: settings.project)
                if item.project == before.project { continue }
                change = transaction.timestamp
                let assignments = ToDoMapping.assignments(from: before, to: item)
                if try memory(id) == nil {
                    _ = try transaction.update(id, assignments)
                } else {
                    try write(assignments, stored, transaction) { memory in
                        memory.moveLists(to: settings.project)
                    }
                }
            }
            var settings = settings
            settings.noteRename(by: change, isByUndo: false)
            try settings.save(in: transaction)
        }
    }

    /// Whether the change by which a list came to its present project has been taken back since: by an undo, or by a redo
    /// where an undo brought the list there.
    ///
    /// A change that the journal does not know is no evidence.
    package func isTakenBack(_ settings: ListSettings) throws(StoreFault) -> Bool {
        guard let last = settings.formers.last, let change = last.change else { return false }
        return try todos.store.isUndone(change) == !last.isByUndo
    }

    /// Puts the to-dos of a list in the trash and forgets its settings, all as one change.
    package func deleteList(
        _ segment: String, with identifiers: [RecordID]
    ) throws(StoreFault) {
        try edit { transaction throws(StoreFault) in
            for id in identifiers { _ = try transaction.delete(id) }
            try ListSettings.remove(segment, in: transaction)
        }
        try noteGone(identifiers)
    }

    /// Puts a project that is in one of some lists into another one, on the same level below.
    static func follow(_ project: inout String, from formers: Set<String>, to list: String) {
        guard !list.isEmpty, let top = self.list(of: project), formers.contains(top) else { return }
        project = list + project.dropFirst(top.count)
    }
}
