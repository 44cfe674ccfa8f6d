import Core
import Storage

extension String {
    /// A title as a line of a screen has it.
    package var shownTitle: String {
        // Most titles tell by their first letter that they are one.
        let isPlain = utf8.first.map { $0 > 0x20 && $0 < 0x7f } ?? false
        return isPlain || contains { !$0.isWhitespace }
            ? VisibleText.escaped(self) : ToDoItem.untitled
    }

    /// The title of a to-do that may be purged.
    package func shownTitle(as standing: RecordStanding) -> String {
        standing.isPurged && allSatisfy(\.isWhitespace)
            ? "(a purged to-do: its title is gone)" : shownTitle
    }
}

extension ToDoItem {
    /// The title as a line of a screen has it.
    package var shownTitle: String { title.shownTitle }
}

extension Record {
    /// The title of a to-do as a line of a screen has it; of a purged one it says why there is none.
    package var shownTitle: String { ToDoMapping.item(self).title.shownTitle(as: standing) }
}
