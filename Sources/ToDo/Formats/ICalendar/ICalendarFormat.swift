import Core
import Storage

/// iCalendar to-dos: VTODO of RFC 5545, checked with icalendar, todoman and vdirsyncer.
///
/// | ours | theirs |
/// |---|---|
/// | id | `UID`: the UUID; a foreign UID gives an id that is the same everywhere and goes out unchanged |
/// | title, notes, location | `SUMMARY`, `DESCRIPTION`, `LOCATION` |
/// | due, scheduled | `DUE`, `DTSTART`: a day as `VALUE=DATE`, an instant in UTC; with TZID or floating they are read |
/// | pending | `STATUS:NEEDS-ACTION`, or `IN-PROCESS` while work goes on |
/// | completed, and when | `STATUS:COMPLETED`, `PERCENT-COMPLETE:100`, `COMPLETED` |
/// | cancelled | `STATUS:CANCELLED` |
/// | priority high, medium, low | `PRIORITY` 1 to 4, 5, 6 to 9; written as 1, 5, 9; none is 0 or nothing |
/// | tags | `CATEGORIES` |
/// | parent | `RELATED-TO`, the first whose RELTYPE is PARENT |
/// | depends | `RELATED-TO`, those whose RELTYPE is DEPENDS-ON (RFC 9253) |
/// | repeat | `RRULE`, see `ICalendarRule` |
/// | except | `EXDATE`, of the days or times at which DTSTART would come; with times `X-TANDEM-EXCEPT`, their days |
/// | remind | `VALARM`, see `ICalendarAlarms` |
/// | created, modified | `CREATED`, `LAST-MODIFIED` |
/// | project, people | `X-TANDEM-PROJECT`, `X-TANDEM-PERSON` for each |
/// | wait, until, start, finish | `X-TANDEM-WAIT` and so on, in the form of RFC 3339 |
/// | what these do not say exactly | `X-TANDEM-MORE`, see `ICalendarMore` |
/// | custom fields `ical:NAME` | the lines of property or component NAME |
///
/// Our own lines that nobody touched read back as they were. Unknown properties, parameters and alarms are
/// kept as `ICalendarNames` says, and a line of a known one as long as it says what the to-do says: a
/// priority of 3, `DUE;TZID=Europe/Berlin:…`. `DTSTAMP` and `SEQUENCE` tell of the file, and are not kept.
package struct ICalendarFormat: Sendable {
    static let name = "iCalendar"

    /// The program that the file names as its maker.
    static let product = "-//Tandem//Tandem//EN"

    /// The zone in which a time without a zone is meant.
    let zone: LocalTimeZone

    /// Reads times without a zone as those of `zone`.
    package init(zone: LocalTimeZone) {
        self.zone = zone
    }

    /// Reads the to-dos of a file; one that is wrong is told and passed over.
    ///
    /// - Throws: `cannotDecode` if the file is no calendar, or over a limit that holds for all of it.
    package func decode(_ bytes: [UInt8]) throws(FormatFault) -> FormatReading {
        try FormatLimits.check(bytes, format: Self.name)
        var stream = ICalendarStream(
            zone: zone, componentCountMax: ICalendarLimits.componentCountMax)
        try stream.add(bytes[...])
        try stream.finish()
        return stream.take()
    }

    /// Reads a file piece by piece.
    package func stream() -> (any EntryStream)? {
        ICalendarStream(zone: zone)
    }

    /// Writes one calendar with all items.
    ///
    /// - Throws: `cannotEncode` for an item without an id.
    package func encode(_ items: [ToDoItem]) throws(FormatFault) -> FormatWriting {
        var uids: [UInt128: String] = [:]
        for item in items {
            if let identifier = item.identifier { uids[identifier] = ICalendarNames.uid(of: item) }
        }
        var codec = ICalendarItem(zones: ICalendarZones(local: zone)) { uids[$0] }
        var writing = FormatWriting()
        var writer = ICalendarWriter()
        for line in Self.head { writer.append(line) }
        var components: [ICalendarComponent] = []
        for (index, item) in items.enumerated() {
            guard let component = codec.component(item) else {
                throw .cannotEncode(
                    format: Self.name, entry: index + 1, key: "UID", reason: "the item has no id")
            }
            components.append(component)
            writing.losses += Self.losses(item, entry: index + 1)
        }
        for zone in codec.zoneComponents(for: components) { writer.append(zone) }
        for component in components { writer.append(component) }
        writer.append("END:VCALENDAR")
        writing.bytes = writer.bytes
        return writing
    }

    /// An id as a UID of ours has it.
    package static func idText(_ identifier: UInt128) -> String { UUIDText.text(identifier) }

    static let head = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:\(product)"]

    /// The details that other programs do not learn; we read all of them back.
    private static func losses(_ item: ToDoItem, entry: Int) -> [FormatLoss] {
        guard !item.repeats.isEmpty else { return [] }
        let code: ICalendarReason
        if item.repetition == nil || (item.due == nil && item.scheduled == nil) {
            code = .repeatUnknownThere
        } else if item.repetition?.basis == .completion {
            code = .repeatFromDueThere
        } else {
            return []
        }
        return [FormatLoss(entry: entry, title: item.title, field: "repeat", code)]
    }
}

