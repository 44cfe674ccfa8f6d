#if Encryption
    import Core
    import Crypto
    import Devices
    import Transport

    extension FuzzTargets {
        /// An item of a mailbox of pairing, by its first byte: as it comes, as what is sealed in an outcome or in a
        /// request, a right one with a byte changed, or a whole conversation in any order.
        static let pairingItems = FuzzTarget(
            "pairing-items", byteCountMax: 1024,
            decoders: [
                "Sources/Devices/Pairing/PairingMessages.swift",
                "Sources/Devices/Pairing/PairingInviter.swift",
                "Sources/Devices/Pairing/PairingJoiner.swift",
            ]
        ) { bytes in
            var input = FuzzInput(bytes)
            switch input.byte() & 7 {
            case 0: try readItem(&input)
            case 1: try readOutcome(input.remainder())
            case 2: try changeRequest(&input)
            case 3: try changeAnswer(&input)
            case 4: try readRequestContent(input.remainder())
            case 5: try readOutcomeContent(input.remainder())
            default:
                var talk = try PairingTalk(&input)
                for _ in 0..<40 where !input.isEmpty { try talk.step(&input) }
                try talk.finish()
            }
        }

        private static func readItem(_ input: inout FuzzInput) throws {
            let pair = try PairingPair()
            let item = input.remainder()
            try promise(pair.inviter.step(.item(item), now: 0).isEmpty, "random bytes ask")
            for effect in pair.joiner.receive(item) {
                if case .show = effect { throw BrokenPromise(description: "digits of nobody") }
                if case .finish = effect {
                    throw BrokenPromise(description: "an outcome of nobody")
                }
            }
        }

        private static func readOutcome(_ content: [UInt8]) throws {
            guard let outcome = PairingMessage.outcome(content) else { return }
            try promise(PairingMessage.bytes(outcome) == content, "an outcome has a second form")
        }

        private static func changeRequest(_ input: inout FuzzInput) throws {
            let pair = try PairingPair()
            guard let item = changed(pair.joiner.request, &input) else { return }
            try promise(
                pair.inviter.step(.item(item), now: 0).isEmpty, "a changed request asks")
        }

        private static func changeAnswer(_ input: inout FuzzInput) throws {
            let pair = try PairingPair()
            guard let item = changed(try pair.answer(), &input) else { return }
            for effect in pair.joiner.receive(item) {
                // Its first byte may become that of a closing.
                try promise(
                    effect == .wrongInviter || effect == .closed, "a changed answer is taken")
            }
        }

        /// A right item with a byte changed, or cut off.
        private static func changed(_ item: [UInt8], _ input: inout FuzzInput) -> [UInt8]? {
            let (index, change) = (Int(input.byte()) << 8 | Int(input.byte()), input.byte())
            if change == 0 { return Array(item.prefix(index % item.count)) }
            var item = item
            item[index % item.count] ^= change
            return item
        }

        /// Bytes sealed as a request, by whoever has the code: only a signature makes them one.
        private static func readRequestContent(_ content: [UInt8]) throws {
            let pair = try PairingPair()
            let keys = pair.inviter.keys
            let oneTime = try oneTimeKey(3).shown
            let beside = [Array("tandem pairing m1".utf8), keys.mailbox, pair.inviter.pin, oneTime]
            let item =
                [1] + oneTime
                + (try keys.seal(request: Padding.padded(content), beside: beside))
            try promise(pair.inviter.step(.item(item), now: 0).isEmpty, "a request of nobody asks")
        }

        /// Bytes sealed as an outcome, by whoever has answered.
        private static func readOutcomeContent(_ content: [UInt8]) throws {
            let pair = try PairingPair()
            let answer = try pair.answer()
            let (request, hash) = (try SHA256.hash(pair.joiner.request), try SHA256.hash(answer))
            let keys = try PairingRequestKeys(
                own: oneTimeKey(1), peer: oneTimeKey(3).shown, inviter: oneTimeKey(1).shown,
                pair.inviter.keys, request: request)
            let beside = [Array("tandem pairing m3".utf8), request, hash]
            let item =
                [3] + request
                + (try keys.seal(handover: Padding.padded(content), beside: beside))
            let isRead = PairingMessage.outcome(content) != nil
            // One that comes before the answer waits for it.
            try promise(pair.joiner.receive(item).isEmpty, "an outcome without an answer")
            let effects = pair.joiner.receive(answer)
            try promise(effects.count == (isRead ? 2 : 1), "\(effects)")
        }

        fileprivate static func oneTimeKey(_ number: UInt8) throws -> OneTimeKey {
            try OneTimeKey(SecretBytes([UInt8](repeating: number, count: 32)))
        }

        /// A device's key, made once.
        static let pairingKey: (certificate: DeviceCertificate, public: [UInt8]) = {
            guard let certificate = try? DeviceCertificate(), let key = try? certificate.publicKey()
            else { preconditionFailure("no key") }
            return (certificate, key)
        }()
    }

    /// A device that invites and one that has its code.
    private struct PairingPair {
        let inviter: PairingInviter
        let code: PairingCode
        let joiner: PairingJoiner

        init(
            admitsFirst: Bool = false, isRevoked: Bool = false, handover: PairingHandover? = nil
        ) throws {
            let key = [UInt8](repeating: 4, count: PairingCode.keyByteCount)
            inviter = try PairingInviter(
                codeKey: key, oneTime: FuzzTargets.oneTimeKey(1), end: 1_000,
                admitsFirst: admitsFirst,
                random: { [UInt8](repeating: 2, count: $0) }, isRevoked: { _ in isRevoked },
                handover: { handover })
            guard
                let code = PairingCode(
                    meeting: HostAndPort(host: "r", port: 1), key: key, pin: inviter.pin)
            else { throw BrokenPromise(description: "no code") }
            self.code = code
            joiner = try Self.joiner(code, 3)
        }

        /// The device that has the code, or another one that was given it.
        static func joiner(_ code: PairingCode, _ number: UInt8) throws -> PairingJoiner {
            let key = FuzzTargets.pairingKey
            return try PairingJoiner(
                code,
                PairingApplicant(
                    key: key.public, fingerprint: key.certificate.fingerprint, name: "a\(number)"),
                oneTime: FuzzTargets.oneTimeKey(number),
                nonce: [UInt8](repeating: 5, count: 16), signing: key.certificate.sign)
        }

        func answer() throws -> [UInt8] {
            guard case .put(let answer)? = inviter.step(.item(joiner.request), now: 0).first else {
                throw BrokenPromise(description: "no answer")
            }
            return answer
        }
    }

    /// A conversation over a mailbox in any order: two devices that have the code, the person, the disk and the clock.
    private struct PairingTalk {
        private let pair: PairingPair
        private var joiners: [PairingJoiner]
        private var now: Int64 = 0
        private var items: [[UInt8]] = []
        private var digits: [String?] = [nil, nil]
        private var decisions: [PairingDecision] = []
        private var admittedCount = 0
        private var isWritten = false

        init(_ input: inout FuzzInput) throws {
            let manner = input.byte()
            let secret = SpaceSecret(bytes: [UInt8](repeating: 7, count: 32), generation: 2)
            let key = FuzzTargets.pairingKey
            let handover = PairingHandover(
                space: SpaceID(value: 3), policy: .deletesWin,
                secret: manner & 8 == 8 ? nil : secret,
                addresses: [
                    PairingHandover.Address(
                        .relay, HostAndPort(host: "r", port: 1), key.certificate.fingerprint)
                ], inviter: key.public)
            pair = try PairingPair(
                admitsFirst: manner & 1 == 1, isRevoked: manner & 2 == 2,
                handover: manner & 4 == 4 ? nil : handover)
            joiners = [pair.joiner, try PairingPair.joiner(pair.code, 6)]
        }

        private mutating func tell(_ event: PairingInviter.Event) throws {
            for effect in pair.inviter.step(event, now: now) {
                switch effect {
                case .put(let item): items.append(item)
                case .decide(let decision):
                    try promise(decisions.isEmpty, "two decisions for one code")
                    decisions.append(decision)
                case .show(.admitted):
                    try promise(isWritten, "admitted before the disk has it")
                    admittedCount += 1
                case .show: break
                }
            }
            try promise(admittedCount <= 1, "two devices admitted")
            if !pair.inviter.isWaiting, pair.inviter.decision == nil {
                try promise(pair.inviter.hasForgotten, "a code that is over keeps its keys")
            }
        }

        /// One decision of the fuzzer.
        mutating func step(_ input: inout FuzzInput) throws {
            let number = input.below(2)
            switch input.below(12) {
            case 0, 1: try tell(.item(joiners[number].request))
            case 2: try tell(.item(input.bytes()))
            case 3: try tell(.digits(digits[number] ?? "000000"))
            case 4: try tell(.digits("\(input.byte())"))
            case 5: try decide(isOnDisk: input.flag())
            case 6: try tell(.tick)
            case 7: now += Int64(input.byte()) * 8
            case 8: try tell(.stop)
            case 9:
                // As many requests as one code hears, and one more.
                for other in 0...UInt8(PairingInviter.requestCountMax) {
                    try tell(.item(PairingPair.joiner(pair.code, 10 + other).request))
                }
            case 10:
                if !items.isEmpty { try pass(items.remove(at: input.below(items.count)), number) }
            default: for item in items { try pass(item, number) }
            }
        }

        private mutating func decide(isOnDisk: Bool) throws {
            if isOnDisk, !decisions.isEmpty { isWritten = true }
            try tell(.decided(isOnDisk: isOnDisk))
        }

        private mutating func pass(_ item: [UInt8], _ number: Int) throws {
            for effect in joiners[number].receive(item) {
                switch effect {
                case .show(let shown): digits[number] = shown
                case .finish(.admitted): try promise(isWritten, "admitted before the disk has it")
                case .finish, .wrongInviter, .closed: break
                }
            }
        }

        /// Passes on what is there, and lets the code end.
        mutating func finish() throws {
            for item in items {
                for number in joiners.indices { try pass(item, number) }
            }
            now = 2_000
            try tell(.tick)
            try promise(
                !pair.inviter.isWaiting || decisions.count == 1, "a code that outlives its time")
        }
    }
#endif
