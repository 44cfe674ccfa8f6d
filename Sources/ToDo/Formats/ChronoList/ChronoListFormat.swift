import FoundationEssentials
import JSON

/// The archive of ChronoList: a property list, an array of dictionaries with seven keys.
///
/// `title`, `note`, `projectName`, `isComplete`, `dueDate`, `startDate`, `finishDate`. Binary
/// and XML are read; missing keys mean nothing was set; other keys become custom fields. Dates
/// are points in time: a day is written as its local midnight and reads back as that instant.
/// XML keeps whole seconds. All else an item has is not in this format.
package struct ChronoListFormat: Sendable {
    static let name = "ChronoList"

    /// The two forms of a property list.
    package enum Form: Sendable {
        case binary
        case xml
    }

    /// The zone whose midnight stands for a day.
    let zone: LocalTimeZone
    /// The form that is written.
    private let form: Form

    /// Writes days as midnights of `zone`.
    package init(zone: LocalTimeZone, form: Form = .binary) {
        self.zone = zone
        self.form = form
    }

    /// Reads an archive; the items have no ids yet, see `assignIdentifiers`.
    ///
    /// - Throws: `cannotDecode` for the file; bad entries are among the faults.
    package func decode(_ bytes: [UInt8]) throws(FormatFault) -> FormatReading {
        try FormatLimits.check(bytes, format: Self.name)
        var builder = ReadingBuilder(Self.name)
        if bytes.starts(with: BinaryPropertyList.magic) {
            try readBinary(bytes, into: &builder)
        } else {
            try readXML(bytes, into: &builder)
        }
        return builder.reading
    }

    /// The item as an archive holds it; its id is derived anew when it is read.
    private func archived(_ item: ToDoItem, form: Form) -> ToDoItem {
        func moment(_ moment: Moment?) -> Moment? {
            guard let instant = moment?.start(in: zone) else { return nil }
            let (day, _) = instant.quotientRoundedDown(by: 86_400_000)
            guard FormatLimits.years.contains(CivilDate(day: Int(day)).year) else { return nil }
            let rest = instant.quotientRoundedDown(by: 1_000).remainder
            return .instant(form == .xml ? instant - rest : instant)
        }
        func text(_ text: String) -> String { form == .xml ? Self.sayableInXML(text) : text }
        var archived = ToDoItem(title: text(item.title))
        archived.notes = text(item.notes)
        archived.project = text(item.project)
        archived.status = item.isComplete ? .completed : .pending
        archived.due = moment(item.due)
        archived.start = moment(item.start)
        archived.finish = moment(item.finish)
        return archived
    }

    /// A text as XML can say it: ends of lines are one character there, and most control characters
    /// must not stand in it at all.
    private static func sayableInXML(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x80 || $0 == 9 || $0 == 10 }) { return text }
        var result = ""
        var isAfterReturn = false
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 13: result += "\n"
            case 10: result += isAfterReturn ? "" : "\n"
            case 9, 0x20...0xfffd, 0x10000...: result.unicodeScalars.append(scalar)
            default: result += "\u{fffd}"
            }
            isAfterReturn = scalar.value == 13
        }
        return result
    }

    /// How entries are known again: by title, project and due date, as there are no ids.
    package var echo: FormatEcho {
        FormatEcho(
            forms: { item in [archived(item, form: .binary), archived(item, form: .xml)] },
            key: { item in
                var writer = JSONWriter()
                writer.append(.array(Self.identity(of: archived(item, form: .binary))))
                return writer.bytes
            })
    }

    private func readBinary(
        _ bytes: [UInt8], into builder: inout ReadingBuilder
    ) throws(FormatFault) {
        var list = try Self.naming { () throws(PropertyListFault) in
            try BinaryPropertyList(bytes)
        }
        let numbers = try Self.naming { () throws(PropertyListFault) in try list.entries() }
        guard let numbers else { throw Self.noArray }
        for number in numbers {
            let value = try Self.naming { () throws(PropertyListFault) in
                try list.value(number)
            }
            try builder.add(line: nil) { entry, _ throws(FormatFault) in
                try ChronoListEntry(entry: entry).item(value)
            }
        }
    }

    private func readXML(
        _ bytes: [UInt8], into builder: inout ReadingBuilder
    ) throws(FormatFault) {
        var list = XMLPropertyList(bytes)
        var lines = LineCounter(bytes)
        func naming<T>(
            _ body: () throws(PropertyListFault) -> T
        ) throws(FormatFault) -> T {
            do throws(PropertyListFault) {
                return try body()
            } catch {
                throw Self.fault(error, line: lines.line(at: error.byteOffset))
            }
        }
        guard try naming({ () throws(PropertyListFault) in try list.enterEntries() }) else {
            throw Self.noArray
        }
        while let next = try naming({ () throws(PropertyListFault) in try list.nextEntry() }) {
            try builder.add(line: lines.line(at: next.offset)) { entry, _ throws(FormatFault) in
                try ChronoListEntry(entry: entry).item(next.value)
            }
        }
    }

    private static let noArray = FormatFault.cannotDecode(
        format: name, reason: "not a property list with an array of to-dos")

    private static func naming<T>(
        _ body: () throws(PropertyListFault) -> T
    ) throws(FormatFault) -> T {
        do throws(PropertyListFault) {
            return try body()
        } catch {
            throw fault(error, line: nil)
        }
    }

    private static func fault(_ fault: PropertyListFault, line: Int?) -> FormatFault {
        .cannotDecode(
            format: name, reason: "not a property list: \(fault.reason)", line: line,
            byteOffset: fault.byteOffset)
    }

    /// Writes an archive in a form.
    package func encode(
        _ items: [ToDoItem], form: Form
    ) throws(FormatFault) -> FormatWriting {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = form == .binary ? .binary : .xml
        var losses: [FormatLoss] = []
        var rows: [ChronoListRow] = []
        for (index, item) in items.enumerated() {
            let archived = archived(item, form: form)
            rows.append(ChronoListRow(archived))
            losses += FormatLoss.losses(entry: index + 1, of: item, as: archived)
        }
        do {
            let bytes = try encoder.encode(rows)
            return FormatWriting(Array(bytes), losses: losses)
        } catch {
            let reason = "the property list encoder refused: \(error)"
            throw .cannotEncode(format: Self.name, entry: 0, key: nil, reason: reason)
        }
    }
}