/// One changed occurrence of a to-do that comes again, read as a to-do of its own.
struct ICalendarOccurrence {
    /// The to-do; its id is the same at every import.
    let item: ToDoItem
    let losses: [ICalendarItemReader.Loss]
    /// The id of the to-do that comes again; nil without a UID.
    let series: UInt128?
    let entry: Int
    let line: Int

    /// The custom field that keeps which occurrence it is.
    private static let field = "recurrence-id"

    /// The occurrence that a VTODO is; nil for any other.
    init?(
        _ component: ICalendarComponent, _ item: ToDoItem, _ losses: [ICalendarItemReader.Loss],
        _ entry: Int
    ) {
        guard let property = component["RECURRENCE-ID"] else { return nil }
        var own = item
        // As lines of iCalendar they would make it an occurrence again where it goes out.
        own.custom[ICalendarNames.customPrefix + "RECURRENCE-ID"] = nil
        own.custom[ICalendarNames.customPrefix + "UID"] = nil
        own.custom[Self.field] = .text(property.value)
        if let uid = component["UID"] {
            own.identifier = ICalendarNames.identifier(
                ofUID: "\(ICalendarText.read(uid.value))\nRECURRENCE-ID\(property.rest)")
        }
        self.item = own
        self.losses = losses
        series = item.identifier
        self.entry = entry
        line = component.line
    }
}

/// How large an iCalendar file may be besides `FormatLimits`; what is over is refused with its line.
package enum ICalendarLimits {
    /// The largest file of a folder that holds one to-do a file, in bytes.
    package static let folderFileByteCountMax = 1024 * 1024

    /// How much of such a folder is read at one look, in bytes; what was not changed is not read.
    package static let folderByteCountMax = 256 * 1024 * 1024

    /// The longest content line with its folds undone, in bytes; what it says has the limits of a record.
    package static let lineByteCountMax = 16 * 1024 * 1024

    /// The longest name of a property or component, in bytes.
    package static let nameByteCountMax = 128

    /// The deepest nesting of components; VCALENDAR is the first.
    package static let depthMax = 16

    /// The most components in a file that is read as a whole.
    package static let componentCountMax = 500_000

    /// The most content lines of one to-do, those of its alarms and the BEGIN of each included.
    package static let lineCountMax = 20_000

    /// The longest line that is written, in bytes without its end (RFC 5545 3.1).
    static let foldByteCount = 75
}

/// A fault of an iCalendar file, and its place.
struct ICalendarProblem: Error, Hashable, Sendable {
    /// The line in which it was found; counts from 1.
    var line: Int
    /// The property that is wrong; nil if it is the line or the component as a whole.
    var property: String?
    /// The fault, as half a sentence.
    var reason: String

    init(line: Int, _ reason: String) {
        self.init(line: line, nil, reason)
    }

    init(line: Int, _ property: String?, _ reason: String) {
        self.line = line
        self.property = property
        self.reason = reason
    }

    /// The reason with its line, as faults say it.
    var text: String { "line \(line): \(reason)" }
}

/// The names of properties, and what is kept of them beside a to-do's own fields.
///
/// A custom field `ical:NAME` holds what follows the name in the content line, folds undone:
/// parameters, colon, value; of several lines of one name each is a line of the text, and a component
/// is there whole, from BEGIN to END.
enum ICalendarNames {
    /// The prefix of such custom fields.
    static let customPrefix = "ical:"

    /// The mark of Tandem's own output; a program that lost it drops unknown properties.
    static let version = "X-TANDEM-VERSION"
    /// JSON with what the other lines do not say exactly.
    static let more = "X-TANDEM-MORE"
    /// The days of an EXDATE that has times.
    static let exceptions = "X-TANDEM-EXCEPT"
    /// A parameter of a DTSTART that is there because an RRULE needs one.
    static let stand = "X-TANDEM"

    /// The prefix of our own properties.
    static let ownPrefix = "X-TANDEM-"

    /// Whether a property is a program's own that RFC 5545 does not know, and not one of ours.
    static func isForeignExtension(_ name: String) -> Bool {
        name.hasPrefix("X-") && !name.hasPrefix(stand)
    }

    /// The properties that say nothing without a value, as some programs write a date that was cleared.
    static let empty: Set<String> = [
        "DUE", "DTSTART", "COMPLETED", "CREATED", "LAST-MODIFIED", "PRIORITY", "PERCENT-COMPLETE",
        "STATUS",
    ]

    /// The properties that every edit changes: not kept with the to-do.
    static let volatile: Set<String> = ["DTSTAMP", "LAST-MODIFIED", "SEQUENCE"]

