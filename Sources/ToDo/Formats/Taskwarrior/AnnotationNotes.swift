/// Taskwarrior's timestamped annotations inside the notes, both ways.
///
/// They stand at the end of the notes, after an empty line, one a line:
/// `[2026-11-21T05:34:08Z] called Bob`; further lines of one annotation are indented by four
/// spaces. Whatever in the notes has this form becomes annotations again, wherever it stands.
enum AnnotationNotes {
    struct Annotation: Equatable {
        /// Milliseconds since 1970.
        var entry: Int64
        var text: String
    }

    /// The notes with a line more, which tells when it was written.
    ///
    /// - Parameter now: milliseconds since 1970.
    static func adding(_ text: String, at now: Int64, to notes: String) -> String {
        let new = Annotation(entry: now, text: text)
        let parts = split(notes)
        guard join(notes: parts.notes, annotations: parts.annotations) == notes else {
            return join(notes: notes, annotations: [new])
        }
        return join(notes: parts.notes, annotations: apart(parts.annotations + [new]))
    }

    /// The notes without the line that holds some words, or without the annotation.
    ///
    /// A line that has no other words goes before those that have.
    /// - Returns: nil unless there is one such line.
    static func removingLine(with words: String, from notes: String) -> String? {
        var lines = notes.split(separator: "\n", omittingEmptySubsequences: false)
        let texts = lines.map { line in annotation(line).map { $0.text } ?? String(line) }
        let whole = texts.indices.filter { texts[$0] == words }
        let found =
            whole.isEmpty ? texts.indices.filter { texts[$0].contains(words) } : whole
        guard found.count == 1, let first = found.first else { return nil }
        var end = first + 1
        if annotation(lines[first]) != nil {
            while end < lines.count, lines[end].hasPrefix("    ") { end += 1 }
        }
        lines.removeSubrange(first..<end)
        while lines.last?.isEmpty ?? false { lines.removeLast() }
        return lines.joined(separator: "\n")
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
    ///
    /// In notes that were edited since, annotations are found wherever they stand; what is around them
    /// moves together in front of them.
    static func split(_ text: String) -> (notes: String, annotations: [Annotation]) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for start in lines.indices where start == 0 || (start >= 2 && lines[start - 1].isEmpty) {
            guard let annotations = annotations(lines[start...]) else { continue }
            let notes = lines[..<max(0, start - 1)].joined(separator: "\n")
            return (notes, apart(annotations))
        }
        return scattered(lines) ?? (text, [])
    }

    /// Nil if no line begins an annotation.
    private static func scattered(
        _ lines: [Substring]
    ) -> (notes: String, annotations: [Annotation])? {
        var notes: [Substring] = []
        var found: [Annotation] = []
        var isInside = false
        for line in lines {
            if let annotation = annotation(line) {
                found.append(annotation)
                isInside = true
            } else if isInside, line.hasPrefix("    ") {
                found[found.count - 1].text += "\n" + line.dropFirst(4)
            } else {
                // Where an annotation stood, two empty lines would meet.
                let meets = isInside && line.isEmpty && notes.last?.isEmpty != false
                if !meets { notes.append(line) }
                isInside = isInside && line.isEmpty
            }
        }
        if found.isEmpty { return nil }
        if notes.last?.isEmpty == true { notes.removeLast() }
        return (notes.joined(separator: "\n"), apart(found))
    }

    /// No two of one second: Taskwarrior keeps them by it, and would move the later one itself.
    private static func apart(_ annotations: [Annotation]) -> [Annotation] {
        // Behind each second that is taken, one from which on to look further: very many of one second
        // would otherwise take the square of their number.
        var following: [Int64: Int64] = [:]
        return annotations.map { annotation in
            let wanted = annotation.entry.quotientRoundedDown(by: 1_000).quotient
            var passed = [wanted]
            var free = wanted
            while let next = following[free] {
                free = next
                passed.append(next)
            }
            for second in passed { following[second] = free + 1 }
            var annotation = annotation
            annotation.entry += (free - wanted) * 1_000
            return annotation
        }
    }

    /// Nil unless every line belongs to an annotation.
    private static func annotations(_ lines: ArraySlice<Substring>) -> [Annotation]? {
        var found: [Annotation] = []
        for line in lines {
            if line.hasPrefix("    "), !found.isEmpty {
                found[found.count - 1].text += "\n" + line.dropFirst(4)
            } else if let annotation = annotation(line) {
                found.append(annotation)
            } else {
                return nil
            }
        }
        return found.isEmpty ? nil : found
    }

    /// The annotation that a line begins.
    private static func annotation(_ line: Substring) -> Annotation? {
        guard line.hasPrefix("["), let end = line.firstIndex(of: "]"),
            case .instant(let entry)? = TimestampReader.rfc3339(
                String(line[line.index(after: line.startIndex)..<end])),
            line[line.index(after: end)...].hasPrefix(" ")
        else { return nil }
        return Annotation(entry: entry, text: String(line[line.index(end, offsetBy: 2)...]))
    }
}
