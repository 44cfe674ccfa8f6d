/// The time zones that the dates of a calendar name.
///
/// A TZID is looked up in the system's zone files, with or without a prefix such as
/// `/freeassociation.sourceforge.net/`; else in the calendar's own VTIMEZONE.
struct ICalendarZones {
    /// The longest TZID that is looked up, in bytes.
    private static let nameByteCountMax = 128
    /// The most names that are looked up in one calendar.
    private static let nameCountMax = 1_000

    /// The zone in which a time without a zone is meant.
    let local: LocalTimeZone
    /// Finds a zone of the system by its name.
    let system: @Sendable (String) -> LocalTimeZone?
    /// The calendar's own, by name.
    private var own: [String: ICalendarComponent] = [:]
    private var known: [String: LocalTimeZone?] = [:]

    init(
        local: LocalTimeZone,
        system: @escaping @Sendable (String) -> LocalTimeZone? = { ToDoStore.zone(named: $0) }
    ) {
        self.local = local
        self.system = system
    }

    /// Takes the zones that a calendar describes.
    mutating func describe(_ calendar: ICalendarComponent) {
        own = [:]
        known = [:]
        for component in calendar.components where component.name == "VTIMEZONE" {
            guard let name = component["TZID"] else { continue }
            own[ICalendarText.read(name.value)] = component
        }
    }

    /// The zone of a TZID; nil if nothing tells what it is.
    mutating func zone(named name: String) -> LocalTimeZone? {
        if let found = known[name] { return found }
        guard known.count < Self.nameCountMax else { return nil }
        let found = find(name)
        known[name] = .some(found)
        return found
    }

    private func find(_ name: String) -> LocalTimeZone? {
        guard name.utf8.count <= Self.nameByteCountMax else { return nil }
        let parts = name.split(separator: "/").map { String($0) }
        // Only the ends of a name with a prefix: the longest that the system knows.
        for count in stride(from: min(3, parts.count), through: 1, by: -1) {
            let candidate = parts.suffix(count).joined(separator: "/")
            // Nothing that might lead out of the folder of zones.
            guard candidate.utf8.allSatisfy(Self.isNameByte), !candidate.contains("..") else {
                break
            }
            if count < parts.count, count == 1 { break }
            if let zone = system(candidate) { return zone }
        }
        return own[name].flatMap(ICalendarZoneRule.zone)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "_+-/".utf8.contains(byte)
        }
    }
}
