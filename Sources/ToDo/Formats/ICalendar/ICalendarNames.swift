import Core
import Storage

/// The names of properties, and what is kept of them beside a to-do's own fields.
///
/// A custom field `ical:NAME` holds what follows the name in the content line, folds undone:
/// parameters, colon, value; of several lines of one name each is a line of the text, and a component
/// is there whole, from BEGIN to END.
enum ICalendarNames {
    /// What the names of such custom fields begin with.
    static let customPrefix = "ical:"

    /// The mark of what we wrote; who has lost it drops what it does not know.
    static let version = "X-TANDEM-VERSION"
    /// JSON with what the other lines do not say exactly.
    static let more = "X-TANDEM-MORE"
    /// A parameter of a DTSTART that is there because an RRULE needs one.
    static let stand = "X-TANDEM"

    /// What our own properties begin with.
    static let ownPrefix = "X-TANDEM-"

    /// What every edit changes: not kept with the to-do.
    static let volatile: Set<String> = ["DTSTAMP", "LAST-MODIFIED", "SEQUENCE"]

    /// What becomes fields of a to-do.
    static let known: Set<String> = [
        "UID", "SUMMARY", "DESCRIPTION", "LOCATION", "DUE", "DTSTART", "STATUS", "COMPLETED",
        "PERCENT-COMPLETE", "PRIORITY", "CATEGORIES", "RELATED-TO", "RRULE", "CREATED",
    ]

    /// What any program that edits to-dos knows: where it is missing, somebody cleared it.
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
