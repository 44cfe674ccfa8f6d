import FoundationEssentials

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

    /// Writes days as midnights of `zone`.
    package init(zone: LocalTimeZone) {
        self.zone = zone
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

    /// What an archive says of an item; its id is derived anew when it is read.
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

    /// Writes an archive, binary like the original.
    package func encode(
        _ items: [ToDoItem], form: Form = .binary
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

    /// What makes an entry the same one.
    static func identity(of item: ToDoItem) -> [JSONValue] {
        var due = JSONValue.null
        // Whole seconds, because the XML form of the same archive has no more.
        if case .instant(let instant)? = item.due {
            due = .number(String(instant.quotientRoundedDown(by: 1_000).quotient))
        }
        return [.text(item.title), .text(item.project), due]
    }
}
