import Core
import Crypto
import Glibc
import Storage
import Transport

/// A device's secrets of its space: a file beside the store, readable by its owner alone.
///
/// A line is a word and what belongs to it. Source: Protocol/11-Pairing.md.
package struct Keyring: Equatable, Sendable {
    /// A device that this one admitted with a code.
    package struct Admitted: Equatable, Sendable {
        /// When, by the wall clock; seconds since 1970.
        package let time: Int64
        /// The device, and the bytes that were sent to it.
        package let decision: PairingDecision
    }

    /// The most secrets that are kept; `dropSurplus` says which.
    package static let secretCountMax = 256
    /// The most of them that are distrusted, once there is no room for more.
    static let distrustedCountMax = 8

    /// The most admitted devices that are kept; of more the oldest go.
    package static let admittedCountMax = 32

    /// The space that all of it is about.
    package var space: SpaceID
    /// Whether the space has no secret by its maker's wish.
    package var isPlain = false
    /// The secrets, in order.
    package private(set) var secrets: [SpaceSecret] = []
    /// Secrets received only from since-revoked devices or in rekey messages that these could have
    /// written.
    ///
    /// They still open the way at a relay that has taken one of them; to-dos are not sealed with them.
    package var distrusted: [SpaceSecret] = []
    /// The private key by which the next secret reaches this device.
    package var exchangeKey: [UInt8]
    /// The relays of the space, with the token for those that ask for one.
    package var relays: [String: String] = [:]
    /// The devices that can be reached, as addresses.
    package var peers: Set<String> = []
    /// The devices that this one admitted with codes, the latest last.
    package private(set) var admitted: [Admitted] = []

    /// A keyring without a secret.
    package init(space: SpaceID) {
        self.space = space
        exchangeKey = Self.random(byteCount: 32)
    }

    /// Makes another private key; the new one opens no envelope that was made for the old one.
    mutating func renewExchangeKey() { exchangeKey = Self.random(byteCount: 32) }

    /// The secret that this device seals with: the newest one that is not distrusted; nil in a plain space.
    ///
    /// Two devices that had not heard of each other may each make a secret of one generation; all devices take the one
    /// with the greater bytes. If all are distrusted it is the first, which came with the space or with the pairing
    /// code: without it nothing would be sealed.
    package var secret: SpaceSecret? {
        secrets.last { !distrusted.contains($0) } ?? secrets.first
    }

    /// The generation of the present secret; 0 without one.
    package var generation: UInt32 { secret?.generation ?? 0 }

    /// The latest generation of all secrets; 0 without one.
    var latestGeneration: UInt32 { secrets.last?.generation ?? 0 }

    /// Adds a secret.
    package mutating func add(_ secret: SpaceSecret) {
        guard !secrets.contains(secret) else { return }
        secrets.append(secret)
        secrets.sort { left, right in
            left.generation == right.generation
                ? left.bytes.lexicographicallyPrecedes(right.bytes)
                : left.generation < right.generation
        }
    }

    /// Drops secrets beyond the limit: a member may leave any number of them.
    ///
    /// Distrusted ones go first, then those of the earliest generations. The first one and the present one stay, and as
    /// long as there are others those of some generations.
    mutating func dropSurplus(keeping generations: Set<UInt32>) {
        guard secrets.count > Self.secretCountMax else { return }
        let fixed = [secrets.first, secret].compactMap { $0 }
        let untrusted = Set(secrets.filter(distrusted.contains).dropLast(Self.distrustedCountMax))
        func rank(_ secret: SpaceSecret) -> Int {
            (untrusted.contains(secret) ? 0 : 1) + (generations.contains(secret.generation) ? 1 : 0)
        }
        let loose = secrets.filter { !fixed.contains($0) }
        let ordered = (0...2).flatMap { wanted in loose.filter { rank($0) == wanted } }
        let dropped = Set(ordered.prefix(secrets.count - Self.secretCountMax))
        removeSecrets(where: dropped.contains)
        distrusted.removeAll(where: dropped.contains)
    }

    /// Notes that a device was admitted.
    package mutating func admit(_ decision: PairingDecision, at time: Int64) {
        admitted.append(Admitted(time: time, decision: decision))
        if admitted.count > Self.admittedCountMax {
            admitted.removeFirst(admitted.count - Self.admittedCountMax)
        }
    }

    /// How long after an admission a request to repeat the handover is answered, whoever sends it; seconds.
    static let askingSeconds: Int64 = 3600

    /// Whether a device was admitted so recently that it may ask once more for its handover.
    var mayBeAskedAgain: Bool {
        let now = SystemEnvironment.wallMilliseconds() / 1000
        return admitted.contains { abs(now - $0.time) < Self.askingSeconds }
    }

    /// Removes the secrets that match.
    mutating func removeSecrets(where matches: (SpaceSecret) -> Bool) {
        secrets.removeAll(where: matches)
    }

    /// Bytes from the kernel's generator.
    package static func random(byteCount: Int) -> [UInt8] {
        (0..<byteCount).map { _ in UInt8(truncatingIfNeeded: SystemEnvironment.random()) }
    }

    // MARK: The file

    /// Where the file is in a store's folder.
    package static func path(in folder: String) -> String { folder + "/keyring" }

    /// The file whose lock is held while that file is changed.
    private static func lockPath(in folder: String) -> String { path(in: folder) + ".lock" }

    /// Takes the file away, if there is one, and what lies beside it.
    package static func remove(in folder: String) {
        unlink(path(in: folder))
        unlink(lockPath(in: folder))
    }

    /// Reads the file; nil if there is none.
    package static func read(in folder: String) throws(KeyringFault) -> Keyring? {
        let path = path(in: folder)
        do {
            return try Keyring(
                text: String(decoding: try PrivateFile.read(path, isSecret: true), as: UTF8.self),
                path: path)
        } catch let problem as PrivateFile.Problem {
            if case .missing = problem { return nil }
            throw KeyringFault(problem, path: path)
        } catch let fault as KeyringFault {
            throw fault
        } catch {
            throw .failedCall(path: path, errno: EIO)
        }
    }

    /// Writes the file, whole or not at all.
    package func write(in folder: String) throws(KeyringFault) {
        let path = Self.path(in: folder)
        do {
            try PrivateFile.write(Array(text.utf8), to: path, replaces: true)
        } catch {
            throw KeyringFault(error, path: path)
        }
    }

    /// Changes the file, while no other program does; nil from `change` leaves it as it is.
    ///
    /// - Returns: what the file holds now.
    @discardableResult
    package static func update(
        in folder: String, _ change: (Keyring?) -> Keyring?
    ) throws(KeyringFault) -> Keyring? {
        let lock = lockPath(in: folder)
        let (descriptor, distrust) = FileTrust.open(lock, O_RDWR | O_CREAT)
        if let distrust { throw .untrusted(path: lock, distrust) }
        guard descriptor >= 0 else { throw .failedCall(path: lock, errno: errno) }
        defer { close(descriptor) }
        while flock(descriptor, LOCK_EX) != 0 {
            if errno != EINTR { throw .failedCall(path: lock, errno: errno) }
        }
        let before = try read(in: folder)
        guard let after = change(before), after != before else { return before }
        try after.write(in: folder)
        return after
    }

    var text: String {
        var lines = [
            "# The keys of this device's space: keep it to yourself.", "space \(space.hex)",
        ]
        if isPlain { lines.append("plain") }
        lines += secrets.map { "secret \($0.generation) \(Hexadecimal.text($0.bytes))" }
        lines += distrusted.map { "distrusted \($0.generation) \(Hexadecimal.text($0.bytes))" }
        lines.append("exchange \(Hexadecimal.text(exchangeKey))")
        lines += relays.sorted { $0.key < $1.key }.map { address, token in
            "relay \(address)" + (token.isEmpty ? "" : " \(token)")
        }
        lines += peers.sorted().map { "peer \($0)" }
        lines += admitted.map { admitted in
            let decision = admitted.decision
            let parts = [
                decision.mailbox, decision.fingerprint.bytes, decision.request, decision.answer,
                decision.outcome, Array(decision.name.utf8),
            ]
            return "admitted \(admitted.time) "
                + parts.map { Hexadecimal.text($0) }.joined(separator: " ")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    init(text: String, path: String) throws(KeyringFault) {
        self.init(space: SpaceID(value: 0))
        var hasSpace = false
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() where !line.isEmpty && line.first != "#" {
            let words = line.split(separator: " ").map { String($0) }
            guard readEntry(words) else { throw .damagedLine(path: path, line: index + 1) }
            if words.first == "space" { hasSpace = true }
        }
        guard hasSpace else { throw .damagedLine(path: path, line: 1) }
    }

    private mutating func readEntry(_ words: [String]) -> Bool {
        switch (words.first, words.count) {
        case ("space", 2):
            guard let found = Hexadecimal.bytes(words[1]).flatMap({ SpaceID(bytes: $0) }) else {
                return false
            }
            space = found
        case ("plain", 1): isPlain = true
        case ("secret", 3), ("distrusted", 3):
            guard let generation = UInt32(words[1]), let bytes = Hexadecimal.bytes(words[2]),
                let secret = SpaceSecret(bytes: bytes, generation: generation)
            else { return false }
            if words[0] == "secret" { add(secret) } else { distrusted.append(secret) }
        case ("exchange", 2):
            guard let key = Hexadecimal.bytes(words[1]), key.count == 32 else { return false }
            exchangeKey = key
        case ("relay", 2...3): relays[words[1]] = words.count > 2 ? words[2] : ""
        case ("peer", 2): peers.insert(words[1])
        case ("admitted", 8):
            let parts = words[2...].compactMap { Hexadecimal.bytes($0) }
            guard let time = Int64(words[1]), parts.count == 6,
                let fingerprint = Fingerprint(bytes: parts[1]),
                let name = String(validating: parts[5], as: UTF8.self)
            else { return false }
            admit(
                PairingDecision(
                    mailbox: parts[0], fingerprint: fingerprint, name: name, request: parts[2],
                    answer: parts[3], outcome: parts[4]), at: time)
        // From a newer version: a line that is dropped could be a key.
        default: return false
        }
        return true
    }
}

extension SpaceID {
    fileprivate var hex: String { Hexadecimal.text(bytes) }
}

/// Why a keyring cannot be used.
package enum KeyringFault: Error, Equatable, Sendable {
    /// Others may read or write it.
    case exposed(path: String, mode: UInt32)
    /// Another account may have put it there.
    case untrusted(path: String, FileDistrust)
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
        case .untrusted(let reason): self = .untrusted(path: path, reason)
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
        case .untrusted(let path, let reason): "\(path) \(reason)"
        case .damagedLine(let path, let line):
            "\(path), line \(line), makes no sense. Next: correct it; or move the file away, and join "
                + "once more with a code from another device"
        case .tooLarge(let path):
            "\(path) is larger than a keyring can be. Next: move the file away, and join once more "
                + "with a code from another device."
        case .failedCall(let path, let code):
            "\(path): \(String(cString: strerror(code))) (errno \(code)). Next: check the disk and "
                + "the rights of the folder."
        }
    }
}
