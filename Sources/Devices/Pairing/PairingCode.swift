import Core
import Crypto
import Transport

/// The code that `tandem invite` makes for another device: all that it needs to join the space.
///
/// Source: Protocol/11-Pairing.md.
package struct PairingCode: Equatable, Sendable {
    /// Where to go with it.
    package struct Address: Hashable, Sendable {
        /// The kind of peer at the address.
        package enum Kind: UInt8, Sendable {
            /// A relay.
            case relay = 1
            /// The device that invites.
            case device = 2
        }

        /// The kind of peer at the address.
        package var kind: Kind
        /// Where.
        package var hostAndPort: HostAndPort
        /// The fingerprint that the peer must prove to own.
        package var fingerprint: Fingerprint

        /// An address.
        package init(_ kind: Kind, _ hostAndPort: HostAndPort, _ fingerprint: Fingerprint) {
            self.kind = kind
            self.hostAndPort = hostAndPort
            self.fingerprint = fingerprint
        }
    }

    /// The form that is written here.
    static let version: UInt8 = 1
    /// The bytes of an invitation's id.
    package static let inviteByteCount = 16
    /// The most addresses in a code.
    package static let addressCountMax = 8
    /// The longest code, in bytes and in characters.
    static let byteCountMax = 1024
    static let digitCountMax = 2048
    private static let checkByteCount = 4

    /// The space.
    package var space: SpaceID
    /// Its rule.
    package var policy: DeletePolicy
    /// Its secret; nil in a space without encryption.
    package var secret: SpaceSecret?
    /// Names the invitation; random, and used once.
    package var invite: [UInt8]
    /// Until when it is good: seconds since 1970.
    package var expiry: UInt32
    /// Where to go with it, the best first.
    package var addresses: [Address]

    /// A code.
    package init(
        space: SpaceID, policy: DeletePolicy, secret: SpaceSecret?, invite: [UInt8],
        expiry: UInt32, addresses: [Address]
    ) {
        self.space = space
        self.policy = policy
        self.secret = secret
        self.invite = invite
        self.expiry = expiry
        self.addresses = addresses
    }

    /// The text without blanks, as it stands in a QR code.
    package var text: String { CodeText.encode(bytes) }

    var bytes: [UInt8] {
        var bytes: [UInt8] = [Self.version, 0, 0]
        bytes += space.bytes
        bytes.append(policy.rawValue)
        bytes += Self.bigEndian(secret?.generation ?? 0)
        bytes += secret?.bytes ?? []
        bytes += invite
        bytes += Self.bigEndian(expiry)
        bytes.append(UInt8(addresses.count))
        for address in addresses {
            let host = Array(address.hostAndPort.host.utf8)
            bytes.append(address.kind.rawValue)
            bytes += address.fingerprint.bytes
            bytes += [UInt8(address.hostAndPort.port >> 8), UInt8(address.hostAndPort.port & 255)]
            bytes.append(UInt8(host.count))
            bytes += host
        }
        let count = bytes.count + Self.checkByteCount
        bytes[1] = UInt8(count >> 8)
        bytes[2] = UInt8(count & 255)
        return bytes + Self.check(bytes)
    }

    /// Reads what was typed, pasted or scanned.
    package init(parsing text: String) throws(PairingProblem) {
        let (bytes, problem) = CodeText.decode(text)
        if let problem {
            // A code that is cut off in the middle of a line looks mistyped, unless its length is
            // known.
            guard case .wrongEnd = problem, bytes.count >= 3 else { throw problem }
            let count = Int(bytes[1]) << 8 | Int(bytes[2])
            throw Self.isCutOff(text, byteCount: count) ? .cutOff : problem
        }
        try self.init(bytes)
    }

    private static func isCutOff(_ text: String, byteCount: Int) -> Bool {
        let given = text.unicodeScalars.count { $0 != "-" && !$0.properties.isWhitespace }
        let digits = (byteCount * 8 + 4) / 5
        let lineCount = CodeText.lineCount - 1
        return given < digits + (digits + lineCount - 1) / lineCount
    }

    init(_ bytes: [UInt8]) throws(PairingProblem) {
        guard let first = bytes.first else { throw .cutOff }
        guard first == Self.version else { throw .newer(version: Int(first)) }
        guard bytes.count >= 3 else { throw .cutOff }
        let count = Int(bytes[1]) << 8 | Int(bytes[2])
        guard bytes.count >= count else { throw .cutOff }
        guard count <= Self.byteCountMax, count > 3 + Self.checkByteCount, bytes.count == count
        else { throw .wrongLines }
        let content = bytes.dropLast(Self.checkByteCount)
        guard Array(bytes.suffix(Self.checkByteCount)) == Self.check(Array(content)) else {
            throw .wrongLines
        }
        var reader = Reader(rest: content.dropFirst(3))
        guard let found = Self.read(&reader), reader.rest.isEmpty else { throw .wrongLines }
        self = found
    }

    private static func read(_ reader: inout Reader) -> PairingCode? {
        guard let space = reader.consume(16).flatMap({ SpaceID(bytes: $0) }),
            let rule = reader.byte(),
            let policy = DeletePolicy(rawValue: rule), let generation = reader.number()
        else { return nil }
        var secret: SpaceSecret?
        if generation > 0 {
            guard let bytes = reader.consume(SpaceSecret.byteCount) else { return nil }
            secret = SpaceSecret(bytes: bytes, generation: generation)
        }
        guard let invite = reader.consume(inviteByteCount), let expiry = reader.number(),
            let count = reader.byte(), count <= addressCountMax
        else { return nil }
        var addresses: [Address] = []
        for _ in 0..<count {
            guard let kind = reader.byte().flatMap(Address.Kind.init(rawValue:)),
                let hash = reader.consume(Fingerprint.byteCount),
                let fingerprint = Fingerprint(bytes: hash), let high = reader.byte(),
                let low = reader.byte(), let length = reader.byte(),
                let host = reader.consume(Int(length)),
                let name = String(validating: host, as: UTF8.self), !name.isEmpty
            else { return nil }
            let hostAndPort = HostAndPort(host: name, port: UInt16(high) << 8 | UInt16(low))
            // A text that cannot be written as an address could not be read later either.
            guard let again = try? HostAndPort(parsing: hostAndPort.description),
                again == hostAndPort
            else { return nil }
            addresses.append(Address(kind, hostAndPort, fingerprint))
        }
        return PairingCode(
            space: space, policy: policy,
            secret: secret, invite: invite, expiry: expiry, addresses: addresses)
    }

    /// Whether the time is over.
    ///
    /// - Parameter now: milliseconds since 1970.
    package func check(now: Int64) throws(PairingProblem) {
        let seconds = now / 1000 - Int64(expiry)
        if seconds >= 0 { throw .expired(seconds: max(seconds, 1)) }
    }

    private static func check(_ bytes: [UInt8]) -> [UInt8] {
        let hash = SipHash(key0: 0x7061_6972, key1: 1).hash128(bytes)
        return bigEndian(UInt32(truncatingIfNeeded: hash))
    }

    private static func bigEndian(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    private struct Reader {
        var rest: ArraySlice<UInt8>

        mutating func consume(_ count: Int) -> [UInt8]? {
            guard rest.count >= count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }

        mutating func byte() -> UInt8? { rest.popFirst() }

        mutating func number() -> UInt32? { consume(4)?.reduce(0) { $0 << 8 | UInt32($1) } }
    }
}

/// Why a pairing code cannot be used.
package enum PairingProblem: Error, Equatable, Sendable {
    /// A character that no code has.
    case strayCharacter(Character)
    /// A line whose check does not fit.
    case mistyped(line: Int)
    /// The last line, which is shorter than the others, does not fit.
    case wrongEnd(line: Int)
    /// Something is missing at its end.
    case cutOff
    /// More than any code has.
    case tooLong
    /// Every line fits, but not the whole: lines are missing, doubled, or in another order.
    case wrongLines
    /// Made by a newer version.
    case newer(version: Int)
    /// The time for which it was made is over; seconds since then.
    case expired(seconds: Int64)
}

extension PairingProblem: CustomStringConvertible {
    /// The problem in words, then the next step.
    package var description: String {
        switch self {
        case .strayCharacter(let character):
            "a code has no '\(character)' in it; it has digits and letters, and hyphens between them"
        case .mistyped(let line):
            "line \(line) of the code is mistyped; compare it with the other device's screen"
        case .wrongEnd(let line):
            "line \(line) of the code, its last, is mistyped or cut off; compare it with the other "
                + "device's screen"
        case .cutOff: "the end of the code is missing; take all of its lines"
        case .tooLong: "that is longer than any code; take the code alone"
        case .wrongLines:
            "the lines of the code do not belong together; take each once, from top to bottom"
        case .newer(let version):
            "the code was made by a newer version of Tandem (form \(version)); update Tandem here"
        case .expired(let seconds):
            "the code ran out \(Self.span(seconds)) ago; make a new one on the other device, and if it is "
                + "new, check the clocks of both"
        }
    }

    private static func span(_ seconds: Int64) -> String {
        switch seconds {
        case 1: "1 second"
        case ..<120: "\(seconds) seconds"
        case ..<7200: "\(seconds / 60) minutes"
        case ..<172_800: "\(seconds / 3600) hours"
        default: "\(seconds / 86_400) days"
        }
    }
}
