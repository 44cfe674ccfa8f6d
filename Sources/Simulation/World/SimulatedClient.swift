import Core
import Storage
import ToDo

/// A client's copy of an item: its text, and what it has seen by that; it knows no rule of merging.
struct SimulatedClient {
    /// Names the copy: the same client may have one of another device.
    struct Key: Hashable {
        let device: String
        let client: String
        let item: String
    }

    /// The lines between those of the to-do, each with its end.
    private(set) var lines: [Substring]
    /// Whether the client made the file, and never takes over another one.
    let isOwn: Bool
    /// The writes that were there when the client took over its text.
    var seen = VersionVector()
    /// The writes that were there when it was last served one.
    var shown = VersionVector()
    /// Whether a put ended with a crash, so that nobody knows what came of it.
    var isUnsure = false
    /// The writes that came of what the client put.
    var dots: Set<Dot> = []
    /// The tag of the text that it took over.
    var tag: String?
    /// The tag of which it heard last.
    var lastTag: String?
    /// The list that it puts into.
    var list: String?
    /// The numbers of all that its device has to know to tell what is typed into its text: of the serving that gave it, or of
    /// all servings if the file is its own, and of the puts that were taken since; none as long as there were none.
    var servings: [Int] = []
    /// The values that the text had which it took over.
    private(set) var shownValues: [Assignment] = []
    /// All that was typed into the text, the last value of each field.
    private(set) var typed: [Assignment] = []
    /// The changes that were typed and not taken yet.
    var pending: [Assignment] = []
    /// Its last put, and what was typed for it.
    var last: (text: [UInt8], ifMatch: [String]?, typed: [Assignment])?

    private static let properties = [
        "title": "SUMMARY", "notes": "DESCRIPTION", "location": "LOCATION",
    ]

    /// A file that the client makes.
    init(uid: String) {
        lines = [
            "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//a client//EN", "BEGIN:VTODO", "UID:\(uid)",
            "END:VTODO", "END:VCALENDAR",
        ].map { Substring($0) }
        isOwn = true
    }

    /// A text that it takes over.
    ///
    /// - Parameter record: the record as the text shows it.
    init(_ document: ServedDocument, of record: RecordState) {
        let text = String(decoding: document.bytes, as: UTF8.self)
        lines = text.replacing("\r\n ", with: "").split(separator: "\r\n")
        isOwn = false
        seen = record.clock
        shown = record.clock
        shownValues = record.fields.compactMap { field in
            record.visible(field).map { Assignment(field, $0) }
        }
        tag = document.tag
        lastTag = document.tag
        list = ServedToDos.list(of: document.item.project)
    }

    /// The text as it is put; lines may have any length.
    var text: [UInt8] { Array((lines.joined(separator: "\r\n") + "\r\n").utf8) }

    /// Types values; those that are there already are no change.
    ///
    /// - Returns: what was changed.
    mutating func type(_ settings: [Setting]) -> [Assignment] {
        var changed: [Assignment] = []
        for case .value(let field, let literal) in settings {
            guard let property = Self.properties[field] else { continue }
            var text = ""
            if case .text(let typed) = Vocabulary.value(literal) { text = typed }
            let line = Substring("\(property):" + Self.escaped(text))
            let index = lines.firstIndex {
                $0.hasPrefix(property + ":") || $0.hasPrefix(property + ";")
            }
            if index.map({ lines[$0] == line }) ?? text.isEmpty { continue }
            if let index {
                if text.isEmpty { lines.remove(at: index) } else { lines[index] = line }
            } else if let end = lines.firstIndex(of: "END:VTODO") {
                lines.insert(line, at: end)
            }
            changed.append(
                Assignment(Vocabulary.field(field), text.isEmpty ? .null : .text(text)))
        }
        for change in changed {
            typed.removeAll { $0.field == change.field }
            typed.append(change)
        }
        return changed
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "\n": escaped += "\\n"
            case "\\", ";", ",": escaped += "\\" + String(character)
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}
