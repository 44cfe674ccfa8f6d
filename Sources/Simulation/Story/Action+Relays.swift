/// What relays do and suffer.
extension Action {
    /// Who has to be a relay for this to happen.
    var relay: String? {
        switch self {
        case .visit(_, let relay), .wipe(let relay), .lie(let relay, _), .beHonest(let relay): relay
        case .expect(let expectation):
            if case .versionCount = expectation.claim { expectation.devices?.first } else { nil }
        default: nil
        }
    }

    /// The relay that is named where only a device can be, and what to write; nil if there is none.
    func unfitRelay(among relays: Set<String>) -> (name: String, hint: String)? {
        let named = devices.filter(relays.contains)
        guard let name = named.first else { return nil }
        switch self {
        case .sync: return (name, "one session with a relay is `laptop visits \(name)`")
        case .startSync(let first, _), .connect(let first, _), .disconnect(let first, _):
            let isCaller = relays.contains(first)
            return isCaller ? (first, "devices call relays: name the device first") : nil
        case .visit(let device, _), .lie(_, .withholdingFrom(let device)):
            return relays.contains(device) ? (device, "here comes the name of a device") : nil
        case .restoreBackup(_, _, .replaced): return nil
        case .expect(let expectation):
            if case .versionCount = expectation.claim { return nil }
            return (name, "of a relay, expect that it `holds 2 versions of milk`")
        case .cut, .cutAfter, .delay, .block, .unblock, .partition, .corrupt, .loseEnd, .close,
            .open, .crash, .crashAfter, .losePower, .losePowerAfter, .backUp, .limitDisk, .wipe,
            .lie, .beHonest:
            return nil
        default: return (name, "this is for devices only")
        }
    }
}
