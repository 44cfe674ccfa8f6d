import Glibc

/// Why a device's key and certificate are not to be had.
package enum CertificateFault: Error, Equatable, Sendable {
    /// There is no such file.
    case missing(path: String)
    /// Other users of the machine can read or write it; `mode` is as `chmod` writes it.
    case exposed(path: String, mode: UInt32)
    /// It holds no key and certificate that belong together.
    case damaged(path: String, problem: String)
    /// A system call on it failed.
    case failedCall(path: String, errno: CInt)
    /// OpenSSL cannot make a key; its word.
    case library(String)
    /// This program was built without the trait `Encryption`.
    case notBuiltIn
}

extension CertificateFault: CustomStringConvertible {
    /// The fault in words, then the next step.
    package var description: String {
        switch self {
        case .missing(let path):
            "the device's key \(path) is missing. Next: run tandem serve or tandem sync, which "
                + "make a new one; other devices must be paired again."
        case .exposed(let path, let mode):
            "the device's key \(path) can be used by other users of this machine (mode "
                + "\(String(mode, radix: 8))). Next: chmod 600 \(path); if somebody may have read "
                + "it, delete it instead and pair this device again."
        case .damaged(let path, let problem):
            "the device's key \(path) is damaged: \(problem). Next: put it back from a backup, or "
                + "delete it and pair this device again."
        case .failedCall(let path, let code):
            "\(path): \(String(cString: strerror(code))) (errno \(code)). Next: check the disk "
                + "and the rights of the folder."
        case .library(let word):
            "OpenSSL cannot make a key: \(word). Next: check the installation of OpenSSL 3."
        case .notBuiltIn: "\(SecurityError.notBuiltIn)"
        }
    }
}
