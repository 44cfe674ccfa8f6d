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

    /// The most components in a file.
    package static let componentCountMax = 500_000

    /// The most content lines of one to-do, those of its alarms included.
    package static let lineCountMax = 20_000

    /// The longest line that is written, in bytes without its end (RFC 5545 3.1).
    static let foldByteCount = 75
}
