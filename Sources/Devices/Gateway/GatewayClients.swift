import Core
import Crypto
import Storage
import Transport

/// A program that may use the gateway for calendars, such as the one for to-dos on a phone.
package struct GatewayClient: Hashable, Sendable {
    /// The stable identifier of its credential: 16 hexadecimal digits; another one if its name is given again.
    package let identifier: String
    /// The name that people gave it, and its user name.
    package let name: String
    /// When it was added; milliseconds since 1970-01-01 UTC.
    package let added: Int64
    /// When it was last let in, to the day; milliseconds since 1970-01-01 UTC, nil for never.
    package let lastUsed: Int64?

    fileprivate let salt: [UInt8]
    fileprivate let hash: [UInt8]

    /// The first half of the ids that stand for clients where the mass-delete guard counts: `gateway ` in ASCII.
    private static let guardMark: UInt128 = 0x6761_7465_7761_7920 << 64

    /// The id that stands for the client where the mass-delete guard counts deletes; no replica's.
    package var guardIdentifier: ReplicaID { Self.guardIdentifier(of: identifier) }

    /// The id that stands for a client of that identifier.
    fileprivate static func guardIdentifier(of identifier: String) -> ReplicaID {
        ReplicaID(value: guardMark | UInt128(UInt64(identifier, radix: 16) ?? 0))
    }

    /// Whether an id stands for a client.
    package static func isGuardIdentifier(_ replica: ReplicaID) -> Bool {
        replica.value >> 64 == guardMark >> 64
    }
}

/// Why the clients of the gateway stay as they are.
package enum GatewayClientFault: Error {
    /// A name is empty, too long, or has a colon or a control character.
    case badName
    /// A client has that name.
    case nameTaken
    /// There are `GatewayClients.countMax` clients.
    case tooMany
    /// There is no client of that name.
    case noSuchClient
    /// This program has no encryption.
    case noEncryption
    /// libcrypto failed.
    case seal
    /// The store cannot be read or written.
    case store(StoreFault)
    /// Whoever asked cannot go on.
    case other(any Error)
}

