/// How a store is opened.
package struct StoreOptions: Hashable, Sendable {
    /// When commits are flushed to the disk.
    package enum Durability: String, Hashable, Sendable {
        /// At checkpoints, and before anything leaves for a peer: a power cut may take the last local
        /// writes back, which no peer has seen then.
        case normal = "NORMAL"
        /// At every commit: a power cut takes nothing back.
        case full = "FULL"
    }

    /// When commits are flushed to the disk.
    package var durability: Durability = .normal
    /// How long to wait for another process that writes; milliseconds.
    package var busyMilliseconds = 5000
    /// The most pages of 4096 bytes that the file may have; 0 for no limit.
    ///
    /// Stands in for a full disk.
    package var pageCountMax = 0
    /// The most entries that the journal keeps.
    package var journalEntryCountMax: Int64 = 100_000
    /// The most bytes that the journal keeps, near enough.
    package var journalByteCountMax: Int64 = 32 << 20

    /// How much one session may delete; nil for any number.
    package var brake: DeletionBrake? = DeletionBrake()

    /// The usual way.
    package init() {}
}
