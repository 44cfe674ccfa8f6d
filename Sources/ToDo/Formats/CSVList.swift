/// Several texts in one cell: parted by semicolons, or as a JSON array where that would not read back.
///
/// Tags are read where commas part them, too, as other programs write them; one with a comma in it goes
/// into an array.
enum CSVList {
    static func text(_ texts: [String], areTags: Bool = false) -> String {
        let joined = texts.joined(separator: ";")
        return read(joined, areTags: areTags) == texts
            ? joined : JSONValue.array(texts.map { .text($0) }).compactText
    }

    static func read(_ cell: String, areTags: Bool = false) -> [String] {
        if cell.hasPrefix("["), let texts = JSONValue(compactText: cell)?.texts { return texts }
        return cell.split { $0 == ";" || (areTags && $0 == ",") }
            .map { trimmed($0) }.filter { !$0.isEmpty }
    }

    private static func trimmed(_ text: Substring) -> String {
        var rest = text
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }
}
