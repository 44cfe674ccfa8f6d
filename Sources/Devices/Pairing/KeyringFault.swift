import Crypto
import Glibc

/// Why a keyring cannot be used.
package enum KeyringFault: Error, Equatable, Sendable {
    /// Others may read or write it.
    case exposed(path: String, mode: UInt32)
    /// A line makes no sense.
    case damagedLine(path: String, line: Int)
    /// It is larger than any keyring.
    case tooLarge(path: String)
    /// A system call on it failed.
    case failedCall(path: String, errno: CInt)

    init(_ problem: PrivateFile.Problem, path: String) {
        switch problem {
        case .missing: self = .failedCall(path: path, errno: ENOENT)
        case .exists: self = .failedCall(path: path, errno: EEXIST)
        case .exposed(let mode): self = .exposed(path: path, mode: mode)
        case .tooLarge: self = .tooLarge(path: path)
        case .failedCall(let code): self = .failedCall(path: path, errno: code)
        }
    }
}

extension KeyringFault: CustomStringConvertible {
    /// The fault in words, then the next step.
    package var description: String {
        switch self {
        case .exposed(let path, let mode):
            "\(path) holds the space's secret and may be read by others (mode "
                + "\(String(mode, radix: 8))). Next: chmod 600 \(path)"
        case .damagedLine(let path, let line):
            "\(path), line \(line), makes no sense. Next: correct it; or move the file away, and join "
                + "once more with a code from another device"
        case .tooLarge(let path): "\(path) is too large. Next: look what is in it."
        case .failedCall(let path, let code):
            "\(path): \(String(cString: strerror(code))) (errno \(code)). Next: check the disk and "
                + "the rights of the folder."
        }
    }
}
