import Core

/// Why a file could not be read or written; says which step failed and where.
package enum FormatFault: Error, Hashable, Sendable {
    /// The file as a whole is not of the format; reading stopped at `line`, from 1, and `byteOffset`.
    case cannotDecode(format: String, reason: String, line: Int? = nil, byteOffset: Int? = nil)
    /// One entry is wrong: the one that begins at `line`, nil where the file has no lines.
    ///
    /// Lines and entries count from 1; `key` is nil if it is the entry as a whole.
    case badEntry(format: String, line: Int? = nil, entry: Int, key: String?, reason: String)
    /// One item cannot be said in the format. `entry` counts from 1.
    case cannotEncode(format: String, entry: Int, key: String?, reason: String)
}

extension FormatFault {
    /// The format that was expected.
    package var format: String {
        switch self {
        case .cannotDecode(let format, _, _, _), .badEntry(let format, _, _, _, _),
            .cannotEncode(let format, _, _, _):
            format
        }
    }

    /// Where a file is wrong; nil where it has no lines.
    package var line: Int? {
        switch self {
        case .cannotDecode(_, _, let line, _), .badEntry(_, let line, _, _, _): line
        case .cannotEncode: nil
        }
    }

    /// Which entry or item is wrong; nil if it is the file as a whole.
    package var entry: Int? {
        switch self {
        case .cannotDecode: nil
        case .badEntry(_, _, let entry, _, _), .cannotEncode(_, let entry, _, _): entry
        }
    }

    /// Which field is wrong; nil if it is all of it.
    package var key: String? {
        switch self {
        case .cannotDecode: nil
        case .badEntry(_, _, _, let key, _), .cannotEncode(_, _, let key, _): key
        }
    }

    /// The fault without its position, in words for the user.
    package var reason: String {
        switch self {
        case .cannotDecode(_, let reason, _, _), .badEntry(_, _, _, _, let reason),
            .cannotEncode(_, _, _, let reason):
            reason
        }
    }
}

extension FormatFault: CustomStringConvertible {
    /// Which step failed, where and why, for the user.
    package var description: String {
        let key = key.map { ", key '\($0)'" } ?? ""
        switch self {
        case .cannotDecode(let format, let reason, let line, let byteOffset):
            let positions = [line.map { "line \($0)" }, byteOffset.map { "byte \($0)" }]
            let position = positions.compactMap { $0 }.joined(separator: ", ")
            return "cannot decode as \(format): \(reason)"
                + (position.isEmpty ? "" : " (\(position))")
        case .badEntry(let format, let line, let entry, _, let reason):
            let position = line.map { " (line \($0))" } ?? ""
            return "cannot decode entry \(entry)\(position) of the \(format) file\(key): \(reason)"
        case .cannotEncode(let format, let entry, _, let reason):
            return "cannot encode item \(entry) as \(format)\(key): \(reason)"
        }
    }
}

/// A code for what becomes of a field that cannot be kept as it is, with the values that belong to it.
///
/// Each format has an enum of its own; its words are made there and nowhere else.
package protocol FormatReason: Hashable, Sendable {
    /// The code as half a sentence, for the user: `the time of day is left out`.
    var words: String { get }
}

/// The codes that every format may give.
package enum CommonReason: FormatReason {
    /// The field is left out.
    case leftOut
    /// The field gets another value.
    case becomes(String)
    /// The times of so many entries become that of the import.
    case becomesImportTime(count: Int)
    /// A completion of a pending to-do is left out.
    case leftOutAsPending
    /// A value without a name is left out.
    case leftOutWithoutName(String)
    /// A date is left out, as its year is none that people plan for.
    case leftOutInYear(Int)
    /// An entry is the same as an earlier one of its id, at that position.
    case sameEntry(String)
    /// A field of a newer version is left out.
    case newerVersion
    /// A value that to-dos do not have in that field is left out, as another device wrote it.
    case unusable
    /// An entry that would not be read again.
    case unreadable(FormatFault)

    /// The code as half a sentence, for the user.
    package var words: String {
        switch self {
        case .leftOut: "left out"
        case .becomes(let value):
            "becomes \(FormatLoss.beginning(of: value).replacing("\n", with: " "))"
        case .becomesImportTime(let count): "of \(count) becomes the time of the import"
        case .leftOutAsPending: "left out, as the to-do is pending"
        case .leftOutWithoutName(let value): "left out, as it has no name: \(value)"
        case .leftOutInYear(let year): "left out, as it is in the year \(year)"
        case .sameEntry(let position): "the same to-do as the one \(position); it counts once"
        case .newerVersion: "left out; a newer version wrote it"
        case .unusable: "left out; its value is of a kind that the field does not have"
        case .unreadable(let fault):
            "the entry cannot be read again: \(fault.key ?? "it") \(fault.reason)"
        }
    }
}

