extension Action {
    /// The devices that are named, those that come into the world by it included.
    package var devices: [String] {
        switch self {
        case .create(let one, _, _), .edit(let one, _, _), .complete(let one, _),
            .reopen(let one, _), .delete(let one, _), .restore(let one, _), .purge(let one, _, _),
            .resolve(let one, _, _, _), .openEditor(let one, _), .saveEditor(let one, _, _),
            .createNewer(let one, _), .receiveUnreadable(let one, _):
            [one]
        case .sync(let one, let other), .startSync(let one, let other),
            .connect(let one, let other), .disconnect(let one, let other), .cut(let one, let other),
            .cutAfter(let one, let other, _), .delay(let one, let other, _, _),
            .block(let one, let other), .unblock(let one, let other), .corrupt(let one, let other),
            .loseEnd(let one, let other), .copy(let one, let other),
            .sendUnknown(let one, let other):
            [one, other]
        case .visit(let one, let other), .lie(let one, .withholdingFrom(let other)): [one, other]
        case .syncAll, .settle, .wait, .wholeNetwork: []
        case .partition(let groups): groups.flatMap { $0 }
        case .attack(.impersonation(let other), let one): [one, other]
        case .attack(_, let one): [one]
        case .expect(let expectation): expectation.named
        default: machine.map { [$0] } ?? []
        }
    }

    /// Who does or suffers it, if it is one device.
    var subject: String? {
        switch self {
        case .cut, .cutAfter, .delay, .block, .unblock, .partition, .corrupt, .expect: nil
        case .attack(_, let victim): victim
        default: devices.first
        }
    }

    /// The device that is named at both ends of what takes two; nil if there is none.
    ///
    /// A stranger may well claim to be the one that it calls.
    var selfMet: String? {
        switch self {
        case .attack, .partition, .expect: return nil
        default:
            let named = devices
            return named.count == 2 && named[0] == named[1] ? named[0] : nil
        }
    }

    /// The machine that something befalls.
    private var machine: String? {
        switch self {
        case .close(let one), .open(let one), .crash(let one), .crashAfter(let one, _),
            .losePower(let one), .losePowerAfter(let one, _), .backUp(let one, _),
            .restoreBackup(let one, _, _), .limitDisk(let one, _), .flipBit(let one),
            .setClock(let one, _), .shiftClock(let one, _), .driftClock(let one, _),
            .upgrade(let one), .wipe(let one), .lie(let one, _), .beHonest(let one),
            .changeSecret(let one), .learnSecret(let one), .acceptDeletes(let one),
            .runDays(let one, _):
            one
        default: nil
        }
    }
}

extension Expectation {
    /// The devices that are named.
    fileprivate var named: [String] {
        if case .knows(let other) = claim { return (devices ?? []) + [other] }
        return devices ?? []
    }
}
