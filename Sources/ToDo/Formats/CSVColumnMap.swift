/// Which columns of a foreign table are which of ours: `Due Date=due,Name=title,Effort=x.effort`.
package struct CSVColumnMap: Sendable {
    /// A column of the file, and the one of ours that it is.
    struct Pair: Sendable {
        var name: String
        var field: String
    }

    private(set) var pairs: [Pair] = []

    /// Every column under its own name.
    package init() {}

    /// Reads pairs that are parted by commas.
    package init(_ text: String) throws(CSVColumnMapFault) {
        var start = text.startIndex
        for end in text.indices.filter({ text[$0] == "," }) + [text.endIndex] {
            let part = text[start..<end]
            // A comma without a pair before it is a part of a name.
            if end < text.endIndex, !part.contains("=") { continue }
            start = end < text.endIndex ? text.index(after: end) : end
            // Our names have no equals sign, theirs may.
            guard let cut = part.lastIndex(of: "=") else { throw .noPair(String(part)) }
            let name = Self.trimmed(part[..<cut])
            let field = Self.trimmed(part[part.index(after: cut)...])
            guard !name.isEmpty, !field.isEmpty else { throw .noPair(String(part)) }
            let isOwn = field.hasPrefix(Self.ownPrefix) && field.count > Self.ownPrefix.count
            let column = CSVColumn(rawValue: field.lowercased())
            guard isOwn || column != nil else {
                throw .unknownField(field, Self.suggestion(for: field))
            }
            if pairs.contains(where: { Self.isSame($0.name, name) }) { throw .twice(name) }
            pairs.append(Pair(name: name, field: column?.rawValue ?? field))
        }
        if pairs.isEmpty { throw .noPair(text) }
    }

    /// What stands before the name of a field of the user's own.
    static let ownPrefix = "x."

    /// What a column of the file is called here; its own name if nothing else was said.
    func field(_ name: String) -> String {
        pairs.first { Self.isSame($0.name, name) }?.field ?? name
    }

    /// A name that no column has; nil if each has one.
    func missing(in names: [String]) -> String? {
        pairs.first { pair in !names.contains { Self.isSame($0, pair.name) } }?.name
    }

    private static func isSame(_ one: String, _ other: String) -> Bool {
        trimmed(one[...]).lowercased() == trimmed(other[...]).lowercased()
    }

    private static func suggestion(for field: String) -> String? {
        Spelling.suggestion(for: field.lowercased(), among: CSVColumn.allCases.map(\.rawValue))
    }

    private static func trimmed(_ text: Substring) -> String {
        let start = text.drop(while: \.isWhitespace)
        return String(start.reversed().drop(while: \.isWhitespace).reversed())
    }
}
