/// Taskwarrior's timestamped annotations inside the notes, both ways.
///
/// They stand at the end of the notes, after an empty line, one a line:
/// `[2026-11-21T05:34:08Z] called Bob`; further lines of one annotation are indented by four
/// spaces. Whatever in the notes has this form at the end becomes annotations again.
enum AnnotationNotes {
    struct Annotation: Equatable {
        /// Milliseconds since 1970.
        var entry: Int64
        var text: String
    }

    /// The notes with the annotations behind them.
    static func join(notes: String, annotations: [Annotation]) -> String {
        let lines = annotations.map { annotation in
            let text = annotation.text.replacing("\n", with: "\n    ")
            return "[\(TimestampText.rfc3339(annotation.entry))] \(text)"
        }
        guard !lines.isEmpty else { return notes }
        return (notes.isEmpty ? "" : notes + "\n\n") + lines.joined(separator: "\n")
    }

    /// The parts that `join` put together.
    static func split(_ text: String) -> (notes: String, annotations: [Annotation]) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for start in lines.indices where start == 0 || (start >= 2 && lines[start - 1].isEmpty) {
            guard let annotations = annotations(lines[start...]) else { continue }
            let notes = lines[..<max(0, start - 1)].joined(separator: "\n")
            return (notes, annotations)
        }
        return (text, [])
    }

    /// Nil unless every line belongs to an annotation.
    private static func annotations(_ lines: ArraySlice<Substring>) -> [Annotation]? {
        var found: [Annotation] = []
        for line in lines {
            if line.hasPrefix("    "), !found.isEmpty {
                found[found.count - 1].text += "\n" + line.dropFirst(4)
            } else if line.hasPrefix("["), let end = line.firstIndex(of: "]"),
                case .instant(let entry)? = TimestampReader.rfc3339(
                    String(line[line.index(after: line.startIndex)..<end])),
                line[line.index(after: end)...].hasPrefix(" ")
            {
                found.append(
                    Annotation(entry: entry, text: String(line[line.index(end, offsetBy: 2)...])))
            } else {
                return nil
            }
        }
        return found.isEmpty ? nil : found
    }
}
