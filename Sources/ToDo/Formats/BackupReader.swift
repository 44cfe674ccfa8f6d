/// Reads the lines of a whole export: to-dos, and what stands beside them.
struct BackupReader {
    private var changeCount = 0
    private var hasModified = 0
    /// The title of each item, to tell of what is not kept.
    private var titles: [UInt128: String] = [:]

    /// Takes the value of a line.
    mutating func read(
        _ value: JSONValue, line: Int, into builder: inout ReadingBuilder
    ) throws(FormatFault) {
        guard case .object(let members) = value, Self.version(members) == BackupLine.version else {
            return try readItem(value, isTrash: false, line: line, into: &builder)
        }
        switch Self.text("kind", members) {
        case "deleted":
            let own: Set<String> = ["tandem", "kind", "deletedOn", "deletedAt"]
            let item = [JSONMember("tandem", .number(JSONLinesFormat.version))]
            let rest = members.filter { !own.contains($0.name) }
            try readItem(.object(item + rest), isTrash: true, line: line, into: &builder)
        case "conflict":
            try builder.addBeside(line: line) { entry, losses throws(FormatFault) in
                try besides(members, entry: entry, &losses)
            }
        case "change": changeCount += 1
        // A to-do of a newer version: refused with the reader's own words.
        case nil: try readItem(value, isTrash: false, line: line, into: &builder)
        case .some(let kind):
            let reason = "'\(kind.prefix(40))' was written by a newer version; upgrade to read it"
            try builder.addBad(line: line, reason: reason)
        }
    }

    /// Tells what is left out of all lines.
    func finish(_ builder: inout ReadingBuilder) {
        func lose(_ field: String, _ reason: String) {
            builder.add(FormatLoss(entry: 0, title: "", field: field, reason: reason))
        }
        if hasModified > 0 { lose("modified", "of \(hasModified) becomes the time of the import") }
        if changeCount > 0 {
            lose(
                "history",
                (changeCount == 1 ? "1 change is" : "\(changeCount) changes are")
                    + " left out; every device writes its own")
        }
    }

    private static func version(_ members: [JSONMember]) -> String? {
        guard case .number(let version)? = members.first(where: { $0.name == "tandem" })?.value
        else { return nil }
        return version
    }

    private static func text(_ name: String, _ members: [JSONMember]) -> String? {
        guard case .text(let text)? = members.first(where: { $0.name == name })?.value else {
            return nil
        }
        return text
    }

    private mutating func readItem(
        _ value: JSONValue, isTrash: Bool, line: Int, into builder: inout ReadingBuilder
    ) throws(FormatFault) {
        let count = builder.reading.items.count + builder.reading.trash.count
        try builder.add(line: line, isTrash: isTrash) { entry, _ throws(FormatFault) in
            let item = try JSONLinesEntryReader.item(value, entry: entry)
            if isTrash, item.identifier == nil {
                throw .badEntry(
                    format: JSONLinesFormat.name, entry: entry, key: "id", reason: "is missing")
            }
            return item
        }
        let last = isTrash ? builder.reading.trash.last : builder.reading.items.last
        guard builder.reading.items.count + builder.reading.trash.count > count, let last else {
            return
        }
        if let identifier = last.identifier { titles[identifier] = last.title }
        if last.modified != nil { hasModified += 1 }
    }

    /// All values but the shown one, which the item's own line has.
    private func besides(
        _ members: [JSONMember], entry: Int, _ losses: inout [FormatLoss]
    ) throws(FormatFault) -> [BesideValue] {
        func fault(_ key: String, _ reason: String) -> FormatFault {
            .badEntry(format: JSONLinesFormat.name, entry: entry, key: key, reason: reason)
        }
        guard let id = Self.text("id", members).flatMap({ UUIDText.value($0) }) else {
            throw fault("id", "is not a UUID")
        }
        guard let field = Self.text("field", members) else { throw fault("field", "is missing") }
        let title = titles[id] ?? ""
        if field == "deleted" {
            losses.append(
                FormatLoss(
                    entry: entry, title: title, field: field,
                    reason: "that it was deleted while another device edited it is left out"))
            return []
        }
        guard case .array(let values)? = members.first(where: { $0.name == "values" })?.value,
            !values.isEmpty
        else { throw fault("values", "should be an array of values") }
        var besides: [BesideValue] = []
        for value in values.dropFirst() {
            guard case .object(let parts) = value,
                let content = parts.first(where: { $0.name == "value" })?.value,
                let device = Self.text("device", parts),
                case .instant(let time)? = Self.text("time", parts)
                    .flatMap({ TimestampReader.rfc3339($0) })
            else { throw fault("values", "should have value, device and time") }
            let kept =
                content == .null ? nil : CustomValue(json: content) ?? .text(content.compactText)
            besides.append(
                BesideValue(item: id, field: field, value: kept, device: device, time: time))
        }
        losses.append(
            FormatLoss(
                entry: entry, title: title, field: field,
                reason: "the conflict is over; "
                    + (besides.count == 1
                        ? "1 other value is kept as field "
                        : "\(besides.count) other values are kept as fields ")
                    + "'conflict \(field) …', unless it is open here, too"))
        return besides
    }
}
