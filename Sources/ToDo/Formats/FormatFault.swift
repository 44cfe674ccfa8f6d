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

    /// What is wrong, without the place.
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
            let places = [line.map { "line \($0)" }, byteOffset.map { "byte \($0)" }]
            let place = places.compactMap { $0 }.joined(separator: ", ")
            return "cannot decode as \(format): \(reason)" + (place.isEmpty ? "" : " (\(place))")
        case .badEntry(let format, let line, let entry, _, let reason):
            let place = line.map { " (line \($0))" } ?? ""
            return "cannot decode entry \(entry)\(place) of the \(format) file\(key): \(reason)"
        case .cannotEncode(let format, let entry, _, let reason):
            return "cannot encode item \(entry) as \(format)\(key): \(reason)"
        }
    }
}
