import Devices
import Storage

/// The results of examining a store.
public struct StoreExamination: Sendable {
    /// Something that can be repaired without loss.
    public enum Repair: Hashable, Sendable {
        /// Indexes do not fit, and are made anew.
        case indexes
        /// Sums that are kept along do not fit, and are counted anew.
        case sums
        /// A file with keys may be read by others, and is closed to them.
        case exposedKey(path: String)
        /// A program that was killed left a file behind, which is removed.
        case leftover(path: String)
    }

    /// The possible repairs.
    public let repairs: [Repair]
    /// How many changes could not be read, and are kept for a newer version.
    public let deferredCount: Int
    /// Whether nothing is damaged or deferred.
    public let isClean: Bool

    let found: [RepairStep]

    init(_ examination: Examination) {
        found = examination.repairs
        repairs = examination.repairs.map { repair in
            switch repair {
            case .indexes: .indexes
            case .sums: .sums
            case .exposedKey(let path, _): .exposedKey(path: path)
            case .leftover(let path): .leftover(path: path)
            }
        }
        deferredCount = examination.deferred.count
        isClean = examination.isClean
    }
}

/// The readable part of a damaged store.
public struct SalvageOutcome: Sendable {
    /// How many records can be read.
    public let readableCount: Int
    /// How many cannot.
    public let lostCount: Int
    /// Whether more than these may be lost.
    public let mayLoseMore: Bool
    /// Whether nothing is lost, so that the device goes on as the same one.
    public let isWhole: Bool
    /// The folder in which the damaged store is now; nil if it was only looked at.
    public let asideFolder: String?

    init(_ report: RescueReport) {
        readableCount = report.readCount
        lostCount = report.lostCount
        mayLoseMore = !report.isLostCountExact
        isWhole = report.isWhole
        asideFolder = report.aside
    }
}

/// A snapshot of a store.
public struct StoreSnapshot: Hashable, Sendable {
    /// Its number, as ``Store/restore(from:deletesLater:)`` takes it.
    public let number: Int
    /// When it was taken; milliseconds since 1970-01-01 UTC.
    public let time: Int64
    /// Where it is.
    public let path: String
}
