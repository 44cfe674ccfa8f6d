import Core

extension StatusProblem {
    /// The problem's code, for programs.
    package var code: String {
        switch self {
        case .revoked: "revoked"
        case .usedCode: "used-code"
        case .refused: "refused"
        case .relayLacksSecret: "relay-lacks-secret"
        case .unsent: "unsent"
        case .conflicts: "conflicts"
        case .deferred: "deferred"
        case .noRecentContact: "no-recent-contact"
        case .keysElsewhere: "keys-elsewhere"
        case .firstExchangeDue(.withKnown), .firstExchangeDue(.withAddress): "first-exchange-due"
        case .firstExchangeDue(.withCode): "keys-missing"
        case .paused: "paused"
        case .contact(_, .withholds): "contact-withholds"
        case .contact(_, .unreadable): "contact-unreadable"
        case .contact(_, .state): "contact"
        case .withheldBy: "withheld-by"
        case .missing(let entry): entry.code
        case .deletesHeld: "deletes-held"
        case .refusalUnsent: "refusal-unsent"
        case .notBroughtBack: "not-brought-back"
        case .usedCodeOf: "used-code-of"
        case .deletesHeldBy: "deletes-held-by"
        case .refusedSpender: "refused-spender"
        case .distantSecret: "distant-secret"
        }
    }

    /// The problem in a few words, for one line.
    package var shortWords: String {
        func shown(_ text: String) -> String { VisibleText.escaped(text) }
        func count(_ number: Int, _ noun: String) -> String {
            "\(number) \(noun)\(number == 1 ? "" : "s")"
        }
        return switch self {
        case .revoked: PeerError.revoked.message
        case .usedCode: "this device came with a code that was used before"
        case .refused(let note): "this device was refused: \(shown(note.message))"
        case .relayLacksSecret(let relay): "relay \(relay) may lack the new secret"
        case .unsent(let number, _): "\(count(number, "change")) to send"
        case .conflicts(let number): "\(number) in conflict"
        case .deferred(let number): "\(number) deferred"
        case .noRecentContact:
            "no daemon runs, and no device or relay was reached in the last "
                + "\(DeviceStatus.recentMinutes) minutes"
        case .keysElsewhere: "the keys of the space are not here"
        case .firstExchangeDue(.withKnown), .firstExchangeDue(.withAddress):
            "what the others have is not all here yet"
        case .firstExchangeDue(.withCode):
            "the keys of the space and what the others have are not here yet"
        case .paused: "paused"
        case .contact(let contact, let problem):
            switch problem {
            case .withholds: "\(contact.shownAddress) did not send all changes"
            case .unreadable: "\(contact.shownAddress) has changes that cannot be opened"
            case .state: "\(contact.shownAddress) \(contact.state.word)"
            }
        case .withheldBy(let peer) where peer.unopenedCount > 0:
            "\(shown(peer.name)) has \(count(peer.unopenedCount, "change")) that cannot be opened"
        case .withheldBy(let peer): "\(shown(peer.name)) did not send all changes"
        case .missing(let entry): entry.shortWords
        case .deletesHeld: "deletes are held"
        case .refusalUnsent: "refused deletes are not taken back yet"
        case .notBroughtBack(let number): "\(count(number, "to-do")) could not be brought back"
        case .usedCodeOf(let device): "\(shown(device.name)) came with a used code"
        case .deletesHeldBy(let device): "\(shown(device.name)) holds deletes"
        case .refusedSpender(let spender): "\(shown(spender.name)) is refused here"
        case .distantSecret(let secret):
            "\(shown(secret.name)) left a secret that is too far ahead, and it is ignored"
        }
    }
}

extension ContactState {
    /// In a word, as programs read it.
    package var word: String {
        switch self {
        case .idle: "idle"
        case .dialing: "dialing"
        case .connected: "connected"
        case .waiting: "waiting"
        case .finished: "finished"
        case .failed: "failed"
        }
    }

    /// Why it is not connected, if anything went wrong.
    package var cause: ContactCause? {
        switch self {
        case .idle, .dialing, .connected, .finished: nil
        case .waiting(let cause, seconds: _), .failed(let cause): cause
        }
    }

    /// Why it is not connected, in words, if anything went wrong.
    package var why: String? {
        if case .waiting(let cause, let seconds) = self {
            "\(cause.words); again in \(seconds) s"
        } else {
            cause?.words
        }
    }
}

extension SpaceDeviceStatus {
    /// The oddities of the device, in words for people; nothing for most.
    package var remarks: [String] {
        let all: [(isTrue: Bool, words: String)] = [
            (device.isRevoked, "revoked"),
            (
                device.isLateUser,
                "came with a code that was used before: not trusted; revoke it if you do not know it"
            ),
            (device.fingerprint == nil, "not paired"),
            (
                device.isUnseen && !device.isRevoked,
                "admitted, not yet seen: it may have the secret; revoke it if you do not know it"
            ),
            (lacksSecret, "has not heard of the new secret yet"),
        ]
        return all.filter(\.isTrue).map(\.words)
    }
}
