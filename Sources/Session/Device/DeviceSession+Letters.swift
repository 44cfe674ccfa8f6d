import Core

/// Letters: how a device that meets others only at relays gets the next secret of the space.
extension DeviceSession {
    /// Leaves what devices with older secrets need; a relay that does not say what it has keeps none.
    mutating func leaveLetters(isCaughtUp: Bool) {
        guard !account.isReader, let known = welcome?.letters else { return }
        effects.append(.leaveLetters(known: known, isCaughtUp: isCaughtUp))
    }

    /// The relay is about to refuse this device for its secret.
    mutating func hearLetter(_ letter: Letter) {
        guard !hasLetter, letter.verifier == account.access?.verifier else {
            fail(.malformed("a letter for others"))
            return
        }
        hasLetter = true
        effects.append(.takeLetter(letter))
    }
}
