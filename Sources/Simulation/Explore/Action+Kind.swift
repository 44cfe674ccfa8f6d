extension Action {
    /// Its sort.
    package var kind: ActionKind {
        peopleKind ?? networkKind ?? machineKind
    }

    private var peopleKind: ActionKind? {
        switch self {
        case .create: .create
        case .edit: .edit
        case .complete: .complete
        case .reopen: .reopen
        case .delete: .delete
        case .restore: .restore
        case .purge: .purge
        case .resolve: .resolve
        case .openEditor: .openEditor
        case .saveEditor: .saveEditor
        case .sync: .sync
        case .visit: .visit
        case .startSync: .startSync
        case .connect: .connect
        case .disconnect: .disconnect
        case .syncAll: .syncAll
        case .settle: .settle
        case .wait: .wait
        default: nil
        }
    }

    private var networkKind: ActionKind? {
        switch self {
        case .cut: .cut
        case .cutAfter: .cutAfter
        case .delay: .delay
        case .block: .block
        case .unblock: .unblock
        case .partition: .partition
        case .wholeNetwork: .wholeNetwork
        case .corrupt: .corrupt
        case .loseEnd: .loseEnd
        default: nil
        }
    }

    private var machineKind: ActionKind {
        switch self {
        case .close: .close
        case .open: .open
        case .crash: .crash
        case .crashAfter: .crashAfter
        case .losePower: .losePower
        case .losePowerAfter: .losePowerAfter
        case .copy: .copy
        case .backUp: .backUp
        case .restoreBackup: .restoreBackup
        case .limitDisk: .limitDisk
        case .flipBit: .flipBit
        case .setClock: .setClock
        case .shiftClock: .shiftClock
        case .driftClock: .driftClock
        case .acceptDeletes: .acceptDeletes
        case .runDays: .runDays
        case .wipe: .wipe
        case .lie: .lie
        case .beHonest: .beHonest
        case .changeSecret: .changeSecret
        case .learnSecret: .learnSecret
        case .upgrade: .upgrade
        case .sendUnknown: .sendUnknown
        case .createNewer: .createNewer
        case .receiveUnreadable: .receiveUnreadable
        case .attack: .attack
        default: .expect
        }
    }
}

extension Step {
    /// The fault that it is, if it is one.
    package var fault: FaultKind? {
        if case .restoreBackup(_, _, .unnoticed) = action { return .setBack }
        return action.kind.fault ?? (isElsewhere ? .otherProcess : nil)
    }
}