extension ChronoListFormat {
    /// Gives every item the id that a repeated import gives it, too.
    ///
    /// The id comes from title, project and due date, so that ticking off, notes and times
    /// update the item of the last import instead of adding another.
    /// - Parameters:
    ///   - items: as `decode` gave them, in their order.
    ///   - hash: 128 well mixed bits of the bytes; must be the same for ever.
    package static func assignIdentifiers(
        _ items: inout [ToDoItem], hash: @escaping ([UInt8]) -> UInt128
    ) {
        var identifiers = DerivedIdentifiers(name, hash: hash)
        for index in items.indices {
            items[index].identifier = identifiers.next(identity(of: items[index]))
        }
    }

    /// The identity of an entry.
    static func identity(of item: ToDoItem) -> [JSONValue] {
        var due = JSONValue.null
        // Whole seconds, because the XML form of the same archive has no more.
        if case .instant(let instant)? = item.due {
            due = .number(String(instant.quotientRoundedDown(by: 1_000).quotient))
        }
        return [.text(item.title), .text(item.project), due]
    }
}

/// Reads one dictionary of a ChronoList archive.
struct ChronoListEntry {
    private let entry: Int

    /// Reads the entry of that number, from 1.
    init(entry: Int) {
        self.entry = entry
    }

    /// The to-do that a dictionary says.
    func item(_ value: PropertyValue) throws(FormatFault) -> ToDoItem {
        guard case .dictionary(let members) = value else {
            throw fault(nil, "is not a dictionary")
        }
        var item = ToDoItem(title: "")
        var keys: Set<String> = []
        for member in members {
            guard keys.insert(member.key).inserted else {
                throw fault(member.key, "stands twice")
            }
            try read(member, into: &item)
        }
        guard keys.contains("title") else { throw fault("title", "is missing") }
        return item
    }

