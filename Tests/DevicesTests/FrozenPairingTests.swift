import Core
import Crypto
import Devices
import JSON
import TestSupport
import Testing
import Transport
import VectorFiles

@Suite("Frozen pairing codes")
struct FrozenPairingTests {
    private static let space = SpaceID(value: 0x0011_2233_4455_6677_8899_aabb_ccdd_eeff)

    private func codes() throws -> [(name: String, code: PairingCode)] {
        let relay = try #require(Fingerprint(bytes: (0..<32).map { UInt8($0) }))
        let device = try #require(Fingerprint(bytes: (0..<32).map { UInt8($0 * 7) }))
        let secret = try #require(
            SpaceSecret(bytes: (100..<132).map { UInt8($0) }, generation: 3))
        func code(
            _ policy: DeletePolicy, _ secret: SpaceSecret?, _ addresses: PairingCode.Address...
        ) -> PairingCode {
            PairingCode(
                space: Self.space, policy: policy, secret: secret,
                invite: (50..<66).map { UInt8($0) }, expiry: 1_800_000_000, addresses: addresses)
        }
        return [
            ("no encryption, no address", code(.deletesWin, nil)),
            (
                "a relay and a device",
                code(
                    .editsWin, secret,
                    .init(.relay, HostAndPort(host: "relay.example.org", port: 7718), relay),
                    .init(.device, HostAndPort(host: "fe80::1", port: 7717), device))
            ),
            (
                "a device",
                code(
                    .deletesWin, secret,
                    .init(.device, HostAndPort(host: "192.168.1.20", port: 7717), device))
            ),
        ]
    }

    @Test("the bytes, the text and the check characters of codes are as in the vectors")
    func codesAreFrozen() throws {
        let cases = try codes().map { name, code throws -> JSON in
            #expect(try PairingCode(parsing: code.text) == code)
            return .object([
                .init("name", .text(name)),
                .init("hex", .text(HexText.encode(CodeText.decode(code.text).bytes))),
                .init("space", .text(HexText.encode(code.space.bytes))),
                .init("policy", .number(UInt64(code.policy.rawValue))),
                .init("generation", .number(UInt64(code.secret?.generation ?? 0))),
                .init("secret", .text(HexText.encode(code.secret?.bytes ?? []))),
                .init("invitation", .text(HexText.encode(code.invite))),
                .init("expiry", .number(UInt64(code.expiry))),
                .init(
                    "addresses",
                    .list(
                        code.addresses.map { address in
                            .object([
                                .init("kind", .number(UInt64(address.kind.rawValue))),
                                .init(
                                    "fingerprint",
                                    .text(HexText.encode(address.fingerprint.bytes))),
                                .init("host", .text(address.hostAndPort.host)),
                                .init("port", .number(UInt64(address.hostAndPort.port))),
                            ])
                        })),
                .init("text", .text(code.text)),
                .init("lines", .list(CodeText.lines(code.text).map { .text($0) })),
            ])
        }
        #expect(
            FrozenFile.difference(JSON.list(cases).file, from: "Vectors/pairing-codes.json") == nil)
    }
}
