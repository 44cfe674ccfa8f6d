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
    /// - Throws: `cannotDecode` for the file, `badEntry` for one entry; nothing is read then.
    package func decode(_ bytes: [UInt8]) throws(FormatFault) -> [ToDoItem] {
        let entries: [ChronoListEntry]
        do {
            entries = try PropertyListDecoder().decode([ChronoListEntry].self, from: Data(bytes))
        } catch let error as DecodingError {
            throw Self.fault(error)
        } catch {
            throw .cannotDecode(
                format: Self.name, reason: "not a property list", byteOffset: nil)
        }
        return entries.map(\.item)
    }

    /// Writes an archive, binary like the original.
    package func encode(
        _ items: [ToDoItem], form: Form = .binary
    ) throws(FormatFault) -> [UInt8] {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = form == .binary ? .binary : .xml
        do {
            return Array(try encoder.encode(items.map { ChronoListEntry($0, zone: zone) }))
        } catch {
            let reason = "the property list encoder refused: \(error)"
            throw .cannotEncode(format: Self.name, entry: 0, key: nil, reason: reason)
        }
    }

    private static func fault(_ error: DecodingError) -> FormatFault {
        let (context, reason): (DecodingError.Context, String) =
            switch error {
            case .typeMismatch(let type, let context): (context, "is not a \(type)")
            case .valueNotFound(_, let context): (context, "has no value")
            case .keyNotFound(let key, let context): (context, "\(key.stringValue) is missing")
            case .dataCorrupted(let context): (context, "is damaged: \(context.debugDescription)")
            @unknown default: (DecodingError.Context(codingPath: [], debugDescription: ""), "")
            }
        guard let entry = context.codingPath.first?.intValue else {
            return .cannotDecode(
                format: name, reason: "not a property list with an array of to-dos",
                byteOffset: nil)
        }
        return .badEntry(
            format: name, entry: entry + 1,
            key: context.codingPath.count > 1 ? context.codingPath[1].stringValue : nil,
            reason: reason)
    }
}

extension ChronoListFormat {
    /// Gives every item the id that a repeated import gives it, too.
    ///
    /// The id comes from title, project and due date, so that ticking off, notes and times
    /// update the item of the last import instead of adding another. Items alike in all three
    /// are told apart by their order. The bits of version (8) and variant follow RFC 9562.
    /// - Parameters:
    ///   - items: as `decode` gave them, in their order.
    ///   - hash: 128 well mixed bits of the bytes; must be the same for ever.
    package static func assignIdentifiers(
        _ items: inout [ToDoItem], hash: ([UInt8]) -> UInt128
    ) {
        var counts: [[UInt8]: Int] = [:]
        for index in items.indices {
            let content = identity(of: items[index])
            let number = counts[content, default: 0]
            counts[content] = number + 1
            items[index].identifier = stamped(hash(content + Array("\n\(number)".utf8)))
        }
    }

    /// An array in compact JSON, so that no two different contents have the same bytes.
    private static func identity(of item: ToDoItem) -> [UInt8] {
        var due = JSONValue.null
        // Whole seconds, because the XML form of the same archive has no more.
        if case .instant(let instant)? = item.due {
            due = .number(String(instant.quotientRoundedDown(by: 1_000).quotient))
        }
        var writer = JSONWriter()
        writer.append(.array([.text("ChronoList"), .text(item.title), .text(item.project), due]))
        return writer.bytes
    }

    private static func stamped(_ bits: UInt128) -> UInt128 {
        let version: UInt128 = 0xf000 << 64
        let variant: UInt128 = 0xc000_0000_0000_0000
        return bits & ~version & ~variant | 0x8000 << 64 | 0x8000_0000_0000_0000
    }
}
