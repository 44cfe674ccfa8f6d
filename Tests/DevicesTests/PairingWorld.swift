#if Encryption
    import Core
    import Crypto
    import Devices
    import Synchronization
    import Transport

    /// A code, both sides of it, somebody who may have a copy, and a place that keeps, repeats, delays and drops as it
    /// likes: one run of the moves of `Protocol/Model/pairing_model.py`.
    final class PairingWorld {
        /// When the adversary has the code.
        enum Copier: CaseIterable {
            case never, afterwards, fromTheStart
        }

        /// One move.
        enum Move: Hashable, CustomStringConvertible {
            case joinerAsks, copierAsks, copierFinds, typed, ends, inviterCrashes, joinerCrashes
            /// The place gives an item, by its label, to the inviter or to the joiner.
            case inviterHears(String), joinerHears(String)
            /// The copier answers a request as if it had made the code.
            case copierAnswers(String)

            /// Whether little can follow.
            var isEnding: Bool { [.ends, .inviterCrashes, .joinerCrashes].contains(self) }

            var description: String {
                switch self {
                case .inviterHears(let label): "I hears \(label)"
                case .joinerHears(let label): "J hears \(label)"
                case .copierAnswers(let label): "E answers \(label)"
                case .joinerAsks: "J asks"
                case .copierAsks: "E asks"
                case .copierFinds: "E finds the code"
                case .typed: "the digits are typed"
                case .ends: "the end passes"
                case .inviterCrashes: "I crashes"
                case .joinerCrashes: "J crashes"
                }
            }
        }

        static let end: Int64 = 600_000

        let copier: Copier
        private(set) var inviter: PairingInviter?
        private(set) var joiner: PairingJoiner?
        private var copying: PairingJoiner?
        let code: PairingCode
        private let codeKeys: PairingCodeKeys
        /// The items at the place, by label; nothing that was put in is ever lost to it.
        private(set) var items: [String: [UInt8]] = [:]
        private(set) var disk: [PairingDecision] = []
        private(set) var notices: [PairingNotice] = []
        private(set) var joinerNumber = 1
        private(set) var digits: String?
        private(set) var gotten: PairingHandover?
        private(set) var isWrongInviter = false
        private(set) var hasSecret = false
        private(set) var hasCode: Bool
        private(set) var now: Int64 = 0
        private(set) var crashCounts = (inviter: 0, joiner: 0)
        /// Admissions whose secret left before the decision was on the disk, or after the end.
        private(set) var violations: [String] = []
        /// What was given to each side already: again it changes nothing.
        private var heard: Set<String> = []

        static let handover = PairingHandover(
            space: SpaceID(value: 7), policy: .deletesWin,
            secret: SpaceSecret(bytes: [UInt8](repeating: 9, count: 32), generation: 1),
            addresses: [], inviter: PairingPerson.inviter.key)

        init(_ copier: Copier) throws {
            self.copier = copier
            hasCode = copier == .fromTheStart
            let key = (0..<16).map { UInt8($0) }
            let inviter = try PairingInviter(
                codeKey: key, oneTime: Self.oneTime(1), end: Self.end,
                random: { count in (0..<count).map { UInt8($0 + 100) } },
                isRevoked: { _ in false }, handover: { Self.handover })
            guard
                let code = PairingCode(
                    meeting: HostAndPort(host: "place.example", port: 1), key: key, pin: inviter.pin
                )
            else { throw PairingWorldError.noCode }
            self.code = code
            self.inviter = inviter
            codeKeys = try PairingCodeKeys(key)
            joiner = try joiner(10, as: .joiner)
        }

        static func oneTime(_ number: UInt8) throws -> OneTimeKey {
            try OneTimeKey(SecretBytes([UInt8](repeating: number, count: 32)))
        }

        private func joiner(_ number: UInt8, as person: PairingPerson) throws -> PairingJoiner {
            try PairingJoiner(
                code, person.applicant, oneTime: Self.oneTime(number),
                nonce: [UInt8](repeating: number, count: 16), signing: person.sign)
        }

        // MARK: Moves

        /// The moves that are possible now.
        var moves: [Move] {
            var found: [Move] = []
            if let joiner, items[label(joiner)] == nil { found.append(.joinerAsks) }
            if hasCode, items["ask E"] == nil { found.append(.copierAsks) }
            for label in items.keys.sorted() {
                if label.hasPrefix("ask"), inviter != nil, !heard.contains(mark(inviter: label)) {
                    found.append(.inviterHears(label))
                }
                // Of other requests the joiner hears nothing: a test of its own changes each byte.
                if !label.hasPrefix("ask"), label.hasSuffix("J\(joinerNumber)"), joiner != nil,
                    gotten == nil, !heard.contains(mark(joiner: label))
                {
                    found.append(.joinerHears(label))
                }
                if hasCode, label.hasPrefix("ask J"), items["false " + label] == nil {
                    found.append(.copierAnswers(label))
                }
            }
            if digits != nil, inviter?.isWaiting == true { found.append(.typed) }
            if now < Self.end { found.append(.ends) }
            if inviter != nil, crashCounts.inviter < 1 { found.append(.inviterCrashes) }
            if joiner != nil, gotten == nil, crashCounts.joiner < 1 { found.append(.joinerCrashes) }
            if copier == .afterwards, !hasCode, inviter?.isWaiting != true {
                found.append(.copierFinds)
            }
            return found
        }

        private func mark(inviter label: String) -> String {
            "I \(inviter?.isWaiting == true) \(now >= Self.end) \(label)"
        }

        private func mark(joiner label: String) -> String { "J\(joinerNumber) \(label)" }

        private func label(_ joiner: PairingJoiner) -> String {
            joiner === copying ? "ask E" : "ask J\(joinerNumber)"
        }

        func run(_ move: Move) throws {
            switch move {
            case .joinerAsks: if let joiner { put(joiner.request, label(joiner)) }
            case .copierAsks:
                copying = try joiner(66, as: .copier)
                if let copying { put(copying.request, "ask E") }
            case .copierFinds: hasCode = true
            case .typed: if let digits { step(.digits(digits)) }
            case .ends:
                now = Self.end
                step(.tick)
            case .inviterCrashes:
                crashCounts.inviter += 1
                inviter = nil
            case .joinerCrashes:
                crashCounts.joiner += 1
                joinerNumber = 2
                digits = nil
                joiner = try joiner(20, as: .joiner)
            case .inviterHears(let label):
                heard.insert(mark(inviter: label))
                if let item = items[label] { step(.item(item)) }
            case .joinerHears(let label):
                heard.insert(mark(joiner: label))
                if let item = items[label] { hear(item) }
            case .copierAnswers(let label): try answerFalsely(label)
            }
            open()
        }

        private func put(_ item: [UInt8], _ label: String) {
            items[label] = item
        }

        private func step(_ event: PairingInviter.Event) {
            for effect in inviter?.step(event, now: now) ?? [] {
                switch effect {
                case .put(let item): keep(item)
                case .decide(let decision):
                    disk.append(decision)
                    step(.decided(isOnDisk: true))
                case .show(let notice):
                    notices.append(notice)
                    if case .admitted = notice, now >= Self.end { violations.append("late") }
                }
            }
        }

        private func keep(_ item: [UInt8]) {
            guard let head = PairingMessage.head(of: item), let request = head.request else {
                return
            }
            let of = requestor(request)
            let name: String
            switch head.kind {
            case .request: name = "ask \(of)"
            case .answer: name = "offer \(of)"
            case .closing: name = "closing \(of)"
            case .outcome:
                let isSecret = disk.contains { $0.outcome == item }
                name = (isSecret ? "seal " : "no ") + of
            }
            put(item, name)
        }

        private func requestor(_ request: [UInt8]) -> String {
            for (label, item) in items where label.hasPrefix("ask ") {
                if (try? SHA256.hash(item)) == request { return String(label.dropFirst(4)) }
            }
            return "nobody"
        }

        private func hear(_ item: [UInt8]) {
            for effect in joiner?.receive(item) ?? [] {
                switch effect {
                case .show(let found): digits = found
                case .finish(.admitted(let handover)): gotten = handover
                case .finish, .closed: joiner = nil
                case .wrongInviter:
                    isWrongInviter = true
                    joiner = nil
                }
            }
            if joiner == nil { digits = nil }
        }

        /// The copier has the code, and so can read the request and answer it with a key of its own.
        private func answerFalsely(_ label: String) throws {
            guard let item = items[label],
                let (_, theirs) = PairingMessage.open(request: item, pin: code.pin, codeKeys)
            else { return }
            let own = try Self.oneTime(77)
            let request = try SHA256.hash(item)
            let keys = try PairingRequestKeys(
                own: own, peer: theirs, inviter: own.shown, codeKeys, request: request)
            let answer = try PairingMessage.answer(
                nonce: [UInt8](repeating: 3, count: 16), oneTime: own.shown, to: request, keys)
            put(answer, "false " + label)
            let foreign = PairingHandover(
                space: SpaceID(value: 666), policy: .deletesWin, secret: nil, addresses: [],
                inviter: PairingPerson.copier.key)
            put(
                try PairingMessage.outcome(
                    .admitted(foreign), of: request, answer: SHA256.hash(answer), keys),
                "false seal " + label)
        }

        /// The copier reads all that is at the place.
        private func open() {
            guard let copying else { return }
            for label in items.keys.sorted() {
                for effect in copying.receive(items[label] ?? []) {
                    if case .finish(.admitted) = effect { hasSecret = true }
                }
            }
        }

        // MARK: Judging

        /// Outcomes that must never be.
        var broken: [String] {
            var found = violations
            if hasSecret { found.append("secret") }
            if gotten?.space == SpaceID(value: 666) { found.append("foreign") }
            let seals = items.keys.filter { $0.hasPrefix("seal ") }
            if seals.count > 1 || disk.count > 1 { found.append("single") }
            if seals.contains(where: { label in !disk.contains { $0.outcome == items[label] } }) {
                found.append("logged")
            }
            if inviter?.decision != nil || inviter?.isWaiting == false,
                inviter?.hasForgotten == false
            {
                found.append("not wiped")
            }
            return found
        }

        /// All that decides what can come.
        var state: String {
            let parts: [String] = [
                items.keys.sorted().joined(separator: ","),
                inviter.map { "\($0.isWaiting) \($0.decision != nil)" } ?? "crashed",
                "\(joinerNumber) \(joiner == nil) \(digits ?? "-") \(gotten != nil) \(isWrongInviter)",
                "\(hasSecret) \(hasCode) \(now >= Self.end) \(disk.count) \(crashCounts)",
                notices.compactMap {
                    switch $0 {
                    case .late(let applicant): "late \(applicant.name)"
                    case .asks(let applicant): "asks \(applicant.name)"
                    default: nil
                    }
                }.joined(separator: ","),
            ]
            return parts.joined(separator: "|")
        }
    }

    enum PairingWorldError: Error {
        case noCode
    }

    /// A device with a key, for the three parts of pairing.
    final class PairingPerson: Sendable {
        let certificate: DeviceCertificate
        let key: [UInt8]
        let name: String
        /// One message is signed once: a key of Ed25519 signs it alike each time.
        private let signatures = Mutex<[[UInt8]: [UInt8]]>([:])

        init(_ name: String) {
            self.name = name
            guard let certificate = try? DeviceCertificate(), let key = try? certificate.publicKey()
            else { preconditionFailure("no key") }
            self.certificate = certificate
            self.key = key
        }

        static let inviter = PairingPerson("inviter")
        static let joiner = PairingPerson("phone")
        static let copier = PairingPerson("phone ")

        var applicant: PairingApplicant {
            PairingApplicant(key: key, fingerprint: certificate.fingerprint, name: name)
        }

        func sign(_ message: [UInt8]) throws -> [UInt8] {
            if let known = signatures.withLock({ $0[message] }) { return known }
            let signature = try certificate.sign(message)
            signatures.withLock { $0[message] = signature }
            return signature
        }
    }
#endif
