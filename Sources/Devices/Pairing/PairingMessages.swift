import Core
import Crypto
import Transport

/// The words of a device that wants to join about itself.
package struct PairingApplicant: Hashable, Sendable {
    /// Its public key, as a SubjectPublicKeyInfo.
    package let key: [UInt8]
    /// The fingerprint of that key.
    package let fingerprint: Fingerprint
    /// Its name; nobody checks it.
    package let name: String

    /// A device that asks.
    package init(key: [UInt8], fingerprint: Fingerprint, name: String) {
        self.key = key
        self.fingerprint = fingerprint
        self.name = name
    }
}

/// How a request ended.
package enum PairingOutcome: Hashable, Sendable {
    /// The device is admitted, and is handed the space.
    case admitted(PairingHandover)
    /// Another device was admitted with the code.
    case used
    /// The person has not admitted it.
    case refused
    /// The code has ended.
    case ended
    /// The device's key was revoked in the space.
    case revoked
}

/// The handover to an admitted device.
package struct PairingHandover: Hashable, Sendable {
    /// An address of the space, with the fingerprint of who answers there.
    package struct Address: Hashable, Sendable {
        /// The kind of peer at the address.
        package enum Kind: UInt64, Sendable {
            /// A relay.
            case relay = 1
            /// The device that invites.
            case device = 2
        }

        /// The kind of peer at the address.
        package let kind: Kind
        /// Where.
        package let hostAndPort: HostAndPort
        /// The fingerprint that the peer must prove to own.
        package let fingerprint: Fingerprint

        /// An address.
        package init(_ kind: Kind, _ hostAndPort: HostAndPort, _ fingerprint: Fingerprint) {
            self.kind = kind
            self.hostAndPort = hostAndPort
            self.fingerprint = fingerprint
        }
    }

    /// The most addresses.
    package static let addressCountMax = 8
    /// The most bytes of their hosts together, so that all of it fits an item of a mailbox.
    package static let hostByteCountMax = 1536

    /// The space.
    package let space: SpaceID
    /// Its rule.
    package let policy: DeletePolicy
    /// Its secret; nil in a space without encryption.
    package let secret: SpaceSecret?
    /// Where to sync, the best first.
    package let addresses: [Address]
    /// The public key of the device that invites.
    package let inviter: [UInt8]

    /// A handover; addresses that are too many are left out.
    package init(
        space: SpaceID, policy: DeletePolicy, secret: SpaceSecret?, addresses: [Address],
        inviter: [UInt8]
    ) {
        self.space = space
        self.policy = policy
        self.secret = secret
        self.inviter = inviter
        var room = Self.hostByteCountMax
        self.addresses = Array(
            addresses.prefix(Self.addressCountMax).prefix { address in
                room -= address.hostAndPort.host.utf8.count
                return room >= 0
            })
    }

    /// Whom the addresses lead to, in their order: the addresses of one relay, which all show one key, are together.
    package static func peers(of addresses: [Address]) -> [PeerAddress] {
        var found: [PeerAddress] = []
        for address in addresses {
            switch address.kind {
            case .device:
                found.append(.device(.tls(address.hostAndPort, address.fingerprint)))
            case .relay:
                let isAdded = found.indices.contains { index in
                    guard case .relay(let relay) = found[index],
                        relay.fingerprint == address.fingerprint
                    else { return false }
                    found[index] = .relay(relay.adding(address.hostAndPort))
                    return true
                }
                if isAdded { continue }
                found.append(
                    .relay(RelayAddress(address.hostAndPort, fingerprint: address.fingerprint)))
            }
        }
        return found
    }
}

