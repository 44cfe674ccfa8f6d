import Core
import Glibc
import Storage
import Transport

/// The socket beside a store on which a program waits with a pairing code: whoever serves the store passes strangers on
/// who name its mailbox.
///
/// Only the owner of the folder can reach it. Source: unix(7).
enum PairingSocket {
    private static let prefix = "pairing-"
    private static let suffix = ".sock"

    /// The mailbox of that id.
    static func mailbox(_ id: [UInt8]) -> UInt128 { id.reduce(0) { $0 << 8 | UInt128($1) } }

    private static func name(_ mailbox: UInt128) -> String {
        prefix + Hexadecimal.text(RecordID(value: mailbox).bytes) + suffix
    }

    /// Whether a program may wait with a code for the store in a folder.
    static func isAny(in folder: String) -> Bool {
        SystemEnvironment.environment().disk.fileNames(in: folder).contains {
            $0.hasPrefix(prefix) && $0.hasSuffix(suffix)
        }
    }

    /// Listens for those who are passed on.
    static func listen(
        _ mailbox: UInt128, in folder: String
    ) throws(TransportError) -> Descriptor {
        let name = name(mailbox)
        let found = try make(folder)
        unlink("\(folder)/\(name)")
        let isBound =
            fchmod(found, 0o600) == 0
            && LocalSocket.withAddress(of: name, in: folder) { Glibc.bind(found, $0, $1) == 0 }
            && chmod("\(folder)/\(name)", 0o600) == 0
        guard isBound, Glibc.listen(found, 16) == 0 else {
            let code = errno
            close(found)
            throw .failedCall(.bind, errno: code, about: "\(folder)/\(name)")
        }
        return Descriptor(owning: found)
    }

    /// Connects to the program that waits with a code; nil if none does.
    ///
    /// A socket that a program left behind when it crashed is taken away.
    static func connect(_ mailbox: UInt128, in folder: String) -> Descriptor? {
        let name = name(mailbox)
        guard let found = try? make(folder) else { return nil }
        if LocalSocket.withAddress(of: name, in: folder, { Glibc.connect(found, $0, $1) == 0 }) {
            return Descriptor(owning: found)
        }
        if errno == ECONNREFUSED { unlink("\(folder)/\(name)") }
        close(found)
        return nil
    }

    /// Takes the socket away.
    static func remove(_ mailbox: UInt128, in folder: String) {
        unlink("\(folder)/\(name(mailbox))")
    }

    private static func make(_ folder: String) throws(TransportError) -> CInt {
        let type =
            CInt(SOCK_STREAM.rawValue | UInt32(SOCK_NONBLOCK.rawValue))
            | CInt(SOCK_CLOEXEC.rawValue)
        let found = socket(AF_UNIX, type, 0)
        guard found >= 0 else { throw .failedCall(.socket, errno: errno, about: folder) }
        return found
    }
}
