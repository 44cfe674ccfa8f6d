/// The answer to a question about busy times (RFC 4791, section 7.10): to-dos take up none (RFC 5545, section 3.6.2).
package enum ICalendarFreeBusy {
    /// A calendar that says that nobody is busy in a time.
    ///
    /// - Parameters:
    ///   - now: milliseconds since 1970-01-01 UTC.
    ///   - identifier: a UID that no other answer has.
    /// - Returns: its bytes; the ends of the time are left out where iCalendar cannot say them.
    package static func bytes(
        in range: ICalendarQuery.TimeRange, now: Int64, identifier: String
    ) -> [UInt8] {
        func property(_ name: String, _ instant: Int64?) -> ICalendarProperty? {
            instant.flatMap { ICalendarDate.written(instant: $0) }
                .map { ICalendarProperty(name, $0) }
        }
        let properties = [
            ICalendarProperty("UID", ICalendarText.written(identifier)),
            property("DTSTAMP", now), property("DTSTART", range.start),
            property("DTEND", range.end),
        ]
        var writer = ICalendarWriter()
        for line in ICalendarFormat.head { writer.append(line) }
        writer.append(
            ICalendarComponent("VFREEBUSY", properties.compactMap { $0.map { .property($0) } }))
        writer.append("END:VCALENDAR")
        return writer.bytes
    }
}
