import Crypto

/// The device that was admitted with a code: on the disk before the secret leaves, and sent again as it is, to nobody else.
package struct PairingDecision: Hashable, Sendable {
    /// The mailbox of the code.
    package let mailbox: [UInt8]
    /// The admitted device's key.
    package let fingerprint: Fingerprint
    /// The name by which it asked.
    package let name: String
    /// The hash of its request.
    package let request: [UInt8]
    /// The answer to that.
    package let answer: [UInt8]
    /// The handover of the space, sealed for it alone.
    package let outcome: [UInt8]

    /// A decision.
    package init(
        mailbox: [UInt8], fingerprint: Fingerprint, name: String, request: [UInt8],
        answer: [UInt8], outcome: [UInt8]
    ) {
        self.mailbox = mailbox
        self.fingerprint = fingerprint
        self.name = name
        self.request = request
        self.answer = answer
        self.outcome = outcome
    }
}

#if Encryption
    import Core

    /// The inviting device's side of one code: events in, effects out, nothing else touched.
    ///
    /// Time comes with each event, and is that of a clock which counts sleep and is never set. Keys are in memory
    /// alone: without this object the code is worth nothing. Source: Protocol/11-Pairing.md §2.
    package final class PairingInviter {
        /// The most requests for one code; further ones are told, and not answered.
        package static let requestCountMax = 8
        /// So many wrong digits end the code.
        package static let wrongDigitsMax = 3
        /// The most devices that are named after the code was used.
        package static let lateCountMax = 32

        /// Something that happened.
        package enum Event: Sendable {
            /// An item came to the meeting point.
            case item([UInt8])
            /// The person typed digits.
            case digits(String)
            /// The decision that was asked to be written is on the disk, or cannot be written.
            case decided(isOnDisk: Bool)
            /// Time has passed.
            case tick
            /// The person, or the program, waits no longer.
            case stop
        }

        /// An action for whoever drives it.
        package enum Effect: Hashable, Sendable {
            /// Put an item into the meeting point.
            case put([UInt8])
            /// Write a decision to the disk and flush it, then tell `decided`; nothing of it may leave before.
            case decide(PairingDecision)
            /// Tell the person.
            case show(PairingNotice)
        }

        private struct Candidate {
            let request: [UInt8]
            let applicant: PairingApplicant
            let answer: [UInt8]
            let keys: PairingRequestKeys
            let digits: String
        }

        private enum Phase {
            case waiting
            case deciding(Candidate, PairingDecision)
            case used(PairingDecision)
            case over
        }

        /// When the code ends, in milliseconds of the clock that counts sleep.
        package let end: Int64
        /// The first bytes of the hash of the one-time public key, which stand in the code.
        package let pin: [UInt8]
        /// The keys that the code gives.
        package let keys: PairingCodeKeys
        private let oneTime: OneTimeKey
        private let admitsFirst: Bool
        private let random: (Int) -> [UInt8]
        private let isRevoked: (Fingerprint) -> Bool
        private let handover: () -> PairingHandover?

        private var phase = Phase.waiting
        private var candidates: [Candidate] = []
        private var requestCount = 0
        private var wrongCount = 0
        private var lateRequests: Set<[UInt8]> = []
        private var effects: [Effect] = []

        /// A code that begins to wait.
        ///
        /// - Parameters:
        ///   - codeKey: the key in the code.
        ///   - oneTime: a key that was made for this code.
        ///   - admitsFirst: whether whoever asks first is admitted, and nobody types digits.
        ///   - random: draws bytes.
        ///   - isRevoked: whether a key was taken out of the space.
        ///   - handover: what an admitted device is handed, as it is then; nil if it cannot be read.
        package init(
            codeKey: [UInt8], oneTime: OneTimeKey, end: Int64, admitsFirst: Bool = false,
            random: @escaping (Int) -> [UInt8], isRevoked: @escaping (Fingerprint) -> Bool,
            handover: @escaping () -> PairingHandover?
        ) throws(SealFault) {
            keys = try PairingCodeKeys(codeKey)
            pin = Array(try SHA256.hash(oneTime.shown).prefix(PairingCode.pinByteCount))
            self.oneTime = oneTime
            self.end = end
            self.admitsFirst = admitsFirst
            self.random = random
            self.isRevoked = isRevoked
            self.handover = handover
        }

        /// Whether devices are still admitted.
        package var isWaiting: Bool {
            switch phase {
            case .waiting, .deciding: true
            case .used, .over: false
            }
        }

        /// The decision, once it is on the disk.
        package var decision: PairingDecision? {
            if case .used(let decision) = phase { decision } else { nil }
        }

        /// Takes one event and gives the effects to run, in order.
        package func step(_ event: Event, now: Int64) -> [Effect] {
            effects = []
            if case .waiting = phase, now >= end { finish(.time, .ended) }
            switch event {
            case .item(let item): hear(item, isInTime: now < end)
            case .digits(let text): take(text)
            case .decided(let isOnDisk): decided(isOnDisk)
            case .stop: if case .waiting = phase { finish(.stopped, .refused) }
            case .tick: break
            }
            if now >= end, !isWaiting { keys.wipe() }
            return effects
        }

        // MARK: Requests

        private func hear(_ item: [UInt8], isInTime: Bool) {
            guard let head = PairingMessage.head(of: item), head.kind == .request,
                let request = try? SHA256.hash(item)
            else { return }
            switch phase {
            case .waiting: ask(item, request)
            case .deciding(let candidate, _):
                // Answered as soon as the disk has answered; the others are told then.
                if candidate.request != request { ask(item, request) }
            case .used(let decision):
                if decision.request == request {
                    effects += [.put(decision.answer), .put(decision.outcome)]
                } else {
                    nameLate(item, request, isInTime)
                }
            case .over: nameLate(item, request, isInTime)
            }
        }

        private func ask(_ item: [UInt8], _ request: [UInt8]) {
            if let known = candidates.first(where: { $0.request == request }) {
                return effects.append(.put(known.answer))
            }
            guard let (applicant, theirs) = PairingMessage.open(request: item, pin: pin, keys)
            else { return }
            guard requestCount < Self.requestCountMax else {
                return effects += [.put(PairingMessage.closing(request)), .show(.tooMany)]
            }
            // A key of small order, or a library that fails: nobody can be answered.
            guard let candidate = try? candidate(applicant, theirs, request) else { return }
            requestCount += 1
            effects.append(.put(candidate.answer))
            if isRevoked(applicant.fingerprint) { return tell(candidate, .revoked) }
            candidates.append(candidate)
            effects.append(.show(.asks(applicant)))
            if admitsFirst, case .waiting = phase { decide(candidate) }
        }

        private func candidate(
            _ applicant: PairingApplicant, _ theirs: [UInt8], _ request: [UInt8]
        ) throws(SealFault) -> Candidate {
            let found = try PairingRequestKeys(
                own: oneTime, peer: theirs, inviter: oneTime.shown, keys, request: request)
            // Drawn now, when the request is fixed: no key can be chosen to fit the digits.
            let answer = try PairingMessage.answer(
                nonce: random(PairingMessage.nonceByteCount), oneTime: oneTime.shown,
                to: request, found)
            return Candidate(
                request: request, applicant: applicant, answer: answer, keys: found,
                digits: try found.digits(request: request, answer: SHA256.hash(answer)))
        }

        private func nameLate(_ item: [UInt8], _ request: [UInt8], _ isInTime: Bool) {
            let closing = Effect.put(PairingMessage.closing(request))
            guard isInTime else { return effects.append(closing) }
            // Whoever has no code is neither counted nor answered: nobody waits there for this code.
            guard let (applicant, _) = PairingMessage.open(request: item, pin: pin, keys) else {
                return
            }
            effects.append(closing)
            if lateRequests.count < Self.lateCountMax, lateRequests.insert(request).inserted {
                effects.append(.show(.late(applicant)))
            }
        }

        // MARK: The decision

        private func take(_ text: String) {
            guard case .waiting = phase else { return }
            let digits = text.filter { $0.isASCII && $0.isNumber }
            let fitting = candidates.filter { $0.digits == digits }
            if fitting.count == 1 { return decide(fitting[0]) }
            wrongCount += 1
            if wrongCount >= Self.wrongDigitsMax { return finish(.wrongDigits, .refused) }
            effects.append(.show(.wrongDigits(leftCount: Self.wrongDigitsMax - wrongCount)))
        }

        private func decide(_ candidate: Candidate) {
            guard let handover = handover(),
                let answer = try? SHA256.hash(candidate.answer),
                let outcome = try? PairingMessage.outcome(
                    .admitted(handover), of: candidate.request, answer: answer, candidate.keys)
            else { return finish(.disk, .ended) }
            let decision = PairingDecision(
                mailbox: keys.mailbox, fingerprint: candidate.applicant.fingerprint,
                name: candidate.applicant.name, request: candidate.request,
                answer: candidate.answer, outcome: outcome)
            phase = .deciding(candidate, decision)
            effects.append(.decide(decision))
        }

        private func decided(_ isOnDisk: Bool) {
            guard case .deciding(let candidate, let decision) = phase else { return }
            guard isOnDisk else {
                phase = .waiting
                return finish(.disk, .ended)
            }
            phase = .used(decision)
            effects += [.put(decision.outcome), .show(.admitted(candidate.applicant))]
            for other in candidates where other.request != candidate.request {
                tell(other, .used)
            }
            forget()
        }

        // MARK: The end

        private func finish(_ ending: PairingEnding, _ outcome: PairingOutcome) {
            phase = .over
            for candidate in candidates { tell(candidate, outcome) }
            forget()
            effects.append(.show(.over(ending)))
        }

        private func tell(_ candidate: Candidate, _ outcome: PairingOutcome) {
            if let answer = try? SHA256.hash(candidate.answer),
                let item = try? PairingMessage.outcome(
                    outcome, of: candidate.request, answer: answer, candidate.keys)
            {
                effects.append(.put(item))
            }
            effects.append(.show(.notAdmitted(candidate.applicant, outcome)))
        }

        /// Wipes all but the key that opens requests, by which those are named who come later.
        private func forget() {
            for candidate in candidates { candidate.keys.wipe() }
            candidates = []
            oneTime.wipe()
            keys.wipeBinding()
        }

        /// Whether the keys that could open or seal an outcome are gone.
        package var hasForgotten: Bool {
            oneTime.isWiped && keys.isBindingWiped && candidates.isEmpty
        }
    }
#endif
