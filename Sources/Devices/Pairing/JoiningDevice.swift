import Core
import Crypto
import Session
import Storage
import Transport

/// A device that comes into a space, with a code that another device made.
package struct JoiningDevice {
    /// How long it is waited for the person at the other device; seconds.
    package static let patienceSeconds = WaitingInvitation.secondsMax
    /// How long after a request an answer of the other device is late: its program answers at once; seconds.
    package static let answerSeconds = 5

    /// The mailbox of the code, which the device's record names.
    let mailbox: [UInt8]
    /// The contents of the handover.
    package let handover: PairingHandover

    /// A device that was let in.
    package init(mailbox: [UInt8], handover: PairingHandover) {
        self.mailbox = mailbox
        self.handover = handover
    }

    /// Asks the device that made a code to be let in, and waits until it is.
    ///
    /// - Parameters:
    ///   - name: the device's name.
    ///   - shown: given the digits that the person types at the other device.
    ///   - late: called once if the other device has not answered for ``answerSeconds``, as if nothing waits there any more.
    /// - Throws: a `JoiningFault`; a `TransportError` or `PeerError` if the meeting point is not reached or has no such code.
    package static func ask(
        with code: PairingCode, as certificate: DeviceCertificate, named name: String,
        patienceSeconds: Int = patienceSeconds, shown: (_ digits: String) -> Void,
        late: @escaping () -> Void = {}
    ) throws -> JoiningDevice {
        #if Encryption
            let key = try certificate.publicKey()
            let joiner = try PairingJoiner(
                code,
                PairingApplicant(key: key, fingerprint: certificate.fingerprint, name: name),
                oneTime: OneTimeKey(.random(count: 32)),
                nonce: Keyring.random(byteCount: PairingMessage.nonceByteCount),
                signing: certificate.sign)
            let mailbox = PairingSocket.mailbox(joiner.mailbox)
            let loop = try EventLoop()
            let link = try MailboxLink(
                on: loop, at: code.meeting, fingerprint: nil, mailbox: mailbox, isMaking: false)
            let meeting = "\(code.meeting)"
            return try withoutActuallyEscaping(shown) { shown in
                var result: Result<PairingHandover, any Error>?
                var isAnswered = false
                func end(_ found: Result<PairingHandover, any Error>) {
                    if result == nil { result = found }
                    loop.stop()
                }
                link.failed = { error in
                    switch error {
                    case let error as PeerError:
                        end(.failure(JoiningFault.refused(by: meeting, error)))
                    // A device takes unknown keys only while it waits with a code.
                    case TransportError.security(.refusedByPeer, _):
                        end(.failure(JoiningFault.refused(by: meeting, .noMailbox)))
                    default: end(.failure(error))
                    }
                }
                link.received = { item in
                    for effect in joiner.receive(item) {
                        isAnswered = true
                        switch effect {
                        case .show(let digits): shown(digits)
                        case .finish(.admitted(let handover)): end(.success(handover))
                        case .finish(let outcome):
                            end(.failure(JoiningFault.refused(by: meeting, outcome.error)))
                        case .closed: end(.failure(JoiningFault.refused(by: meeting, .noMailbox)))
                        case .wrongInviter: end(.failure(JoiningFault.wrongInviter(at: meeting)))
                        }
                    }
                }
                link.put(joiner.request)
                loop.schedule(after: .seconds(answerSeconds)) {
                    if !isAnswered, result == nil { late() }
                }
                loop.schedule(after: .seconds(patienceSeconds)) {
                    end(.failure(JoiningFault.noAnswer(seconds: patienceSeconds)))
                }
                link.start()
                defer {
                    link.failed = { _ in }
                    link.received = { _ in }
                    link.close()
                    loop.closeLinks()
                }
                try loop.run()
                guard let result else { throw JoiningFault.noAnswer(seconds: patienceSeconds) }
                return JoiningDevice(mailbox: joiner.mailbox, handover: try result.get())
            }
        #else
            throw DeviceFault.noEncryption
        #endif
    }

    /// Takes a store into the space, with the keys that were handed over.
    ///
    /// - Parameter own: this device's fingerprint.
    @discardableResult
    package func enter(_ store: Store, _ own: Fingerprint) throws -> SpaceMember {
        if store.space != handover.space {
            // In one transaction: after a crash in between, the devices of the space that was left would be let in.
            try store.enter(space: handover.space, policy: handover.policy) {
                transaction throws(StoreFault) in
                try SpaceMember.distrustOthers(than: own, in: store, transaction)
                try FirstExchangeNote.begin(transaction)
            }
        }
        let member = try SpaceMember(store, own) { keyring in
            if let secret = handover.secret { keyring.add(secret) } else { keyring.isPlain = true }
            for peer in PairingHandover.peers(of: handover.addresses) {
                switch peer {
                case .relay:
                    if keyring.relays[peer.description] == nil {
                        keyring.relays[peer.description] = ""
                    }
                case .device: keyring.peers.insert(peer.description)
                }
            }
        }
        try member.refresh(invite: mailbox)
        return member
    }
}

extension PairingOutcome {
    /// Why a device is not let in, in words.
    var error: PeerError {
        switch self {
        case .used: .invitationUsed(by: nil)
        case .ended: .codeEnded
        case .revoked: .revoked
        case .refused, .admitted: .notAdmitted
        }
    }
}

/// Why a device was not let in.
package enum JoiningFault: Error, Hashable, Sendable {
    /// The device that made the code, or the meeting point, says why.
    case refused(by: String, PeerError)
    /// Another device than the one that made the code answers at the meeting point.
    case wrongInviter(at: String)
    /// Nobody has admitted this device for so long; seconds.
    case noAnswer(seconds: Int)
}

extension JoiningFault: CustomStringConvertible {
    /// The fault in words, then the next step.
    package var description: String {
        switch self {
        case .refused(let peer, let error):
            "\(peer): \(error.message). Next: \(error.advice)"
        case .wrongInviter(let meeting):
            "the device that answers at \(meeting) knows the code but did not make it. Next: have a new code made and "
                + "show it to nobody else; if this happens again, use another meeting point"
        case .noAnswer(let seconds):
            "nobody has admitted this device for \(seconds) seconds. Next: have a new code made, and type "
                + "the digits of this device there"
        }
    }
}