/// A detail that a format cannot carry of one to-do, or that we do not keep of one entry.
package struct FormatLoss: Sendable {
    /// Which entry or item of the file, from 1; 0 for what is lost of all of them.
    package var entry: Int
    /// Its title, for the user to find it by; "" if it has none.
    package var title: String
    /// The field, by the name that it has where it is lost.
    package var field: String
    /// The code of the loss.
    package let code: any FormatReason

    /// The loss as half a sentence, for the user.
    package var reason: String { code.words }

    /// One field of one entry.
    package init(entry: Int, title: String, field: String, _ code: any FormatReason) {
        self.entry = entry
        self.title = title
        self.field = field
        self.code = code
    }

    /// The most scalars of a file's own text that are quoted in a line; a character may have any number.
    private static let quotedScalarCountMax = 60

    /// As much of a text as a line quotes.
    package static func beginning(of text: String) -> String {
        let scalars = text.unicodeScalars
        let end = scalars.index(
            scalars.startIndex, offsetBy: quotedScalarCountMax, limitedBy: scalars.endIndex)
        guard let end, end < scalars.endIndex else { return text }
        return String(scalars[..<end]) + "…"
    }
}

extension FormatLoss {
    /// The same with the beginning of a long title: of a file of any length many are listed.
    var shortened: FormatLoss {
        FormatLoss(
            entry: entry, title: Self.beginning(of: title), field: Self.beginning(of: field), code)
    }
}

extension FormatLoss: Hashable {
    package static func == (left: FormatLoss, right: FormatLoss) -> Bool {
        left.entry == right.entry && left.title == right.title && left.field == right.field
            && AnyHashable(left.code) == AnyHashable(right.code)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(entry)
        hasher.combine(title)
        hasher.combine(field)
        code.hash(into: &hasher)
    }
}

/// The fault of one field's text, without its position.
struct CellFault: Error, Equatable {
    var reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}

/// How much of a file is taken in; what is over a limit is refused and told.
///
/// The limits of one entry are those of the store (`RecordLimits`), so that what was read can be
/// kept, and what was kept can be read.
package enum FormatLimits {
    /// The largest file, in bytes.
    package static let fileByteCountMax = 256 * 1024 * 1024

    /// The longest file that is read as a whole where its format can be read piece by piece, in bytes.
    package static let heldByteCountMax = 16 * 1024 * 1024

    /// Whether a file that is short enough to be read as a whole has no more lines than may be read of it so.
    package static func isHeld(_ bytes: [UInt8]) -> Bool {
        bytes.count { $0 == 10 || $0 == 13 } <= entryCountMax
    }

    /// The longest file from a pipe that is read piece by piece, in bytes; it is copied to the disk.
    package static let longFileByteCountMax = 8 * 1024 * 1024 * 1024

    /// The pieces of a longer one, in bytes.
    package static let pieceByteCount = 256 * 1024

    /// The most bad entries, losses and remarks of a file read piece by piece that are listed of each; more are counted.
    package static let listedFaultCountMax = 10_000
    /// The most to-dos of a long file that a rehearsal of its import lists.
    package static let listedStepCountMax = 10_000
    /// The most changed fields of each of these that it lists.
    package static let listedFieldCountMax = 20

    /// The longest entry, in bytes of the file; its parts take many times as much of memory.
    package static let entryByteCountMax = 16 * 1024 * 1024

    /// The most entries of one file; also of one array in it, and of those that wait for the end of a file of any length.
    package static let entryCountMax = 1_000_000

    /// The longest title, notes or other text, in bytes of UTF-8.
    package static let textByteCountMax = RecordLimits.valueByteCountMax - 9

    /// The longest name of a custom field, in bytes of UTF-8.
    package static let nameByteCountMax = RecordLimits.nameByteCountMax

    /// The most fields of one to-do; each tag, person and stretch of work counts as one.
    package static let fieldCountMax = RecordLimits.localFreeValueCountMax

    /// The most that the fields of one to-do make together, in bytes.
    package static let itemByteCountMax = RecordLimits.localBodyByteCountMax - 256 * 1024

    /// The deepest nesting of values in one another, in levels.
    package static let depthMax = 64

    /// The most columns of a table, in cells of one row.
    package static let columnCountMax = 4096

    /// The years of dates in other programs' files; more is a slip, not a plan.
    package static let years = 1...9_999

    /// The words on an entry that is too long.
    static let entryTooLong = "an entry has more than \(entryByteCountMax) bytes"

    /// Refuses a file of which too many entries wait for its end, or too long ones.
    package static func check(
        heldCount: Int, byteCount: Int = 0, max: Int = fileByteCountMax, format: String
    ) throws(FormatFault) {
        guard heldCount <= entryCountMax, byteCount <= max else {
            let limit = heldCount > entryCountMax ? "\(entryCountMax) entries" : "\(max) bytes"
            throw .cannotDecode(
                format: format, reason: "more than \(limit) need others that may stand below")
        }
    }

    /// Refuses a file that is too large, before any of it is read.
    static func check(_ bytes: [UInt8], format: String) throws(FormatFault) {
        guard bytes.count <= fileByteCountMax else {
            throw .cannotDecode(
                format: format, reason: "the file has more than \(fileByteCountMax) bytes")
        }
    }
}
