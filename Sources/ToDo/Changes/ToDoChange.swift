import Core
import JSON
import Storage

/// A change of one to-do, as another program says it in a line of JSON: the form in which a watch prints changes, with
/// a key by which a line that comes again is known.
///
/// `{"key":"mail-7","kind":"insert","item":{"title":"Buy milk","due":"2026-12-01"}}`,
/// `{"key":"mail-8","kind":"update","id":3,"item":{"notes":null}}`. Members of `item` are those of `JSONLinesFormat`; null
/// clears one, and those that are left out stay as they are.
package struct ToDoChange: Sendable {
    /// The kind of change.
    package enum Kind: String, Sendable, CaseIterable {
        /// A new to-do; of an id that is there already, a change.
        case insert
        /// A change of fields.
        case update
        /// Into the trash.
        case delete
        /// Back from the trash.
        case restore
    }

    /// The most lines of one input.
    package static let lineCountMax = 10_000
    /// The most bytes of a key.
    package static let keyByteCountMax = 200

    /// Where it stands; counts from 1.
    package let line: Int
    /// Its key, which no other change has.
    package let key: String
    /// The kind of change.
    package let kind: Kind
    /// The words that name the to-do: a number or an id; nil for a new one without an id.
    package let name: String?
    /// The members of its item.
    let members: [JSONMember]

    /// The change without its key, in one form: the order of members does not count.
    var content: String {
        let members = members.sorted { $0.name < $1.name }
        return "\(kind.rawValue)\n\(name ?? "")\n\(JSONValue.object(members).compactText)"
    }

    /// Reads lines; empty ones, and the first of a watch, are passed over.
    package static func read(_ bytes: [UInt8]) throws(ToDoChangeFault) -> [ToDoChange] {
        var changes: [ToDoChange] = []
        var linesOfKeys: [String: (number: Int, bytes: ArraySlice<UInt8>)] = [:]
        var rest = bytes[...]
        var index = -1
        // Line by line: a file of nothing but line feeds costs no memory.
        while !rest.isEmpty {
            let line = rest.prefix { $0 != 10 }
            rest = rest.dropFirst(line.count + 1)
            index += 1
            if line.allSatisfy({ [9, 13, 32].contains($0) }) { continue }
            guard changes.count < lineCountMax else {
                throw ToDoChangeFault(line: index + 1, .tooManyLines)
            }
            let value: JSONValue
            do throws(JSONFault) {
                value = try JSONReader.read(Array(line))
            } catch {
                throw ToDoChangeFault(
                    line: index + 1, line.first == UInt8(ascii: "[") ? .noObject : .badJSON(error))
            }
            guard case .object(let members) = value else {
                throw ToDoChangeFault(line: index + 1, .noObject)
            }
            if members.first(where: { $0.name == "kind" })?.value == .text("begin") { continue }
            let change = try ToDoChange(members, line: index + 1)
            if let first = linesOfKeys[change.key], first.bytes != line {
                throw ToDoChangeFault(line: index + 1, .keyTwice(firstLine: first.number))
            }
            linesOfKeys[change.key] = (index + 1, line)
            changes.append(change)
        }
        return changes
    }

    private init(_ members: [JSONMember], line: Int) throws(ToDoChangeFault) {
        func member(_ name: String) -> JSONValue? { members.first { $0.name == name }?.value }
        func fault(_ code: ToDoChangeFault.Code) -> ToDoChangeFault {
            ToDoChangeFault(line: line, code)
        }
        self.line = line
        for found in members where !Self.members.contains(found.name) {
            throw fault(.unknownMember(found.name))
        }
        guard case .text(let word)? = member("kind"), let kind = Kind(rawValue: word) else {
            throw fault(.noKind)
        }
        self.kind = kind
        switch (member("key"), member("time"), member("number")) {
        case (.text(let text)?, _, _): key = text
        // A line of a watch: no other has that time and number.
        case (nil, .text(let time)?, .number(let number)?): key = "watch \(time) \(number)"
        default: throw fault(.noKey)
        }
        guard !key.isEmpty, key.utf8.count <= Self.keyByteCountMax else { throw fault(.badKey) }
        var inside: [JSONMember] = []
        switch member("item") {
        case .object(let found)?: inside = found
        case nil where kind == .delete || kind == .restore: break
        default: throw fault(.noItem)
        }
        switch member("id") ?? inside.first(where: { $0.name == "id" })?.value {
        case .text(let text)? where !text.isEmpty: name = text
        case .number(let digits)?: name = digits
        case nil where kind == .insert: name = nil
        default: throw fault(.noName)
        }
        for found in inside
        where !JSONLinesFormat.knownKeys.contains(found.name) && !Self.told.contains(found.name) {
            throw fault(.unknownMember("item.\(found.name)"))
        }
        self.members = inside.filter { !Self.told.contains($0.name) }
    }

    /// The members of a line.
    private static let members: Set<String> = [
        "key", "kind", "id", "item", "number", "time", "changes",
    ]
    /// The members of an item that say what it is called or how it stands, and change nothing.
    private static let told: Set<String> = [
        "tandem", "id", "modified", "deleted", "standing", "deletedOn", "deletedAt",
    ]

    /// An item with the members of this change instead of its own.
    package func item(changing old: ToDoItem) throws(ToDoChangeFault) -> ToDoItem {
        var all = JSONLinesFormat.members(old)
        for member in members {
            var value = member.value
            if member.name == "custom", case .object(let new) = value,
                case .object(let inside)? = all.first(where: { $0.name == "custom" })?.value
            {
                let names = Set(new.map(\.name))
                value = .object(inside.filter { !names.contains($0.name) } + new)
            }
            if member.name == "custom", case .object(let inside) = value {
                value = .object(inside.filter { $0.value != .null })
            }
            all.removeAll { $0.name == member.name }
            // A to-do without a status is pending; one without a title has none.
            switch (member.name, value) {
            case ("title", .null): all.append(JSONMember("title", .text("")))
            case (_, .null): break
            default: all.append(JSONMember(member.name, value))
            }
        }
        do throws(FormatFault) {
            return try JSONLinesEntryReader.item(.object(all), entry: line)
        } catch {
            throw ToDoChangeFault(line: line, .badItem(error))
        }
    }
}

