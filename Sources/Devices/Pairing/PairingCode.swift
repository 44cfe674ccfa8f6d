import Core
import Glibc
import Synchronization
import Transport

/// The code that an invitation shows: where both devices meet, a key for one time, and by what the inviting device is
/// known there; nothing of the space.
///
/// Source: Protocol/11-Pairing.md §1.
package struct PairingCode: Equatable, Sendable {
    /// The bytes of the key.
    package static let keyByteCount = 16
    /// The bytes of the pin.
    package static let pinByteCount = 10
    /// The longest text that is read, in bytes.
    static let textByteCountMax = 1024
    /// The longest name of a host.
    static let hostByteCountMax = 253

    /// Where both meet: a relay, or the device that invites.
    package let meeting: HostAndPort
    /// The key for one use; zeros after `wipe`, in all copies of the code.
    package var key: [UInt8] { memory.bytes }
    private let memory: CodeKey
    /// The first bytes of the hash of the inviting device's one-time public key.
    package let pin: [UInt8]

    /// A code; nil if its parts have other lengths, or the meeting point cannot be written.
    package init?(meeting: HostAndPort, key: [UInt8], pin: [UInt8]) {
        guard key.count == Self.keyByteCount, pin.count == Self.pinByteCount,
            let meeting = Self.meeting(Self.text(of: meeting))
        else { return nil }
        self.meeting = meeting
        memory = CodeKey(key[...])
        self.pin = pin
    }

    /// The meeting point as it stands in a code: small letters, and a number of IPv6 without brackets.
    private static func text(of meeting: HostAndPort) -> String {
        "\(meeting.host):\(meeting.port)".lowercased()
    }

    private static func meeting(_ text: some StringProtocol) -> HostAndPort? {
        let text = text.lowercased()
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let port = text[text.index(after: colon)...]
        var host = text[..<colon]
        if host.first == "[", host.last == "]" { host = host.dropFirst().dropLast() }
        let shown = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        guard let found = try? HostAndPort(parsing: shown), found.port > 0,
            found.host.utf8.count <= hostByteCountMax
        else { return nil }
        return found
    }

    /// The characters; nil once the key is wiped.
    private var characters: String? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.keyByteCount + Self.pinByteCount)
        defer { bytes.wipe() }
        memory.append(to: &bytes)
        if memory.isWiped { return nil }
        bytes += pin
        return CodeText.encode(bytes, at: Self.text(of: meeting))
    }

    /// The code in one line, for people: the meeting point, a slash, and the characters in groups; empty once the key is wiped.
    ///
    /// Made anew each time: a text cannot be wiped, so nothing should keep one.
    package var text: String {
        characters.map { "\(Self.text(of: meeting))/\(CodeText.grouped($0))" } ?? ""
    }

    /// The code for a QR code: the same in capitals, without hyphens.
    package var drawnText: String {
        characters.map { "\(Self.text(of: meeting))/\($0)".uppercased() } ?? ""
    }

    /// Reads what was typed, pasted or scanned.
    package init(parsing text: String) throws(PairingProblem) {
        guard text.utf8.count <= Self.textByteCountMax else { throw .tooLong }
        guard let slash = text.lastIndex(of: "/") else { throw .noMeeting }
        let shown = text[..<slash].filter { !$0.isWhitespace }
        guard let meeting = Self.meeting(shown) else { throw .noMeeting }
        var bytes = try CodeText.decode(
            text[text.index(after: slash)...], at: Self.text(of: meeting),
            byteCount: Self.keyByteCount + Self.pinByteCount)
        defer { bytes.wipe() }
        self.meeting = meeting
        memory = CodeKey(bytes.prefix(Self.keyByteCount))
        pin = Array(bytes.suffix(Self.pinByteCount))
    }
}

extension PairingCode {
    /// Whether two codes are the same.
    package static func == (left: PairingCode, right: PairingCode) -> Bool {
        left.meeting == right.meeting && left.key == right.key && left.pin == right.pin
    }

    /// Forgets the key, in all copies of the code.
    package func wipe() { memory.wipe() }
}

/// The key of a code: one memory for all copies of it, which is wiped at the latest when nobody holds one any more.
private final class CodeKey: Sendable {
    private struct Room {
        let memory: UnsafeMutableRawBufferPointer
        /// Zeros alone tell nothing: a key may be made of them.
        var isWiped = false
    }

    private let room: Mutex<Room>

    init(_ bytes: ArraySlice<UInt8>) {
        let made = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        made.copyBytes(from: bytes)
        room = Mutex(Room(memory: made))
    }

    deinit {
        wipe()
        room.withLock { $0.memory.deallocate() }
    }

    var bytes: [UInt8] { room.withLock { Array($0.memory) } }

    var isWiped: Bool { room.withLock { $0.isWiped } }

    func append(to bytes: inout [UInt8]) {
        room.withLock { bytes.append(contentsOf: $0.memory) }
    }

    func wipe() {
        room.withLock { room in
            if let start = room.memory.baseAddress { explicit_bzero(start, room.memory.count) }
            room.isWiped = true
        }
    }
}

extension [UInt8] {
    /// Overwrites the bytes with zeros, in a way that no compiler leaves out.
    ///
    /// Whoever holds another copy of the array keeps it; of one that grew, what it left behind stays.
    mutating func wipe() {
        withUnsafeMutableBytes { bytes in
            if let start = bytes.baseAddress { explicit_bzero(start, bytes.count) }
        }
    }
}

/// Why a pairing code cannot be used.
package enum PairingProblem: Error, Equatable, Sendable {
    /// There is no meeting point in front of a slash.
    case noMeeting
    /// A character that no code has.
    case strayCharacter(Character)
    /// The check does not fit.
    case mistyped
    /// Something is missing at its end.
    case cutOff
    /// More than any code has.
    case tooLong
}

extension PairingProblem: CustomStringConvertible {
    /// The problem in words, then the next step.
    package var description: String {
        switch self {
        case .noMeeting:
            "a code begins with an address and a slash, like example.org:7718/; take all of it"
        case .strayCharacter(let character):
            "a code has no '\(character)' in it; it has digits and letters, and hyphens between them"
        case .mistyped: "the code is mistyped; compare it with the other device's screen"
        case .cutOff: "the end of the code is missing; take all of it"
        case .tooLong: "that is longer than any code; take the code alone"
        }
    }
}
