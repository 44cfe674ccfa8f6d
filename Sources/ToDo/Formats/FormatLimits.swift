import Core

/// How much of a file is taken in; what is over a limit is refused and told.
///
/// The limits of one entry are those of the store (`RecordLimits`), so that what was read can be
/// kept, and what was kept can be read.
package enum FormatLimits {
    /// The largest file, in bytes.
    package static let fileByteCountMax = 256 * 1024 * 1024

    /// The longest entry, in bytes of the file; its parts take many times as much of memory.
    package static let entryByteCountMax = 16 * 1024 * 1024

    /// The most entries of one file; also of one array in it.
    package static let entryCountMax = 1_000_000

    /// The longest title, notes or other text, in bytes of UTF-8.
    package static let textByteCountMax = RecordLimits.valueByteCountMax - 9

    /// The longest name of a custom field, in bytes of UTF-8.
    package static let nameByteCountMax = RecordLimits.nameByteCountMax

    /// The most fields of one to-do; each tag, person and stretch of work counts as one.
    package static let fieldCountMax = RecordLimits.assignmentCountMax

    /// The most that the fields of one to-do make together, in bytes.
    package static let itemByteCountMax = RecordLimits.localBodyByteCountMax - 256 * 1024

    /// The deepest nesting of values in one another, in levels.
    package static let depthMax = 64

    /// The most columns of a table, in cells of one row.
    package static let columnCountMax = 4096

    /// The years of dates in other programs' files; more is a slip, not a plan.
    package static let years = 1...9_999

    /// What is said of an entry that is too long.
    static let entryTooLong = "an entry has more than \(entryByteCountMax) bytes"

    /// Refuses a file that is too large, before any of it is read.
    static func check(_ bytes: [UInt8], format: String) throws(FormatFault) {
        guard bytes.count <= fileByteCountMax else {
            throw .cannotDecode(
                format: format, reason: "the file has more than \(fileByteCountMax) bytes")
        }
    }
}
