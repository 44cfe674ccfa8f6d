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

    /// A list without settings.
    package init(segment: String, project: String) {
        self.segment = segment
        self.project = project
    }

    /// The longest name, colour or order, in bytes.
    package static let textByteCountMax = 1_000
    /// The most lists that have settings.
    package static let countMax = 1_000

    private static let namespace = "gateway-list"

    /// The settings of all lists that have any, by segment.
    package static func all(in store: Store) throws(StoreFault) -> [String: ListSettings] {
        var found: [String: ListSettings] = [:]
        for (segment, bytes) in try store.localMetadata(in: namespace) {
            guard let value = JSONValue(compactText: String(decoding: bytes, as: UTF8.self)),
                let project = value["project"]?.asText
            else { continue }
            var settings = ListSettings(segment: segment, project: project)
            settings.displayName = value["name"]?.asText
            settings.color = value["color"]?.asText
            settings.order = value["order"]?.asText
            found[segment] = settings
        }
        return found
    }

    /// Keeps the settings.
    package func save(in transaction: Transaction) throws(StoreFault) {
        let members: [(String, String?)] = [
            ("project", project), ("name", displayName), ("color", color), ("order", order),
        ]
        let value = JSONValue.named(
            members.compactMap { name, text in text.map { (name, .text($0)) } })
        try transaction.setLocalMetadata(
            Array(value.compactText.utf8), named: segment, in: Self.namespace)
    }

    /// Forgets the settings of a list.
    package static func remove(_ segment: String, in transaction: Transaction) throws(StoreFault) {
        try transaction.setLocalMetadata(nil, named: segment, in: namespace)
    }
}

/// The projects of lists, and the segments of their paths.
package enum ListNames {
    /// The segment of the list of to-dos without a project.
    package static let inbox = "inbox"
    /// Begins the segment of a project whose name cannot be one, or is another list's.
    private static let mark = "~"

    /// The top-level project of a to-do: the part of its project before the first dot; empty for none.
    package static func topLevel(of project: String) -> String {
        String(project.prefix { $0 != "." })
    }

    /// The segment of a project's list, unless a client gave it another.
    package static func segment(ofProject project: String) -> String {
        if project.isEmpty { return inbox }
        let isOwn =
            project != inbox && !project.hasPrefix(mark) && GatewayResource.isSegment(project)
        return isOwn ? project : marked(project)
    }

    /// A segment that is no other project's.
    static func marked(_ project: String) -> String { mark + Hexadecimal.text(project.utf8) }

    /// The project of a segment that no client chose; nil if it can be none.
    static func project(ofSegment segment: String) -> String? {
        if segment == inbox { return "" }
        guard segment.hasPrefix(mark) else { return segment }
        return Hexadecimal.bytes(segment.dropFirst(mark.count))
            .flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// A project for a new list.
    ///
    /// - Parameters:
    ///   - name: the name that people see.
    ///   - taken: the projects that have a list.
    package static func project(named name: String, taken: Set<String>) -> String {
        let plain = name.split { $0.isWhitespace || $0.isNewline }.joined(separator: " ")
        // A dot parts the levels of projects.
        let base = String(plain.map { $0 == "." ? "-" : $0 })
        let first = base.isEmpty ? "List" : base
        if !taken.contains(first) { return first }
        var number = 2
        while taken.contains("\(first) \(number)") { number += 1 }
        return "\(first) \(number)"
    }
}
