import Relay
import Session
import Storage

/// The secret of the space, and which relays refuse whom for it.
extension World {
    /// The space gets a new secret, which only this device has.
    func changeSecret(_ device: Device) throws {
        guard !story.isPlain, !device.traits.isForeign else {
            throw Refused(.missing, "there is no secret that \(device.name) could change")
        }
        guard device.secret == secret else {
            throw Refused(.missing, "\(device.name) has not learned the newest secret")
        }
        secret += 1
        device.secret = secret
        tell(device.lane, .befell("changes the secret"))
        count("changed secrets")
    }

    /// A device has the newest secret from now on.
    func learnSecret(_ device: Device) {
        if story.isPlain || device.traits.isForeign || device.secret == secret { return }
        device.secret = secret
        tell(device.lane, .befell("learns the secret"))
        count("learned secrets")
    }

    /// Takes down whether a relay that refuses a device has cause to, as it refuses it.
    func noteRefusal(of link: Link, at place: Device) throws {
        guard link.secret > 0, let relay = place.relay, let node = relay.node,
            let caller = link.ends.lazy.map({ self.devices[$0.lane] }).first(where: { !$0.isRelay })
        else { return }
        count("refusals by relays")
        // Unless it can be seen that there was none: its disk may be full.
        link.isRefusedForSecret = true
        try looking(at: place) {
            guard let kept = try node.store(of: caller.space)?.generation else {
                link.isRefusedForSecret = false
                return
            }
            if link.secret > kept + 1 {
                // A succession that does not fit counts as a proof that failed.
                relay.failedProofs[caller.lane, default: []].append(now)
                return
            }
            let recent = (relay.failedProofs[caller.lane] ?? []).count { $0 > now - Self.minute }
            link.isRefusedForSecret =
                link.secret < kept || recent >= RelayLimits().failedProofsPerMinuteMax
        }
    }

    /// All have the newest secret; a relay that has missed one has to be emptied, as it says itself.
    func healSecrets() throws {
        for device in devices where !device.isRelay { learnSecret(device) }
        var hasFailedProofs = false
        for device in devices {
            guard let relay = device.relay, let node = relay.node else { continue }
            hasFailedProofs = hasFailedProofs || !relay.failedProofs.isEmpty
            if let kept = try node.store(of: Self.space)?.generation, kept > 0, kept + 1 < secret {
                try wipe(device)
            }
        }
        if hasFailedProofs { try wait(milliseconds: Self.minute) }
    }

    /// For how long a relay counts proofs that failed, in milliseconds.
    private static let minute: Int64 = 60_000
}
