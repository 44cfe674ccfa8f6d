/// An error: the cause, the side that has to act, and the next step.
///
/// Every error of this module is one of these; a closure that is given to ``TandemStore/write(_:)`` may throw
/// others, which are passed on.
public struct TandemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Names a kind of error; later versions may have more.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code in words, as it stands in logs.
        public let description: String
    }

    /// The side that has to act.
    public enum Side: Hashable, Sendable {
        /// The program that called: its code is to be corrected.
        case app
        /// The person: what was asked for cannot be done as things are.
        case user
        /// This machine: its disk, its permissions, another program on it.
        case machine
        /// The other device or the relay.
        case peer
    }

    /// Which kind of error it is.
    public let code: Code
    /// The cause, in words.
    public let what: String
    /// The side that has to act.
    public let side: Side
    /// The next step, in words.
    public let next: String

    /// Both, in one line.
    public var description: String { next.isEmpty ? what : "\(what); \(next)" }

    init(_ code: Code, _ what: String, side: Side, next: String) {
        self.code = code
        self.what = what
        self.side = side
        self.next = next
    }
}

extension TandemError.Code {
    // MARK: The app's side

    /// The schema contradicts itself or uses a name that cannot be used.
    public static let badSchema = Self(description: "bad schema")
    /// A collection, an attribute or a reference that the schema does not have.
    public static let unknownName = Self(description: "unknown name")
    /// A value of another kind than the attribute holds.
    public static let wrongKind = Self(description: "wrong kind of value")
    /// The store is not open: not yet, or not any more.
    public static let notOpen = Self(description: "not open")
    /// A transaction was begun inside of another.
    public static let nestedTransaction = Self(description: "nested transaction")
    /// The record does not exist here.
    public static let noSuchRecord = Self(description: "no such record")
    /// There is a record of that id already.
    public static let recordExists = Self(description: "record exists")
    /// A value or a record is over its limit.
    public static let overLimit = Self(description: "over a limit")

    // MARK: The person's side

    /// The record is deleted here, so a save was refused.
    public static let recordDeleted = Self(description: "record deleted")
    /// The record was purged: there is nothing to bring back.
    public static let recordPurged = Self(description: "record purged")
    /// The record is not deleted; only what is in the trash is purged.
    public static let notDeleted = Self(description: "not deleted")
    /// A conflict is open, and a purge would drop its values; also what another device wrote to a purged record.
    public static let conflictOpen = Self(description: "conflict open")
    /// A sync would delete more than half of the records: it is held until somebody confirms it, here with
    /// `acceptDeletes`, or on the other device.
    public static let deletesHeld = Self(description: "deletes held")
    /// An invitation cannot be read, has run out, or was used before.
    public static let badInvitation = Self(description: "bad invitation")
    /// No device or relay is known yet, so there is nobody to sync with.
    public static let nobodyKnown = Self(description: "nobody known")
    /// The text is no address of a device or a relay.
    public static let badAddress = Self(description: "bad address")

    // MARK: The machine's side

    /// There is no store in the folder.
    public static let noStore = Self(description: "no store")
    /// There is a store in the folder already.
    public static let storeExists = Self(description: "store exists")
    /// A newer version of Tandem made the store.
    public static let newerStore = Self(description: "newer store")
    /// The file is no store.
    public static let notAStore = Self(description: "not a store")
    /// Another process wrote for longer than one waits.
    public static let busy = Self(description: "busy")
    /// The disk is full; nothing was written.
    public static let diskFull = Self(description: "disk full")
    /// The file is damaged.
    public static let damaged = Self(description: "damaged")
    /// The file or folder cannot be read or written.
    public static let inputOutput = Self(description: "input or output")
    /// The device's key, its keyring or its list of trusted devices cannot be used: others can read it, it is damaged,
    /// or it cannot be read.
    public static let unusableKeys = Self(description: "unusable keys")
    /// A program with another schema took the store over while it was open here.
    public static let schemaChanged = Self(description: "schema changed")
    /// A sync service runs for this store already.
    public static let alreadyRunning = Self(description: "already running")
    /// No sync service or daemon runs for this store.
    public static let notRunning = Self(description: "not running")
    /// This build has no encryption.
    public static let noEncryption = Self(description: "no encryption")

    // MARK: The peer's side

    /// The peer was not reached, or the connection broke; what had arrived is kept.
    public static let unreachable = Self(description: "unreachable")
    /// The peer refused, or this device refused the peer.
    public static let refused = Self(description: "refused")
    /// Something that is not understood came from the peer.
    public static let protocolError = Self(description: "protocol error")
}