/// Why changes were refused; nothing of any line was written.
package struct ToDoChangeFault: Error {
    /// The kinds of faults.
    package enum Code: Sendable {
        /// The line is no JSON.
        case badJSON(JSONFault)
        /// The line is no object.
        case noObject
        /// There are more lines than are taken at once.
        case tooManyLines
        /// There is no such member.
        case unknownMember(String)
        /// It says no kind.
        case noKind
        /// It says no key.
        case noKey
        /// Another line has the key, and says something else.
        case keyTwice(firstLine: Int)
        /// The key is empty or too long.
        case badKey
        /// It says no item.
        case noItem
        /// It does not say which to-do.
        case noName
        /// A value of the item cannot be used.
        case badItem(FormatFault)
        /// The to-do that it names is not found.
        case badName(ToDoNameFault)
        /// There is no to-do of that id.
        case noSuchToDo
        /// The to-do is in the trash.
        case deleted
        /// The to-do was purged.
        case purged
        /// The to-do would have no title.
        case noTitle
        /// The to-do would be a part of itself, or wait for itself.
        case circle
        /// The store cannot do it.
        case store(StoreFault)
    }

    /// The line, counted from 1; nil for what concerns no line.
    package let line: Int?
    /// The fault.
    package let code: Code

    init(line: Int?, _ code: Code) {
        self.line = line
        self.code = code
    }
}

extension ToDoChangeFault: CustomStringConvertible {
    /// The fault in words, without the line.
    package var description: String {
        switch code {
        case .badJSON(let fault):
            "it is no JSON: \(fault.reason.words) at byte \(fault.byteOffset + 1)"
        case .noObject: "it is no JSON object; write one change a line, without a list around them"
        case .tooManyLines:
            "there are more than \(ToDoChange.lineCountMax) changes; apply them in several parts"
        case .unknownMember(let name): "there is no member \(FormatLoss.beginning(of: name))"
        case .noKind:
            "say a kind: \(ToDoChange.Kind.allCases.map(\.rawValue).joined(separator: ", "))"
        case .noKey: "say a key, which no other change has"
        case .keyTwice(let first): "line \(first) has the same key, and is another change"
        case .badKey: "a key has 1 to \(ToDoChange.keyByteCountMax) bytes"
        case .noItem: "say an item, with the members to set"
        case .noName: "say which to-do: id, with a number or an id"
        case .badItem(let fault): "\(fault)"
        case .badName: "the id names no to-do"
        case .noSuchToDo: "there is no to-do of that id"
        case .deleted: "the to-do is in the trash"
        case .purged: "the to-do was purged"
        case .noTitle: "a to-do needs some title"
        case .circle: "the to-do would be a part of itself, or wait for itself"
        case .store(let fault): "\(fault)"
        }
    }
}