/// The programs that may use the gateway of this store.
///
/// They are in the local metadata of this device, each with a salted hash of its password; they do not sync.
package struct GatewayClients {
    /// The most clients.
    package static let countMax = 64
    /// The longest name, in bytes.
    package static let nameByteCountMax = 64
    /// The groups of a password, and the characters of a group, of 32 letters and digits: 125 bits.
    static let (passwordGroupCount, passwordGroupLength) = (5, 5)

    private static let namespace = "gateway-client"
    private static let saltByteCount = 16
    private static let dayMilliseconds: Int64 = 86_400_000
    /// Letters and digits that nobody mistakes for one another.
    private static let alphabet = Array("abcdefghijkmnpqrstuvwxyz23456789".utf8)

    private let store: Store

    /// The clients of a store's gateway.
    package init(_ store: Store) { self.store = store }

    /// All clients, by name.
    package func all() throws(StoreFault) -> [GatewayClient] {
        try store.localMetadata(in: Self.namespace)
            .compactMap { Self.client($0.key, $0.value) }
            .sorted { ($0.name, $0.identifier) < ($1.name, $1.identifier) }
    }

    /// Adds a client.
    ///
    /// - Parameter now: milliseconds since 1970-01-01 UTC.
    /// - Returns: the client, and its password, which nothing keeps.
    package func add(
        named name: String, now: Int64
    ) throws(GatewayClientFault) -> (client: GatewayClient, password: String) {
        guard Self.isName(name) else { throw .badName }
        let known = try reading { () throws(StoreFault) in try all() }
        if known.contains(where: { $0.name == name }) { throw .nameTaken }
        if known.count >= Self.countMax { throw .tooMany }
        let password = Self.draw()
        let salt = Keyring.random(byteCount: Self.saltByteCount)
        guard let hash = try Self.hash(password, salt) else { throw .noEncryption }
        let client = GatewayClient(
            identifier: Hexadecimal.text(SystemEnvironment.random()), name: name, added: now,
            lastUsed: nil, salt: salt, hash: hash)
        try reading { () throws(StoreFault) in try save(client) }
        return (client, password)
    }

    /// Removes a client: its password lets nobody in from now on.
    package func remove(named name: String) throws(GatewayClientFault) -> GatewayClient {
        try reading { () throws(StoreFault) -> GatewayClient? in
            guard let client = try all().first(where: { $0.name == name }) else { return nil }
            try store.edit { transaction throws(StoreFault) in
                try transaction.setLocalMetadata(
                    nil, named: client.identifier, in: Self.namespace)
            }
            try store.forgetDeletes(by: client.guardIdentifier)
            return client
        }.orThrow(.noSuchClient)
    }

    /// The client of a name and password; nil if there is none.
    ///
    /// The comparison takes as long for a wrong password as for a name that nobody has.
    package func client(named name: String, password: String) throws(StoreFault) -> GatewayClient? {
        let found = try all().first { $0.name == name }
        let salt = found?.salt ?? [UInt8](repeating: 0, count: Self.saltByteCount)
        guard let hash = try? Self.hash(password, salt) else { return nil }
        let wanted = found?.hash ?? [UInt8](repeating: 0, count: hash.count)
        return hash.isSameSecret(wanted) ? found : nil
    }

    /// The deletes of clients that the mass-delete guard holds, by client.
    package func heldDeletes() throws(StoreFault) -> [(client: GatewayClient, held: HeldDeletes)] {
        let held = try store.heldDeletes().filter { GatewayClient.isGuardIdentifier($0.peer) }
        if held.isEmpty { return [] }
        return try all().compactMap { client in
            held.first { $0.peer == client.guardIdentifier }.map { (client, $0) }
        }
    }

    /// Takes note that a client was let in; at most once a day it is written down.
    package func noteUse(of client: GatewayClient, now: Int64) throws(StoreFault) {
        let day = now - now % Self.dayMilliseconds
        guard client.lastUsed ?? 0 < day else { return }
        try save(
            GatewayClient(
                identifier: client.identifier, name: client.name, added: client.added,
                lastUsed: day, salt: client.salt, hash: client.hash))
    }

    /// Whether a name can be one: of a few printable characters, none of them a colon, which ends the name where it is sent.
    package static func isName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= nameByteCountMax && name.first != " "
            && name.last != " "
            && name.unicodeScalars.allSatisfy {
                $0.value >= 32 && $0 != ":" && !(0x7f...0x9f).contains($0.value)
                    && !(0x2028...0x202f).contains($0.value)
            }
    }

    // MARK: Passwords

    private static func draw() -> String {
        let letters = Keyring.random(byteCount: passwordGroupCount * passwordGroupLength)
            .map { alphabet[Int($0 & 31)] }
        return stride(from: 0, to: letters.count, by: passwordGroupLength).map { start in
            String(decoding: letters[start..<start + passwordGroupLength], as: UTF8.self)
        }.joined(separator: "-")
    }

    /// The salted hash of a password; one hash does, as the password was drawn and nobody chose it.
    ///
    /// - Returns: nil without encryption.
    private static func hash(
        _ password: String, _ salt: [UInt8]
    ) throws(GatewayClientFault) -> [UInt8]? {
        #if Encryption
            do throws(SealFault) {
                return try SHA256.hash(salt + Array(password.utf8))
            } catch {
                throw .seal
            }
        #else
            return nil
        #endif
    }

    // MARK: Kept

    private func save(_ client: GatewayClient) throws(StoreFault) {
        let lines = [
            client.name, String(client.added), client.lastUsed.map { String($0) } ?? "",
            Hexadecimal.text(client.salt), Hexadecimal.text(client.hash),
        ]
        try store.edit { transaction throws(StoreFault) in
            try transaction.setLocalMetadata(
                Array(lines.joined(separator: "\n").utf8), named: client.identifier,
                in: Self.namespace)
        }
    }

    private static func client(_ identifier: String, _ bytes: [UInt8]) -> GatewayClient? {
        let lines = String(decoding: bytes, as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count == 5, let added = Int64(lines[1]),
            let salt = Hexadecimal.bytes(lines[3]), let hash = Hexadecimal.bytes(lines[4])
        else { return nil }
        return GatewayClient(
            identifier: identifier, name: String(lines[0]), added: added,
            lastUsed: Int64(lines[2]), salt: salt, hash: hash)
    }

    private func reading<T>(
        _ body: () throws(StoreFault) -> T
    ) throws(GatewayClientFault) -> T {
        do throws(StoreFault) {
            return try body()
        } catch {
            throw .store(error)
        }
    }
}

extension Optional {
    /// The value; if there is none, the fault.
    fileprivate func orThrow(_ fault: GatewayClientFault) throws(GatewayClientFault) -> Wrapped {
        guard let self else { throw fault }
        return self
    }
}

extension Device {
    /// The programs that may use the gateway of this device.
    package var gatewayClients: GatewayClients { GatewayClients(store) }
}
