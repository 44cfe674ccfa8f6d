import Storage

/// JSON as text.
enum JSON {
    /// An object of members that are JSON already.
    static func object(_ members: [(String, String)]) -> String {
        "{" + members.map { JSONText.string($0.0) + ":" + $0.1 }.joined(separator: ",") + "}"
    }

    /// An array of what is JSON already.
    static func array(_ elements: [String]) -> String {
        "[" + elements.joined(separator: ",") + "]"
    }
}
