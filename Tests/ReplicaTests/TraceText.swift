import Core
import TestSupport

/// The bytes of a message in lines, each with a comment: for people who read them beside the pages.
struct TraceText {
    /// The keys of each kind, as Protocol/3-Messages.md names them.
    private static let keys: [UInt64: [UInt64: String]] = [
        1: [
            1: "versions", 2: "space", 3: "policy", 4: "replica", 5: "incarnation",
            6: "sum of the state summary", 7: "digest", 8: "features", 9: "peer checkpoint",
            10: "reached", 11: "own writes", 12: "entries", 13: "summary sequence",
        ],
        2: [
            1: "replicas", 2: "collections", 3: "changes", 4: "through",
            5: "announced incarnations", 6: "deferred",
        ],
        3: [1: "batches integrated"],
        4: [
            1: "through", 2: "changed entries", 3: "digest", 4: "sum of the state summary",
            5: "summary sequence",
        ],
        6: [1: "collections", 2: "records"], 7: [1: "number"], 8: [1: "number"],
        10: [1: "code", 2: "text", 3: "side", 4: "next step", 5: "reason"],
        13: [1: "replica", 2: "counter", 3: "incarnations"], 14: [1: "peer checkpoint"],
        16: [1: "ranges"], 17: [1: "changed entries"], 18: [1: "listed entries"],
    ]
    /// The parts of an array by its name; they repeat where it is a list of several.
    private static let parts: [String: [String]] = [
        "versions": ["lowest", "highest"], "incarnation": ["epoch", "start"],
        "incarnations": ["epoch", "start"], "changed entries": ["entry"],
        "listed entries": ["entry"],
        "ranges": ["bound", "content", "sum or entries"], "sum or entries": ["entry"],
        "entry": ["replica", "counter", "checksum", "seen"],
        "peer checkpoint": [
            "peer", "epoch", "sequence", "counter", "counter's epoch",
            "summary epoch or sequence", "summary sequence",
        ],
        "through": ["epoch", "sequence"], "changes": ["collection", "record", "clock", "body"],
        "collections": ["collection"], "records": ["collection", "record"],
        "clock": ["index", "counter"], "announced incarnations": ["replica", "epoch", "start"],
        "write": ["index", "back", "timestamp", "assignments", "recovered"],
    ]
    private static let commentColumn = 60
    private static let digitCountMax = 96

    /// Names of ids, by their digits.
    let names: [String: String]
    private(set) var lines: [String] = []
    private var bytes: [UInt8] = []
    private var offset = 0

    init(names: [String: String]) {
        self.names = names
    }

    /// Adds a message.
    mutating func add(_ message: Message, after title: String) {
        (bytes, offset) = (Message.encode(message), 0)
        // The page has a later name of this kind.
        let name = message.kind == 14 ? "peer-checkpoint" : message.name
        lines.append("    # \(title): \(name), \(bytes.count) bytes")
        let (_, count, digits) = head()
        line(digits, 0, "\(count) keys")
        for _ in 0..<count {
            let start = offset
            let (_, key, _) = head()
            let digits = HexText.encode(bytes[start..<offset]) + " "
            item(1, key == 0 ? name : Self.keys[message.kind]?[key] ?? "", digits)
        }
    }

    /// Takes a head; its major type, its argument and its digits.
    private mutating func head() -> (major: UInt8, argument: UInt64, digits: String) {
        let first = bytes[offset]
        let information = first & 31
        let count = information < 24 ? 0 : 1 << Int(information - 24)
        let argument =
            count == 0
            ? UInt64(information)
            : bytes[(offset + 1)...(offset + count)].reduce(0) { $0 << 8 | UInt64($1) }
        let digits = HexText.encode(bytes[offset...(offset + count)])
        offset += 1 + count
        return (first >> 5, argument, digits)
    }

    /// Adds the next item: one line, or one for each part.
    private mutating func item(_ depth: Int, _ label: String, _ before: String = "") {
        let (major, argument, digits) = head()
        switch major {
        case 0: line(before + digits, depth, with(label, argument > 9 ? "\(argument)" : ""))
        case 1: line(before + digits, depth, with(label, "-\(argument + 1)"))
        case 2, 3: string(before + digits, depth, label, isText: major == 3, Int(argument))
        case 4 where label == "content":
            line(before + digits, depth, "")
            for index in 0..<argument { item(depth + 1, index == 0 ? "collection" : "write") }
        case 4:
            line(before + digits, depth, label)
            let names = Self.parts[label] ?? [""]
            for index in 0..<Int(argument) { item(depth + 1, names[index % names.count]) }
        case 5:
            line(before + digits, depth, label)
            for _ in 0..<argument {
                item(depth + 1, "field")
                item(depth + 2, "value")
            }
        default: line(before + digits, depth, with(label, digits == "f6" ? "null" : ""))
        }
    }

    private mutating func string(
        _ before: String, _ depth: Int, _ label: String, isText: Bool, _ count: Int
    ) {
        let content = Array(bytes[offset..<(offset + count)])
        let digits = HexText.encode(content)
        if label == "body" {
            line(before, depth, "body, \(count) bytes")
            return item(depth + 1, "content")
        }
        offset += count
        let meaning =
            isText ? "\"\(String(decoding: content, as: UTF8.self))\"" : names[digits] ?? ""
        var rest = Substring(digits)
        line(
            before + (count > 0 ? " " : "") + rest.prefix(Self.digitCountMax), depth,
            with(label, count > 40 ? "" : meaning))
        rest = rest.dropFirst(Self.digitCountMax)
        while !rest.isEmpty {
            line(String(rest.prefix(Self.digitCountMax)), depth + 1, "")
            rest = rest.dropFirst(Self.digitCountMax)
        }
    }

    private func with(_ label: String, _ meaning: String) -> String {
        if label.isEmpty || meaning.isEmpty { return label + meaning }
        return label == meaning ? label : label + ": " + meaning
    }

    private mutating func line(_ digits: String, _ depth: Int, _ comment: String) {
        let text = "    " + String(repeating: "  ", count: depth) + digits
        if comment.isEmpty { return lines.append(text) }
        let gap = max(2, Self.commentColumn - text.count)
        lines.append(text + String(repeating: " ", count: gap) + comment)
    }
}
