import Crypto
import Glibc

/// Why the list of trusted devices cannot be used.
package enum TrustedDevicesFault: Error, Equatable, Sendable {
    /// A line does not begin with a fingerprint.
    case damagedLine(path: String, line: Int, FingerprintProblem)
    /// It is larger than any list of devices.
    case tooLarge(path: String)
    /// A system call on it failed.
    case failedCall(path: String, errno: CInt)

    init(_ problem: PrivateFile.Problem, path: String) {
        switch problem {
        case .missing: self = .failedCall(path: path, errno: ENOENT)
        case .exists: self = .failedCall(path: path, errno: EEXIST)
        case .exposed: self = .failedCall(path: path, errno: EPERM)
        case .tooLarge: self = .tooLarge(path: path)
        case .failedCall(let code): self = .failedCall(path: path, errno: code)
        }
    }
}

extension TrustedDevicesFault: CustomStringConvertible {
    /// The fault in words, then the next step.
    package var description: String {
        switch self {
        case .damagedLine(let path, let line, let problem):
            "\(path), line \(line): \(problem). Next: mend or delete the line; until then no "
                + "device is let in."
        case .tooLarge(let path): "\(path) is too large. Next: look what is in it."
        case .failedCall(let path, let code):
            "\(path): \(String(cString: strerror(code))) (errno \(code)). Next: check the disk "
                + "and the rights of the folder."
        }
    }
}
