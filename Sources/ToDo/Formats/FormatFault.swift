/// Why a file could not be read or written; says which step failed and where.
package enum FormatFault: Error, Equatable, Sendable {
    /// The file as a whole is not of the format; `byteOffset` is where reading stopped.
    case cannotDecode(format: String, reason: String, byteOffset: Int?)
    /// One entry is wrong. `entry` counts from 1; `key` is nil if it is the entry as a whole.
    case badEntry(format: String, entry: Int, key: String?, reason: String)
    /// One item cannot be said in the format. `entry` counts from 1.
    case cannotEncode(format: String, entry: Int, key: String?, reason: String)
}

extension FormatFault: CustomStringConvertible {
    /// Which step failed, where and why, for the user.
    package var description: String {
        switch self {
        case .cannotDecode(let format, let reason, let byteOffset):
            "cannot decode as \(format): \(reason)"
                + (byteOffset.map { " at byte \($0)" } ?? "")
        case .badEntry(let format, let entry, let key, let reason):
            "cannot decode entry \(entry) of the \(format) file"
                + (key.map { ", key '\($0)'" } ?? "") + ": \(reason)"
        case .cannotEncode(let format, let entry, let key, let reason):
            "cannot encode item \(entry) as \(format)" + (key.map { ", key '\($0)'" } ?? "")
                + ": \(reason)"
        }
    }
}