    private func read(_ member: PropertyMember, into item: inout ToDoItem) throws(FormatFault) {
        let (key, value) = (member.key, member.value)
        switch key {
        case "title": item.title = try text(key, value)
        case "note": item.notes = try text(key, value)
        case "projectName": item.project = try text(key, value)
        case "isComplete":
            guard case .bool(let flag) = value else { throw mismatch(key, value, "yes or no") }
            item.status = flag ? .completed : .pending
        case "dueDate": item.due = try moment(key, value)
        case "startDate": item.start = try moment(key, value)
        case "finishDate": item.finish = try moment(key, value)
        default: item.custom[key] = try custom(key, value)
        }
    }

    private func fault(_ key: String?, _ reason: String) -> FormatFault {
        .badEntry(format: ChronoListFormat.name, entry: entry, key: key, reason: reason)
    }

    private func mismatch(_ key: String, _ value: PropertyValue, _ kind: String) -> FormatFault {
        if case .bad(let reason) = value { return fault(key, reason) }
        return fault(key, "is not \(kind)")
    }

    private func text(_ key: String, _ value: PropertyValue) throws(FormatFault) -> String {
        guard case .text(let text) = value else { throw mismatch(key, value, "a text") }
        return text
    }

    private func moment(_ key: String, _ value: PropertyValue) throws(FormatFault) -> Moment {
        guard case .date = value else { throw mismatch(key, value, "a date") }
        guard let instant = value.instant else { throw fault(key, "is a date without end") }
        return .instant(instant)
    }

    /// A value under a key we do not know; what is nested becomes JSON text.
    private func custom(_ key: String, _ value: PropertyValue) throws(FormatFault) -> CustomValue {
        switch value {
        case .text(let text): return .text(text)
        case .bool(let flag): return .bool(flag)
        case .data(let bytes): return .bytes(bytes)
        case .date:
            guard let instant = value.instant else { throw fault(key, "is a date without end") }
            return .instant(instant)
        case .number(let digits): return CustomValue(json: .number(digits)) ?? .text(digits)
        case .array, .dictionary, .bad:
            guard let json = value.json else { throw mismatch(key, value, "a value to be kept") }
            return .text(json.compactText)
        }
    }
}

/// One dictionary of a ChronoList archive, as the app itself declares it.
struct ChronoListRow: Encodable {
    let title: String
    let note: String?
    let projectName: String
    let isComplete: Bool
    let dueDate: Date?
    let startDate: Date?
    let finishDate: Date?

    /// An item that says no more than an archive can.
    init(_ item: ToDoItem) {
        func date(_ moment: Moment?) -> Date? {
            guard case .instant(let instant)? = moment else { return nil }
            return Date(timeIntervalSince1970: Double(instant) / 1_000)
        }
        title = item.title
        note = item.notes.isEmpty ? nil : item.notes
        projectName = item.project
        isComplete = item.isComplete
        dueDate = date(item.due)
        startDate = date(item.start)
        finishDate = date(item.finish)
    }
}

extension ChronoListFormat: ToDoFormat {
    /// The names of the format, and what is known of it without a file.
    package static let profile = FormatProfile(
        "chronolist", otherNames: ["plist"], family: "plist", note: "binary or XML",
        losses: "all but title, notes, project, completion, and due, start and finish",
        nameEndings: [".plist"],
        writeOptions: [
            FormatOption(
                "xml", for: "ChronoList archives",
                "a ChronoList archive as XML instead of binary")
        ])

    /// A format as a command line asks for it.
    package init(_ settings: FormatSettings) throws(FormatOptionFault) {
        self.init(zone: settings.zone, form: settings.options["xml"] == nil ? .binary : .xml)
    }

    /// Reads an archive, and gives every entry an id.
    package func read(_ bytes: [UInt8]) throws(FormatFault) -> FormatReading {
        var reading = try decode(bytes)
        Self.assignIdentifiers(&reading.items, hash: ToDoStore.contentHash)
        return reading
    }

    /// Writes an archive in the form of the settings.
    package func encode(_ items: [ToDoItem]) throws(FormatFault) -> FormatWriting {
        try encode(items, form: form)
    }
}
