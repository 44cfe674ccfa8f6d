#if Encryption
    import Core
    import Crypto

    /// The joining device's side of a code: items in, effects out, nothing else touched.
    ///
    /// A crash of it needs a new one, with a new request and other digits. Source: Protocol/11-Pairing.md §2.
    package final class PairingJoiner {
        /// An action for whoever drives it.
        package enum Effect: Hashable, Sendable {
            /// Show the digits to the person, who types them at the inviting device.
            case show(digits: String)
            /// The request has ended.
            case finish(PairingOutcome)
            /// Another device than the one that made the code has answered.
            case wrongInviter
            /// Nothing comes of the request, as the meeting point says.
            case closed
        }

        /// The most items that are kept because they came before the answer.
        static let earlyCountMax = 8

        /// The request: put into the meeting point, and again with the same bytes after a connection that broke.
        package let request: [UInt8]
        /// The id of the mailbox.
        package let mailbox: [UInt8]
        private let hash: [UInt8]
        private let keys: PairingCodeKeys
        private let pin: [UInt8]
        private let oneTime: OneTimeKey
        private var answered: (hash: [UInt8], keys: PairingRequestKeys)?
        private var early: [[UInt8]] = []
        private var isOver = false

        /// A request of a device.
        ///
        /// - Parameters:
        ///   - oneTime: a key that was made for this request.
        ///   - nonce: 16 random bytes.
        ///   - signing: signs with the device's key.
        package init(
            _ code: PairingCode, _ applicant: PairingApplicant, oneTime: OneTimeKey,
            nonce: [UInt8], signing: (_ message: [UInt8]) throws -> [UInt8]
        ) throws {
            keys = try PairingCodeKeys(code.key)
            mailbox = keys.mailbox
            pin = code.pin
            self.oneTime = oneTime
            request = try PairingMessage.request(
                applicant, nonce: nonce, oneTime: oneTime.shown, pin: code.pin, keys,
                signing: signing)
            hash = try SHA256.hash(request)
        }

        deinit { wipe() }

        /// Takes an item of the meeting point.
        package func receive(_ item: [UInt8]) -> [Effect] {
            guard !isOver, let head = PairingMessage.head(of: item),
                head.request == hash
                    || head.kind == .closing && head.request == PairingMessage.everyRequest
            else { return [] }
            switch head.kind {
            case .request: return []
            case .answer: return take(answer: item)
            case .closing: return end(.closed)
            case .outcome:
                guard let answered else {
                    if early.count < Self.earlyCountMax { early.append(item) }
                    return []
                }
                return take(outcome: item, answered)
            }
        }

        private func take(answer item: [UInt8]) -> [Effect] {
            guard answered == nil, let theirs = PairingMessage.oneTime(in: item) else { return [] }
            guard let shownHash = try? SHA256.hash(theirs),
                Array(shownHash.prefix(pin.count)) == pin,
                let found = try? PairingRequestKeys(
                    own: oneTime, peer: theirs, inviter: theirs, keys, request: hash)
            else { return end(.wrongInviter) }
            // Changed on the way: the right one may still come.
            guard
                PairingMessage.isAuthentic(answer: item, to: hash, oneTime: theirs, found),
                let answer = try? SHA256.hash(item),
                let digits = try? found.digits(request: hash, answer: answer)
            else { return [] }
            answered = (answer, found)
            var effects = [Effect.show(digits: digits)]
            for item in early where !isOver { effects += take(outcome: item, (answer, found)) }
            early = []
            return effects
        }

        private func take(
            outcome item: [UInt8], _ answered: (hash: [UInt8], keys: PairingRequestKeys)
        ) -> [Effect] {
            guard
                let outcome = PairingMessage.open(
                    outcome: item, of: hash, answer: answered.hash, answered.keys)
            else { return [] }
            return end(.finish(outcome))
        }

        private func end(_ effect: Effect) -> [Effect] {
            isOver = true
            wipe()
            return [effect]
        }

        private func wipe() {
            answered?.keys.wipe()
            oneTime.wipe()
            keys.wipe()
        }
    }
#endif
