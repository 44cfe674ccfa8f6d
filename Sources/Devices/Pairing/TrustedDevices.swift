import Crypto
import Glibc
import Storage

/// The devices that this one lets in: a text file beside the store, a device a line.
///
/// A line is a fingerprint, a blank and a name; blank lines and lines that begin with `#` are
/// passed over. A damaged line damages the file: nobody is let in until it is repaired.
package struct TrustedDevices: Sendable {
    /// One of them.
    package struct Device: Equatable, Sendable {
        /// Its key's fingerprint.
        package let fingerprint: Fingerprint
        /// The device's name; nobody checks it.
        package let name: String

        /// A device that is trusted.
        package init(fingerprint: Fingerprint, name: String) {
            self.fingerprint = fingerprint
            self.name = name
        }
    }

    /// All of them, in the file's order.
    package private(set) var devices: [Device] = []

    /// Nobody is trusted.
    package init() {}

    /// Where the file is in a store's folder.
    package static func path(in folder: String) -> String { folder + "/trusted" }

    /// Reads the file; without one nobody is trusted.
    ///
    /// - Throws: which line is wrong, or why it cannot be read.
    package init(contentsOf path: String) throws(TrustedDevicesFault) {
        let bytes: [UInt8]
        do {
            bytes = try PrivateFile.read(path, isSecret: false)
        } catch .missing {
            return
        } catch {
            throw TrustedDevicesFault(error, path: path)
        }
        let text = String(decoding: bytes, as: UTF8.self)
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            guard let first = line.first(where: { $0 != " " }), first != "#" else { continue }
            let words = line.split(separator: " ", maxSplits: 1)
            do {
                let fingerprint = try Fingerprint(parsing: String(words[0]))
                trust(fingerprint, name: words.count > 1 ? String(words[1]) : "")
            } catch {
                throw .damagedLine(path: path, line: index + 1, error)
            }
        }
    }

    /// Whether a key is among them.
    package func contains(_ fingerprint: Fingerprint) -> Bool {
        devices.contains { $0.fingerprint == fingerprint }
    }

    /// Adds a device, or gives it another name.
    package mutating func trust(_ fingerprint: Fingerprint, name: String) {
        let name = String(name.filter { !$0.isNewline })
        let device = Device(fingerprint: fingerprint, name: name)
        if let index = devices.firstIndex(where: { $0.fingerprint == fingerprint }) {
            devices[index] = device
        } else {
            devices.append(device)
        }
    }

    /// Takes a device out; one that is not there is passed over.
    package mutating func distrust(_ fingerprint: Fingerprint) {
        devices.removeAll { $0.fingerprint == fingerprint }
    }

    /// Writes the file, whole or not at all; programs that run take notice at the next handshake.
    ///
    /// - Throws: `failedCall`.
    package func write(to path: String) throws(TrustedDevicesFault) {
        var text = "# The devices that this one lets in: fingerprint, blank, name.\n"
        for device in devices { text += "\(device.fingerprint) \(device.name)\n" }
        do {
            try PrivateFile.write(Array(text.utf8), to: path, replaces: true)
        } catch {
            throw TrustedDevicesFault(error, path: path)
        }
    }
}

/// Why the list of trusted devices cannot be used.
package enum TrustedDevicesFault: Error, Equatable, Sendable {
    /// A line does not begin with a fingerprint.
    case damagedLine(path: String, line: Int, FingerprintProblem)
    /// Another account may have put it there.
    case untrusted(path: String, FileDistrust)
    /// It is larger than any list of devices.
    case tooLarge(path: String)
    /// A system call on it failed.
    case failedCall(path: String, errno: CInt)

    init(_ problem: PrivateFile.Problem, path: String) {
        switch problem {
        case .missing: self = .failedCall(path: path, errno: ENOENT)
        case .exists: self = .failedCall(path: path, errno: EEXIST)
        case .untrusted(let reason): self = .untrusted(path: path, reason)
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
            "\(path), line \(line): \(problem). Next: correct or delete the line; until then no "
                + "device is let in."
        case .untrusted(let path, let reason): "\(path) \(reason)"
        case .tooLarge(let path):
            "\(path) is too large for a list of devices. Next: delete the lines that are no device."
        case .failedCall(let path, let code):
            "\(path): \(String(cString: strerror(code))) (errno \(code)). Next: check the disk "
                + "and the rights of the folder."
        }
    }
}