    /// The properties that become fields of a to-do.
    static let known: Set<String> = [
        "UID", "SUMMARY", "DESCRIPTION", "LOCATION", "DUE", "DTSTART", "STATUS", "COMPLETED",
        "PERCENT-COMPLETE", "PRIORITY", "CATEGORIES", "RELATED-TO", "RRULE", "EXDATE", "CREATED",
    ]

    /// The properties that any program for to-dos knows: a missing one was cleared.
    static let core: Set<String> = [
        "SUMMARY", "DESCRIPTION", "DUE", "STATUS", "COMPLETED", "PERCENT-COMPLETE", "PRIORITY",
    ]

    /// Custom fields that hold for one occurrence of what comes again, not for the next.
    static let ofOneOccurrence: Set<String> = Set(
        ["UID", "DUE", "DTSTART", "STATUS", "COMPLETED", "PERCENT-COMPLETE", "CREATED"]
            .map { customPrefix + $0 })

    /// The property that a custom field holds lines of; nil if it holds none.
    static func property(ofCustom name: String) -> String? {
        guard name.hasPrefix(customPrefix) else { return nil }
        let property = String(name.dropFirst(customPrefix.count))
        let isName = property.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
            }
        }
        let isOurs =
            property.hasPrefix(ownPrefix) || volatile.contains(property)
            || property == "BEGIN" || property == "END"
        return isName && !property.isEmpty && !isOurs ? property : nil
    }

    /// The id of the to-do with a UID: the UUID that it is, else one made of it, the same everywhere.
    static func identifier(ofUID uid: String) -> UInt128 {
        UUIDText.value(uid)
            ?? Store.derivedID(ToDoSchema.collection, key: "iCalendar UID\n" + uid).value
    }

    /// The UID of a to-do: the one that it came with, else its id.
    static func uid(of item: ToDoItem) -> String? {
        guard let identifier = item.identifier else { return nil }
        if case .text(let rest)? = item.custom[customPrefix + "UID"],
            let property = try? ICalendarProperty(reading: "UID" + rest, line: 0)
        {
            let uid = ICalendarText.read(property.value)
            // A copy of the to-do has the field, but is another to-do.
            if self.identifier(ofUID: uid) == identifier { return uid }
        }
        return UUIDText.text(identifier)
    }
}

extension ICalendarFormat: ToDoFormat {
    /// The names of the format, and what is known of it without a file.
    package static let profile = FormatProfile(
        "vtodo", otherNames: ["icalendar", "ical", "ics"], family: "iCalendar", note: "iCalendar",
        losses: "", nameEndings: [".ics", ".ical"])

    /// A format as a command line asks for it.
    package init(_ settings: FormatSettings) throws(FormatOptionFault) {
        self.init(zone: settings.zone)
    }
}

/// The codes for what iCalendar and a to-do cannot say of each other.
package enum ICalendarReason: FormatReason {
    /// Components of a file that are no to-dos.
    case othersLeftOut(count: Int)
    /// One changed occurrence of a to-do that comes again.
    case changedOccurrence
    /// One changed occurrence of a to-do that is not in the file.
    case loneOccurrence
    /// Control characters in so many lines, the first of which has that number.
    case controlsLeftOut(lineCount: Int, first: Int)
    /// A value that is none of its property.
    case valueKept(String)
    /// A repetition that other programs do not learn.
    case repeatUnknownThere
    /// A repetition that other programs count from the due date.
    case repeatFromDueThere
    /// A DURATION, from which no due date is counted.
    case durationKept
    /// A status that is none here.
    case statusKept(String)
    /// A time zone that is not known.
    case zoneUnknown(String)
    /// A rule that has no form here.
    case ruleKept

    /// The code as half a sentence, for the user.
    package var words: String {
        switch self {
        case .othersLeftOut(let count):
            count == 1
                ? "1 in the file, which is no to-do, is left out"
                : "\(count) in the file, which are no to-dos, are left out"
        case .changedOccurrence: "one changed occurrence of what repeats is left out"
        case .loneOccurrence:
            "one occurrence of what repeats, which is not in the file; it becomes a to-do of its own"
        case .controlsLeftOut(let count, let first):
            count == 1
                ? "left out of line \(first)"
                : "left out of \(count) lines, the first is line \(first)"
        case .valueKept(let value):
            "'\(FormatLoss.beginning(of: value))' is not understood; the line is kept, and says nothing here"
        case .repeatUnknownThere: "other programs do not learn that it comes again"
        case .repeatFromDueThere: "other programs count from the due date, not from completion"
        case .durationKept: "kept, but no due date is counted from it"
        case .statusKept(let word): "'\(word)' is kept, and the to-do is pending here"
        case .zoneUnknown(let name): "the time zone '\(name)' is not known; read as local time"
        case .ruleKept: "kept, but the to-do does not come again here in that way"
        }
    }
}
