/// The sorts of things that can happen, one for each case of `Action`.
package enum ActionKind: String, Hashable, Sendable, CaseIterable, Comparable {
    case create, edit, complete, reopen, delete, restore, purge, resolve, openEditor, saveEditor
    case sync, startSync, connect, disconnect, syncAll, settle, wait
    case cut, cutAfter, delay, block, unblock, partition, wholeNetwork, corrupt, loseEnd
    case close, open, crash, crashAfter, losePower, losePowerAfter, copy, backUp, restoreBackup
    case limitDisk, flipBit
    case acceptDeletes, runDays
    case visit, wipe, lie, beHonest, changeSecret, learnSecret
    case setClock, shiftClock, driftClock
    case upgrade, createNewer, receiveUnreadable, sendUnknown, attack
    case expect

    package static func < (left: ActionKind, right: ActionKind) -> Bool {
        left.rawValue < right.rawValue
    }

    /// The fault that a world needs to have before this happens in it; nil for what always may.
    var fault: FaultKind? {
        switch self {
        case .connect, .disconnect: .liveSessions
        case .startSync: .duplicateSessions
        case .cut, .cutAfter: .cut
        case .delay: .delay
        case .block, .unblock, .partition, .wholeNetwork: .block
        case .corrupt: .corruption
        case .loseEnd: .halfOpen
        case .crash, .crashAfter: .kill
        case .losePower, .losePowerAfter: .powerCut
        case .copy: .copy
        case .backUp, .restoreBackup: .backup
        case .limitDisk: .diskFull
        case .flipBit: .bitFlip
        case .setClock, .shiftClock, .driftClock: .clock
        case .acceptDeletes, .runDays: .safety
        case .visit, .wipe: .relay
        case .lie, .beHonest: .relayLies
        case .changeSecret, .learnSecret: .secret
        case .upgrade, .createNewer, .sendUnknown: .newerVersion
        case .receiveUnreadable: .unreadable
        case .attack: .stranger
        default: nil
        }
    }
}
