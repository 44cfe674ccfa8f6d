import Core
import Glibc
import Storage
import Transport

/// The socket beside a store on which a program waits with a pairing code: whoever serves the store passes strangers on
/// who name its mailbox.
///
/// Only the owner of the folder can reach it. Source: unix(7).
package enum PairingSocket {
    private static let prefix = "pairing-"
    private static let suffix = ".sock"

    /// The mailbox of that id.
    static func mailbox(_ id: [UInt8]) -> UInt128 { id.reduce(0) { $0 << 8 | UInt128($1) } }

    private static func name(_ mailbox: UInt128) -> String {
        prefix + Hexadecimal.text(RecordID(value: mailbox).bytes) + suffix
    }

    /// Whether a program waits with a code for the store in a folder; takes away the sockets of those that were killed.
    package static func isAny(in folder: String) -> Bool {
        var isAny = false
        for name in SystemEnvironment.environment().disk.fileNames(in: folder)
        where name.hasPrefix(prefix) && name.hasSuffix(suffix) {
            if LocalSocket.isLeftBehind(name, in: folder) {
                unlink("\(folder)/\(name)")
            } else {
                isAny = true
            }
        }
        return isAny
    }

    /// Listens for those who are passed on.
    package static func listen(
        _ mailbox: UInt128, in folder: String
    ) throws(TransportError) -> Descriptor {
        try LocalSocket.listen(at: name(mailbox), in: folder)
    }

    /// Connects to the program that waits with the code; nil if none does.
    static func connect(_ mailbox: UInt128, in folder: String) -> Descriptor? {
        try? LocalSocket.connect(to: name(mailbox), in: folder)
    }

    /// Takes the socket away.
    package static func remove(_ mailbox: UInt128, in folder: String) {
        unlink("\(folder)/\(name(mailbox))")
    }
}
