import ToDo

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
