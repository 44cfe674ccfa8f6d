import Core
import Replica
import Storage

/// A machine of the made-up world: a disk with a store, perhaps a running program, a clock.
final class SimulatedDevice {
    /// The state that decides which envelopes there are to take and to leave.
    struct RefreshMark: Hashable {
        let replica: ReplicaID
        let devices: UInt64
        let secret: KeyedSecret
    }

    /// A copy made earlier.
    struct Backup {
        let image: DiskImage
        let holdings: Holdings
        /// Whether it was made after a power cut, before anybody looked what that had left.
        let isOfPowerCut: Bool
        /// Edits during which the program died, and that nobody has looked for since.
        let deadEdits: [OracleDevice.DeadEdit]
        /// Whether a bit in it may be wrong.
        let hasWrongBit: Bool
        /// The secrets that it knew.
        let secrets: Set<KeyedSecret>
        /// The number of the last text that was served to a client before it.
        let serving: Int
    }

    let name: String
    let space: SpaceID
    /// Its number in the world.
    let index: Int
    let disk: SimulatedDisk
    /// Names the machine itself; a copied folder is on another one.
    let machine: String
    var traits: DeviceTraits
    /// Names the running of the machine.
    var boot = 1
    /// How far its wall clock is off; milliseconds.
    var clockOffset: Int64 = 0
    /// How fast its clock goes wrong, and since when.
    var drift: (partsPerMillion: Int64, since: Int64) = (0, 0)
    /// Whether the version that runs now is the newer one.
    var runsNewer = false
    var store: Store?
    var replica: Replica?
    /// Its state as a relay; nil for devices.
    var relay: SimulatedRelay?
    /// How far into its own sequence it last said that each other device has seen everything.
    var judgedSeen: [ReplicaID: UInt64] = [:]
    /// The relays' stores as it knows them, by the relays' indices.
    var relayIDs: [Int: ReplicaID] = [:]
    /// Which secrets of the space it knows: they lie beside its store.
    var secrets: Set<KeyedSecret> = [.first]
    /// All replica ids for which it can open envelopes: its own, and those of the one that it was copied from.
    var keyedReplicas: Set<ReplicaID> = []
    /// By which state of the devices' records it has last taken envelopes and left some.
    var refreshed: RefreshMark?
    /// Whether the next opening comes after a power cut.
    var hasLostPower = false
    /// Whether its disk was made to fail: full, or with a wrong bit.
    var isTroubled = false
    /// Whether a bit on its disk is wrong.
    var hasWrongBit = false
    /// Whether it was set back so that nothing can tell, and has not been opened since.
    var mayFork = false
    /// The numbers of the servings of which it knows nothing any more, as it was set back to a backup of before or has given
    /// its writes new numbers.
    var lostServings: [Range<Int>] = []
    /// The replica id that its store was last seen to have.
    var lastReplica: ReplicaID?
    /// All ids that its store was seen to write as.
    var replicas: Set<ReplicaID> = []
    /// How many times a bit of its disk has flipped.
    var flipCount = 0
    /// Whether its store was found to be damaged, and is out of the world.
    var isDamaged = false
    /// The fields of items that are open in its editor, as they were shown.
    var editors: [String: [Field: Value]] = [:]
    var backups: [String: Backup] = [:]
    /// The stream of its messages that only newer versions send.
    var newerChance: Chance?
    /// Whether it visited a relay as a reader, or is a copy of one that did: of deletes that this set aside no later session
    /// tells.
    var hasBeenReader = false
    /// The relays that lied to it, or share a database with one that did, by their indices: it may take for read what it was
    /// not given there.
    var deceivers: Set<Int> = []
    /// How many deletes of one session pass its mass-delete guard; nil for as many as usual.
    var massDeleteGuardCount: Int?
    /// The records that were alive when its store was last looked at, and at which arrival number.
    var alive: (sequence: UInt64, ids: Set<RecordName>)?
    /// How often its disk had been changed when its store was last looked at.
    var lookedWrites = 0
    /// The records that were ever alive there.
    var everAlive: Set<RecordName> = []
    /// Its replica id and how many writes it had made before its last step; nil before the first.
    var counterBefore: (replica: ReplicaID, counter: UInt64)?
    /// The counts of its last session.
    var lastSession: (changeCount: Int, byteCount: Int)?

    init(
        _ traits: DeviceTraits, index: Int, space: SpaceID?, disk: SimulatedDisk
    ) {
        name = traits.name
        machine = "machine of \(traits.name)"
        self.traits = traits
        self.index = index
        let own = traits.isForeign ? SpaceID(value: 0x1000 + UInt128(index)) : World.space
        self.space = space ?? own
        self.disk = disk
    }

    /// Which secret of the space it shows.
    var secret: KeyedSecret { secrets.max() ?? .first }
    /// Whether it is a relay.
    var isRelay: Bool { traits.isRelay }
    /// Whether its program runs.
    var isRunning: Bool { store != nil || relay?.node != nil }

    /// Where every device keeps its store, on its own disk.
    static let folder = "/store"

    /// How its stores are opened.
    var options: StoreOptions {
        var options = StoreOptions()
        options.durability = traits.isDurable ? .full : .normal
        options.busyMilliseconds = 0
        if let massDeleteGuardCount {
            options.massDeleteGuard = MassDeleteLimits(freeCount: massDeleteGuardCount)
        }
        return options
    }

    /// How far its wall clock is from the world's; milliseconds.
    func clockError(at now: Int64) -> Int64 {
        clockOffset + (now - drift.since) * drift.partsPerMillion / 1_000_000
    }
}
