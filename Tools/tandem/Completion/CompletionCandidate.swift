import Terminal
import ToDo

/// A word that may be meant, and what a person is told of it.
struct CompletionCandidate {
    /// Without a control character: a shell can be told of it in a line.
    let word: String
    /// For a screen, in one line; may be empty.
    let note: String

    /// The most cells of a note.
    private static let noteWidthMax = 48

    /// Nil if the word cannot be given to a shell in a line.
    init?(_ word: String, _ note: String = "") {
        guard !word.isEmpty, word.shown == word, !word.contains(where: \.isNewline) else {
            return nil
        }
        self.word = word
        self.note = Cells.cut(note.shownInLine, to: Self.noteWidthMax)
    }
}
