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
    @Test("the bytes, the text and the check characters of codes are as in the vectors")
    func codesAreFrozen() throws {
        let meetings = [
            HostAndPort(host: "relay.example.org", port: 7718),
            HostAndPort(host: "192.168.1.20", port: 7717), HostAndPort(host: "fe80::1", port: 7717),
        ]
        let cases = try meetings.enumerated().map { number, meeting throws -> JSON in
            let code = try #require(
                PairingCode(
                    meeting: meeting, key: (0..<16).map { UInt8($0 * 7 + number) },
                    pin: (0..<10).map { UInt8(250 - $0 * 11 - number) }))
            #expect(try PairingCode(parsing: code.text) == code)
            return .object([
                .init("host", .text(meeting.host)), .init("port", .number(UInt64(meeting.port))),
                .init("key", .text(HexText.encode(code.key))),
                .init("pin", .text(HexText.encode(code.pin))),
                .init("text", .text(code.text)), .init("drawn", .text(code.drawnText)),
            ])
        }
        #expect(
            FrozenFile.difference(
                JSON.list(cases + (try Self.refused())).file, from: "Vectors/pairing-codes.json")
                == nil)
    }

    /// Texts that are no codes, with the reason for each.
    private static func refused() throws -> [JSON] {
        let good = "relay.example.org:7718/003G-W58W-4CN3-2E1Z-8S6N-8PV2-D7XE-ZS6S-SV1V-HBD2-JWXF"
        _ = try PairingCode(parsing: good)
        let texts = [
            // One character; two neighbours that changed places; another place; a check that is not one.
            good.replacing("W58W", with: "W59W"), good.replacing("W58W", with: "5W8W"),
            good.replacing("7718", with: "7717"), good.replacing("JWXF", with: "JWXG"),
            // Padding bits that are not zero, with the check that fits them.
            good.replacing("JWXF", with: "JXZB"),
            String(good.dropLast()), good.replacing("W58W", with: "W58U"),
            good + "0", String(good.drop { $0 != "/" }), "relay.example.org/003G",
        ]
        return try texts.map { text in
            let reason: String
            do throws(PairingProblem) {
                _ = try PairingCode(parsing: text)
                Issue.record("a code: \(text)")
                return .null
            } catch .noMeeting {
                reason = "no place"
            } catch .strayCharacter {
                reason = "a character that is in no code"
            } catch .mistyped {
                reason = "mistyped"
            } catch .cutOff {
                reason = "cut off"
            } catch .tooLong {
                reason = "too long"
            }
            return .object([.init("text", .text(text)), .init("refused", .text(reason))])
        }
    }

    #if Encryption
        /// A device's key for the vectors: the private key of RFC 8032, §7.1, test 1.
        private static let device = """
            -----BEGIN PRIVATE KEY-----
            MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
            -----END PRIVATE KEY-----
            -----BEGIN CERTIFICATE-----
            MIIBMzCB5qADAgECAgEBMAUGAytlcDAYMRYwFAYDVQQDDA10YW5kZW0gZGV2aWNl
            MCAXDTI2MTEyMzAzNDc1MFoYDzIxMjYxMDMwMDM0NzUwWjAYMRYwFAYDVQQDDA10
            YW5kZW0gZGV2aWNlMCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMl
            rwIaaPcHURqjUzBRMB0GA1UdDgQWBBRbJ6pViReXcOR1dbFiod7Ze4v8bTAfBgNV
            HSMEGDAWgBRbJ6pViReXcOR1dbFiod7Ze4v8bTAPBgNVHRMBAf8EBTADAQH/MAUG
            AytlcANBABaAjnzQtf+k5UQWr5q1ceE8kpE442vKV65ht6eaHO/oU8K2tkn+ufTA
            3mZz3IfEMIP9E8qXuCGXy2uT+qouBA0=
            -----END CERTIFICATE-----

            """

        private func hex(_ name: String, _ bytes: [UInt8]) -> JSON.Pair {
            .init(name, .text(HexText.encode(bytes)))
        }

        @Test("the messages of one pairing, and what is derived for them, are as in the vectors")
        func messagesAreFrozen() throws {
            let certificate = try DeviceCertificate(
                pem: Array(Self.device.utf8), path: "the vectors")
            let device = PairingApplicant(
                key: try certificate.publicKey(), fingerprint: certificate.fingerprint,
                name: "phone")
            let codeKey = (0..<16).map { UInt8($0) }
            let (inviterSeed, joinerSeed) = (
                (1...32).map { UInt8($0) }, (33...64).map { UInt8($0) }
            )
            let relay = try #require(Fingerprint(bytes: (0..<32).map { UInt8($0) }))
            let handover = PairingHandover(
                space: SpaceID(value: 0x0011_2233_4455_6677_8899_aabb_ccdd_eeff),
                policy: .editsWin,
                secret: SpaceSecret(bytes: (100..<132).map { UInt8($0) }, generation: 3),
                addresses: [
                    .init(.relay, HostAndPort(host: "relay.example.org", port: 7718), relay),
                    .init(
                        .device, HostAndPort(host: "fe80::1", port: 7717), certificate.fingerprint),
                ], inviter: device.key)
            let answerNonce = (150..<166).map { UInt8($0) }
            let inviter = try PairingInviter(
                codeKey: codeKey, oneTime: OneTimeKey(SecretBytes(inviterSeed)), end: 1,
                random: { Array(answerNonce.prefix($0)) }, isRevoked: { _ in false },
                handover: { handover })
            let code = try #require(
                PairingCode(
                    meeting: HostAndPort(host: "relay.example.org", port: 7718), key: codeKey,
                    pin: inviter.pin))
            let requestNonce = (170..<186).map { UInt8($0) }
            let joiner = try PairingJoiner(
                code, device, oneTime: OneTimeKey(SecretBytes(joinerSeed)), nonce: requestNonce,
                signing: certificate.sign)
            var digits = ""
            guard case .put(let answer)? = inviter.step(.item(joiner.request), now: 0).first else {
                Issue.record("no answer")
                return
            }
            for case .show(let found) in joiner.receive(answer) { digits = found }
            guard case .decide(let decision)? = inviter.step(.digits(digits), now: 0).first else {
                Issue.record("no decision")
                return
            }
            #expect(joiner.receive(decision.outcome) == [.finish(.admitted(handover))])
            let file = JSON.object([
                .init("code", .text(code.text)), hex("key", codeKey),
                hex("inviterPrivateKey", inviterSeed), hex("joinerPrivateKey", joinerSeed),
                hex("mailbox", joiner.mailbox), hex("pin", inviter.pin),
                hex(
                    "devicePrivateKey",
                    HexText.decode(
                        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")),
                hex("devicePublicKey", device.key), .init("name", .text(device.name)),
                hex("requestNonce", requestNonce), hex("request", joiner.request),
                hex("requestHash", try SHA256.hash(joiner.request)),
                hex("answerNonce", answerNonce), hex("answer", answer),
                hex("answerHash", try SHA256.hash(answer)), .init("digits", .text(digits)),
                hex("space", handover.space.bytes),
                hex("secret", handover.secret?.bytes ?? []), hex("outcome", decision.outcome),
            ])
            #expect(
                FrozenFile.difference(file.file, from: "Vectors/pairing-messages.json") == nil)
        }
    #endif
}
