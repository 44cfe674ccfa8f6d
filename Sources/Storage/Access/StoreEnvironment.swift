import Core

/// The surroundings of a store: time, chance, the machine it is on, and its disk.
package struct StoreEnvironment {
    /// The wall clock: milliseconds since 1970-01-01 UTC; may be wrong.
    package var wallMilliseconds: () -> Int64
    /// Sixty-four random bits that nobody can guess or repeat.
    package var drawBits: () -> UInt64
    /// Names the machine; the same after a restart.
    package var machine: String
    /// Names the running of the machine; another one after a restart.
    package var boot: String
    /// Where the files are.
    package var disk: any StoreDisk

    /// The fields in which a device shows itself in the record of a replica id that the store in a folder takes as it opens:
    /// without them an id that another one follows at once would be nobody's.
    package var shownMarks: (_ folder: String, SpaceID) -> [Assignment] = { _, _ in [] }

    /// A world; with the machine's own disk if none is given.
    package init(
        wallMilliseconds: @escaping () -> Int64, drawBits: @escaping () -> UInt64, machine: String,
        boot: String, disk: (any StoreDisk)? = nil
    ) {
        self.wallMilliseconds = wallMilliseconds
        self.drawBits = drawBits
        self.machine = machine
        self.boot = boot
        self.disk = disk ?? SystemDisk()
    }

    /// One hundred and twenty-eight random bits.
    package func random128() -> UInt128 {
        UInt128(drawBits()) << 64 | UInt128(drawBits())
    }
}

/// How a store is opened.
public struct StoreOptions: Hashable, Sendable {
    /// When commits are flushed to the disk.
    public enum Durability: String, Hashable, Sendable {
        /// At checkpoints, and before anything leaves for a peer or a client: a power cut may take the last
        /// local writes back, which nobody else has seen then.
        case normal = "NORMAL"
        /// At every commit: a power cut takes nothing back.
        case full = "FULL"
    }

    /// When commits are flushed to the disk.
    public var durability: Durability = .normal
    /// How long to wait for another process that writes; milliseconds.
    public var busyMilliseconds = 5000
    /// The most pages of 4096 bytes that the file may have; 0 for no limit.
    ///
    /// Stands in for a full disk.
    package var pageCountMax = 0
    /// The most entries that the journal keeps.
    package var journalEntryCountMax: Int64 = 100_000
    /// The most transactions of which it is remembered which records they made.
    package var makingCountMax: Int64 = 10_000
    /// The most bytes that the journal keeps, near enough.
    package var journalByteCountMax: Int64 = 32 << 20

    /// The fewest records of a collection for which an index of the words of their texts is made, at the first search
    /// for one: fewer are read as quickly.
    package var searchedRecordCountMin = 2_000

    /// Whether the store keeps its replica id whatever suggests that it is a copy: for a copy that is only looked at and
    /// thrown away, as nothing that is written under the id may leave it.
    package var keepsReplica = false

    /// How much one session may delete; nil for any number.
    package var massDeleteGuard: MassDeleteLimits? = MassDeleteLimits()

    /// The usual way.
    public init() {}
}
