import Core
import Session
import Storage

/// All that the processes on one store share besides its spaces: counts of strangers and of devices, and the
/// mailboxes of pairing.
///
/// Once a second a process adds what it has counted and reads the sums, so that a limit holds over all of them but for
/// a second of each. Nothing else waits for it, and nothing that devices have may depend on it.
package protocol RelaySharing: AnyObject, Sendable {
    /// Adds what is new here, and reads what there is; waits for the database, on a thread that may.
    ///
    /// There is one call at a time.
    func exchange(_ request: RelayShareRequest) throws(StoreFault) -> RelayShareAnswer
}

/// The counts that a process adds, and its questions.
package struct RelayShareRequest: Hashable, Sendable {
    /// Proofs that failed here since the last exchange, by address and space; nil for attempts to make one.
    package var failedProofs: [FailedProofs.Kind: Int] = [:]
    /// Bytes by which uploads of devices made spaces grow since they were last added.
    package var uploads: [DeviceUploads.Device: Int] = [:]
    /// The wishes of devices for mailboxes, in the order in which it came.
    package var mailboxes: [RelayMailboxRequest] = []
    /// The mailboxes that are open here, each with the number of the last item that all have who have it open.
    package var openMailboxes: [UInt128: Int] = [:]
    /// Devices that are connected here, and came on an earlier day.
    package var visits: [RelayVisit] = []
    /// Spaces are deleted that no device has visited for so many days; nil for none.
    package var expiryDays: Int?
    /// How much there may be.
    package var limits: RelayLimits

    /// Nothing is added.
    package init(limits: RelayLimits) {
        self.limits = limits
    }

    /// Whether it says or asks for something about mailboxes.
    package var hasMailboxes: Bool { !mailboxes.isEmpty || !openMailboxes.isEmpty }
}

/// A device that is connected to a space, and the day on which that was so.
package struct RelayVisit: Hashable, Sendable {
    /// The space.
    package let space: SpaceID
    /// The device, and the day.
    package let visitor: RelayVisitor

    /// A device in a space.
    package init(space: SpaceID, visitor: RelayVisitor) {
        self.space = space
        self.visitor = visitor
    }
}

/// A device's wish for a mailbox.
package enum RelayMailboxRequest: Hashable, Sendable {
    /// To open it, and to make it first if it may; with the address for which it counts.
    case open(UInt128, isMaking: Bool, address: String)
    /// To put an item in.
    case put([UInt8], UInt128)
}

/// The sums over all processes.
package struct RelayShareAnswer: Hashable, Sendable {
    /// A sum, and for how long it has been counted.
    package struct Sum: Hashable, Sendable {
        /// How many, or how many bytes.
        package var count: Int
        /// Since the first of them, by the database's clock.
        package var ageMilliseconds: Int64

        /// A sum.
        package init(count: Int, ageMilliseconds: Int64) {
            self.count = count
            self.ageMilliseconds = ageMilliseconds
        }
    }

    /// An item of a mailbox, and its place in the order of the items.
    package struct Item: Hashable, Sendable {
        /// Its place; from 1.
        package let number: Int
        /// The bytes that were put in.
        package let bytes: [UInt8]

        /// An item.
        package init(number: Int, bytes: [UInt8]) {
            self.number = number
            self.bytes = bytes
        }
    }

    /// The sums of failed proofs that have changed since the last exchange.
    package var failedProofs: [FailedProofs.Kind: Sum] = [:]
    /// The sums of uploaded bytes that have changed since the last exchange.
    package var uploads: [DeviceUploads.Device: Sum] = [:]
    /// The outcome of each wish, in their order.
    package var mailboxes: [RelayMailboxAnswer] = []
    /// The items behind those that all had, of each mailbox that is open here; none for one that is over.
    package var items: [UInt128: [Item]] = [:]
    /// The spaces that were deleted, as no device has visited them for long.
    package var expired: [SpaceID] = []
    /// The devices that the operator has put out, in all spaces.
    package var putOut: Set<RelayPutOut> = []
    /// The database's day, days since 1970-01-01 UTC: visits are noted by it, as a process's own clock may be wrong.
    package var day: Int64?
    /// How many mailboxes there are; nil if that was not looked at.
    package var mailboxCount: Int?

    /// Nothing has changed.
    package init() {}
}

/// The outcome of a wish for a mailbox.
package enum RelayMailboxAnswer: Hashable, Sendable {
    /// It is open.
    case opened
    /// The item is in, under this number; zero if it was there before.
    case put(number: Int)
    /// There is none.
    case missing
    /// There are as many as there may be.
    case tooMany
    /// The address has made as many as it may.
    case tooManyOfAddress
    /// It has as many items as it may.
    case fullOfItems
    /// It has as many bytes as it may.
    case fullOfBytes
}