#if Encryption
    /// The three messages of pairing, as items of a mailbox: a kind in one byte, what is in the clear, what is sealed.
    ///
    /// Source: Protocol/11-Pairing.md §2.
    package enum PairingMessage {
        /// The first byte of an item.
        package enum Kind: UInt8, Sendable {
            case request = 1
            case answer, outcome
            /// Not sealed: whoever reads it waits no longer, and believes nothing else.
            case closing
        }

        static let hashByteCount = 32
        static let nonceByteCount = 16
        /// The longest name of a device, in bytes.
        static let nameByteCountMax = Device.nameByteCountMax

        /// The kind of an item, and the hash of the request that it is about; nil for a request.
        package static func head(of item: [UInt8]) -> (kind: Kind, request: [UInt8]?)? {
            guard let kind = item.first.flatMap(Kind.init(rawValue:)) else { return nil }
            if kind == .request { return (kind, nil) }
            guard item.count > hashByteCount else { return nil }
            return (kind, Array(item[1...hashByteCount]))
        }

        // MARK: The request

        /// Makes a request.
        package static func request(
            _ applicant: PairingApplicant, nonce: [UInt8], oneTime: [UInt8], pin: [UInt8],
            _ code: PairingCodeKeys, signing: (_ message: [UInt8]) throws -> [UInt8]
        ) throws -> [UInt8] {
            var writer = CanonicalWriter()
            writer.array(4)
            writer.byteString(applicant.key)
            writer.text(applicant.name)
            writer.byteString(nonce)
            writer.byteString(
                try signing(
                    signed(applicant, nonce: nonce, oneTime: oneTime, pin: pin, code.mailbox)))
            return [Kind.request.rawValue] + oneTime
                + (try code.seal(
                    request: Padding.padded(writer.bytes),
                    beside: parts("m1", code.mailbox, pin, oneTime)))
        }

        /// The purpose of a signature, which is signed as well.
        private enum Purpose: String {
            case request = "tandem pairing request 1"
        }

        /// The bytes that a device signs: all that a request says, and where.
        private static func signed(
            _ applicant: PairingApplicant, nonce: [UInt8], oneTime: [UInt8], pin: [UInt8],
            _ mailbox: [UInt8]
        ) -> [UInt8] {
            var writer = CanonicalWriter()
            writer.array(7)
            writer.text(Purpose.request.rawValue)
            writer.byteString(mailbox)
            writer.byteString(pin)
            writer.byteString(oneTime)
            writer.byteString(applicant.key)
            writer.text(applicant.name)
            writer.byteString(nonce)
            return writer.bytes
        }

        /// Opens a request, and checks its signature; nil if it is none for this code.
        package static func open(
            request item: [UInt8], pin: [UInt8], _ code: PairingCodeKeys
        ) -> (applicant: PairingApplicant, oneTime: [UInt8])? {
            let start = 1 + OneTimeKey.shownByteCount
            guard item.count > start, item.first == Kind.request.rawValue else { return nil }
            let oneTime = Array(item[1..<start])
            guard
                let padded = try? code.open(
                    request: item[start...], beside: parts("m1", code.mailbox, pin, oneTime)),
                let content = Padding.content(padded)
            else { return nil }
            return read(content) { reader throws(WireFault) in
                guard try reader.array(max: 4, .list) == 4 else { throw .outOfRange(.list) }
                let key = try reader.byteString(max: DeviceSignature.keyByteCountMax, .proof)
                let name = try reader.text(max: nameByteCountMax, .name)
                let nonce = try reader.byteString(max: nonceByteCount, .proof)
                let signature = try reader.byteString(max: DeviceSignature.byteCountMax, .proof)
                guard Device.isName(name), nonce.count == nonceByteCount,
                    let fingerprint = try? DeviceSignature.fingerprint(of: key)
                else { throw .outOfRange(.proof) }
                let applicant = PairingApplicant(key: key, fingerprint: fingerprint, name: name)
                guard
                    DeviceSignature.isValid(
                        signature,
                        of: signed(
                            applicant, nonce: nonce, oneTime: oneTime, pin: pin, code.mailbox),
                        key: key)
                else { throw .outOfRange(.proof) }
                return (applicant, oneTime)
            }
        }

        // MARK: The answer

        /// Makes the answer to a request.
        package static func answer(
            nonce: [UInt8], oneTime: [UInt8], to request: [UInt8], _ keys: PairingRequestKeys
        ) throws(SealFault) -> [UInt8] {
            [Kind.answer.rawValue] + request + oneTime
                + (try keys.seal(answer: nonce, beside: parts("m2", request, oneTime)))
        }

        /// The inviter's one-time key in an answer; nil if it is none.
        static func oneTime(in answer: [UInt8]) -> [UInt8]? {
            let start = 1 + hashByteCount
            guard answer.first == Kind.answer.rawValue,
                answer.count > start + OneTimeKey.shownByteCount
            else { return nil }
            return Array(answer[start..<start + OneTimeKey.shownByteCount])
        }

        /// Whether an answer is to this request and by who has the other key.
        static func isAuthentic(
            answer: [UInt8], to request: [UInt8], oneTime: [UInt8], _ keys: PairingRequestKeys
        ) -> Bool {
            let start = 1 + hashByteCount + OneTimeKey.shownByteCount
            guard answer.count > start else { return false }
            let nonce = try? keys.open(
                answer: answer[start...], beside: parts("m2", request, oneTime))
            return nonce?.count == nonceByteCount
        }

        // MARK: The outcome

        /// Makes the outcome of a request.
        package static func outcome(
            _ outcome: PairingOutcome, of request: [UInt8], answer: [UInt8],
            _ keys: PairingRequestKeys
        ) throws(SealFault) -> [UInt8] {
            [Kind.outcome.rawValue] + request
                + (try keys.seal(
                    handover: Padding.padded(bytes(outcome)), beside: parts("m3", request, answer)))
        }

        /// Opens an outcome; nil if it is not for this request, or was not sealed by who answered it.
        static func open(
            outcome item: [UInt8], of request: [UInt8], answer: [UInt8], _ keys: PairingRequestKeys
        ) -> PairingOutcome? {
            let start = 1 + hashByteCount
            guard item.count > start,
                let padded = try? keys.open(
                    handover: item[start...], beside: parts("m3", request, answer)),
                let content = Padding.content(padded)
            else { return nil }
            return outcome(content)
        }

        /// The bytes that are sealed in an outcome.
        package static func bytes(_ outcome: PairingOutcome) -> [UInt8] {
            var writer = CanonicalWriter()
            switch outcome {
            case .used: writer.unsigned(1)
            case .refused: writer.unsigned(2)
            case .ended: writer.unsigned(3)
            case .revoked: writer.unsigned(4)
            case .admitted(let handover):
                writer.unsigned(0)
                writer.identifier(handover.space.value)
                writer.unsigned(UInt64(handover.policy.rawValue))
                writer.unsigned(UInt64(handover.secret?.generation ?? 0))
                if let secret = handover.secret { writer.byteString(secret.bytes) }
                writer.array(handover.addresses.count)
                for address in handover.addresses {
                    writer.unsigned(address.kind.rawValue)
                    writer.text(address.hostAndPort.host)
                    writer.unsigned(UInt64(address.hostAndPort.port))
                    writer.byteString(address.fingerprint.bytes)
                }
                writer.byteString(handover.inviter)
            }
            return writer.bytes
        }

        /// Reads what was sealed in an outcome; nil for anything else.
        package static func outcome(_ content: [UInt8]) -> PairingOutcome? {
            read(content) { reader throws(WireFault) in
                switch try reader.unsigned(max: 4, .kind) {
                case 0: .admitted(try handover(&reader))
                case 1: .used
                case 2: .refused
                case 3: .ended
                default: .revoked
                }
            }
        }

        private static func handover(
            _ reader: inout CanonicalReader
        ) throws(WireFault) -> PairingHandover {
            let space = SpaceID(value: try reader.identifier())
            guard
                let policy = DeletePolicy(
                    rawValue: UInt8(try reader.unsigned(max: 255, .deletePolicy)))
            else { throw .outOfRange(.deletePolicy) }
            let generation = UInt32(
                try reader.unsigned(max: UInt64(UInt32.max), .generation))
            var secret: SpaceSecret?
            if generation > 0 {
                secret = SpaceSecret(
                    bytes: try reader.byteString(max: SpaceSecret.byteCount, .proof),
                    generation: generation)
                guard secret != nil else { throw .outOfRange(.proof) }
            }
            var addresses: [PairingHandover.Address] = []
            for _ in 0..<(try reader.array(max: PairingHandover.addressCountMax, .list)) {
                addresses.append(try address(&reader))
            }
            let inviter = try reader.byteString(max: DeviceSignature.keyByteCountMax, .proof)
            guard let own = try? DeviceSignature.fingerprint(of: inviter),
                addresses.allSatisfy({ $0.kind == .relay || $0.fingerprint == own })
            else { throw .outOfRange(.proof) }
            return PairingHandover(
                space: space, policy: policy, secret: secret, addresses: addresses,
                inviter: inviter)
        }

        private static func address(
            _ reader: inout CanonicalReader
        ) throws(WireFault) -> PairingHandover.Address {
            guard
                let kind = PairingHandover.Address.Kind(
                    rawValue: try reader.unsigned(max: 2, .kind))
            else { throw .outOfRange(.kind) }
            let host = try reader.text(max: PairingCode.hostByteCountMax, .name)
            let port = UInt16(try reader.unsigned(max: UInt64(UInt16.max), .unsigned))
            let bytes = try reader.byteString(max: Fingerprint.byteCount, .proof)
            let meeting = HostAndPort(host: host, port: port)
            // A text that cannot be written as an address could not be read later either.
            guard let fingerprint = Fingerprint(bytes: bytes),
                let again = try? HostAndPort(parsing: meeting.description), again == meeting
            else { throw .outOfRange(.name) }
            return PairingHandover.Address(kind, meeting, fingerprint)
        }

        /// The request that stands for all: nobody is answered any more.
        static let everyRequest = [UInt8](repeating: 0, count: hashByteCount)

        /// Tells that nothing comes of a request, where there is no key any more to seal that with.
        static func closing(_ request: [UInt8]) -> [UInt8] { [Kind.closing.rawValue] + request }

        // MARK: Bytes

        private static func parts(_ label: String, _ parts: [UInt8]...) -> [[UInt8]] {
            [Array("tandem pairing \(label)".utf8)] + parts
        }

        private static func read<Value>(
            _ bytes: [UInt8], _ body: (inout CanonicalReader) throws(WireFault) -> Value
        ) -> Value? {
            bytes.withUnsafeBytes { buffer in
                var reader = CanonicalReader(buffer)
                guard let value = try? body(&reader), (try? reader.finish()) != nil else {
                    return nil
                }
                return value
            }
        }
    }
#endif
