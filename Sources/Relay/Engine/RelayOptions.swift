import Core

/// The options that a relay's operator sets.
package struct RelayOptions: Hashable, Sendable {
    /// The folder of the spaces' files.
    package var folder: String
    /// Whether spaces without encryption may be kept: whoever knows their id may read and write them.
    package var allowsPlainSpaces = false
    /// The devices that the operator has put out of spaces.
    package var putOut: Set<RelayPutOut> = []
    /// The token that a device must show to make a new space; nil if any device may make one.
    package var token: String?
    /// Spaces are deleted that no device has visited for so many days; nil for none.
    package var expiryDays: Int?
    /// How much the relay takes and how long it waits.
    package var limits = RelayLimits()

    /// The usual decisions, with the files in `folder`.
    package init(folder: String) {
        self.folder = folder
    }
}

/// How much a relay takes, and how long it waits.
package struct RelayLimits: Hashable, Sendable {
    // MARK: Quotas of one space

    /// The most bytes of one space: bodies, clocks, ids and state summaries, as `RelayStore` counts them.
    package var spaceByteCountMax = 1024 * 1024 * 1024
    /// The most records of one space.
    package var spaceRecordCountMax = 2_000_000
    /// The most concurrent versions of one record: no more than there are devices that edit at once; and as
    /// many again that were deferred, which so never stand against those that can be read.
    package var recordVersionCountMax = 1024
    /// The most versions of one record in all: concurrent ones, deferred ones, and as many that a device could not open.
    package var storedVersionCountMax: Int { 3 * recordVersionCountMax }
    /// The most conversations about one space at a time.
    package var spaceSessionCountMax = 1024
    /// The most conversations of one device about one space at a time.
    package var deviceSessionCountMax = 16
    /// The most bytes by which the uploads of one device may make one space grow in 24 hours: four times a full space, as
    /// each new secret of the space has all of it uploaded again.
    package var deviceByteCountMax = 4 * 1024 * 1024 * 1024
    /// The most devices of one space that are remembered; of more those go that were here longest ago.
    package var spaceDeviceCountMax = 4096
    /// The most replicas of one space whose state summaries and uploads are remembered; of more the oldest go.
    package var spaceReplicaCountMax = 4096

    // MARK: The whole relay

    /// The most spaces.
    package var spaceCountMax = 10_000
    /// The most files of spaces that are open at a time; the least recently used is closed.
    package var openSpaceCountMax = 128
    /// The most connections to a database that the spaces are in, besides that for notices.
    package var storeConnectionCountMax = 4
    /// The most calls of a database that wait for one of these; more are refused, as the store is busy.
    package var storeCallCountMax = 8192
    /// The most conversations at a time.
    package var sessionCountMax = 20_000
    /// The most bytes that wait for the next commit, over all spaces; past that it comes at once.
    ///
    /// With those of the commits that are under way they are bounded, too: past that a device that waits for one is
    /// heard no further.
    package var queuedByteCountMax = 64 * 1024 * 1024
    /// The most bytes of half-received frames and bodies, over all conversations; past that the one that
    /// holds most, of the address that holds most, is ended.
    package var heldByteCountMax = 256 * 1024 * 1024
    /// The most proofs that may fail from one address for one space in a minute, and the most attempts from one
    /// address to make a space; a right proof is accepted all the same.
    package var failedProofsPerMinuteMax = 10
    /// The most counts of failed proofs that are kept; of more the oldest are forgotten.
    package var failedProofCountMax = 4096

    /// The most devices whose uploads are counted; of more the count that began first is forgotten.
    package var uploadingDeviceCountMax = 65_536

    // MARK: Mailboxes of pairing

    /// The most mailboxes.
    package var mailboxCountMax = 1024
    /// The most mailboxes that one address made.
    package var addressMailboxCountMax = 16
    /// The most conversations that have one mailbox open at a time.
    package var mailboxSessionCountMax = 16
    /// The most items of one mailbox.
    package var mailboxItemCountMax = 64
    /// The most bytes of all items of one mailbox.
    package var mailboxByteCountMax = 64 * 1024
    /// The longest life of a mailbox.
    package var mailboxMilliseconds: Int64 = 61 * 60 * 1000
    /// A mailbox that nobody has open is dropped after this time.
    package var idleMailboxMilliseconds: Int64 = 60_000

    // MARK: One conversation

    /// The longest message before the relay hello reply, in bytes.
    package var relayHelloByteCountMax = 4096
    /// The most bytes that may come behind the relay hello while the store decides on it.
    package var admissionByteCountMax = 256 * 1024
    /// The longest wait for the relay hello.
    package var relayHelloTimeoutMilliseconds: Int64 = 10_000
    /// The longest time without a message from the device.
    package var silenceTimeoutMilliseconds: Int64 = 30_000
    /// A ping goes out when nothing was sent for so long.
    package var pingIntervalMilliseconds: Int64 = 10_000
    /// The longest time without an acknowledgement while batches are on their way, beside what their bytes
    /// take at `slowestBytesPerSecond`.
    package var slowConsumerMilliseconds: Int64 = 30_000
    /// The slowest link on which a device is waited for.
    package var slowestBytesPerSecond = 16 * 1024
    /// The most batches that may be on their way without an acknowledgement, either way.
    package var windowBatchCount = WireLimits.windowBatchCount
    /// No further batch leaves while so many bytes are on their way without an acknowledgement.
    package var windowByteCountMax = 1024 * 1024
    /// The most bytes of bodies in one read; one longer body is read alone.
    package var batchByteCountMax = WireLimits.batchByteCountMax
    /// Nothing further leaves while the link holds more bytes than this.
    package var sendQueueByteCountMax = 1024 * 1024
    /// The most bytes of bodies received and not yet on the disk: one of the longest and a window.
    package var receivedByteCountMax =
        WireLimits.bodyByteCountMax
        + WireLimits.windowBatchCount * WireLimits.frameByteCountMax
    /// The most stretches of a conversation's own uploads that are remembered; what is forgotten is sent
    /// back to it once.
    package var ownStretchCountMax = 1024

    /// The usual limits.
    package init() {}
}
