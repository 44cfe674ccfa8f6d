/// How a format knows again what went out in it.
///
/// A format that cannot say everything gives back less than went out. What comes back as it went out
/// was not edited there, and must not replace what we have; only what differs is an edit.
package struct FormatEcho {
    /// What the format's reader makes of a to-do that its writer wrote, in each form of the file.
    package let forms: (ToDoItem) -> [ToDoItem]
    /// What makes an entry the same one, in a format that keeps no ids; nil in one that does.
    package let key: ((ToDoItem) -> [UInt8])?

    /// A format's memory.
    package init(
        forms: @escaping (ToDoItem) -> [ToDoItem], key: ((ToDoItem) -> [UInt8])? = nil
    ) {
        self.forms = forms
        self.key = key
    }

    /// That of a format that loses nothing.
    package static var exact: FormatEcho { FormatEcho(forms: { _ in [] }) }
}
