/// Several texts in one cell: parted by semicolons, or as a JSON array where that would not read back.
enum CSVList {
    static func text(_ texts: [String]) -> String {
        let joined = texts.joined(separator: ";")
        return read(joined) == texts ? joined : JSONValue.array(texts.map { .text($0) }).compactText
    }

    static func read(_ cell: String) -> [String] {
        if cell.hasPrefix("["), let texts = JSONValue(compactText: cell)?.texts { return texts }
        return cell.split(separator: ";").map { trimmed($0) }.filter { !$0.isEmpty }
    }

    private static func trimmed(_ text: Substring) -> String {
        var rest = text
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }
}
