import CSQLite

/// The memory that the connections to one database share, with its locks: the index of the log.
///
/// Lives on, as mapped memory does, while somebody who uses it is let go of later than the file.
final class SharedIndex {
    private var regions: [UnsafeMutableRawPointer] = []
    // Never moved: reading an array in a class asks each time whether somebody writes it.
    private let sharedCounts = SharedIndex.slots(of: 0)
    private let exclusiveOwners = SharedIndex.slots(of: UInt64(0))
    /// How long the regions are together.
    private(set) var byteCount = 0
    /// How many openings use it.
    var userCount = 0

    deinit {
        for region in regions { region.deallocate() }
        sharedCounts.deallocate()
        exclusiveOwners.deallocate()
    }

    private static func slots<Number: BinaryInteger>(
        of zero: Number
    ) -> UnsafeMutablePointer<Number> {
        let slots = UnsafeMutablePointer<Number>.allocate(capacity: Int(SQLITE_SHM_NLOCK))
        slots.initialize(repeating: zero, count: Int(SQLITE_SHM_NLOCK))
        return slots
    }

    /// How many regions there are.
    var regionCount: Int { regions.count }

    /// A region, if it is there.
    func region(_ place: Int) -> UnsafeMutableRawPointer? {
        place < regions.count ? regions[place] : nil
    }

    /// Adds a region of zeros.
    func addRegion(byteCount: Int) {
        let region = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 16)
        region.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
        regions.append(region)
        self.byteCount += byteCount
    }

    /// Takes locks together with others; `held` are the locks of `owner`, a bit each.
    func takeShared(_ slots: Range<Int>, for owner: UInt64, held: inout UInt8) -> Bool {
        for slot in slots where exclusiveOwners[slot] != 0 && exclusiveOwners[slot] != owner {
            return false
        }
        for slot in slots where held & 1 << UInt8(slot) == 0 {
            sharedCounts[slot] += 1
            held |= 1 << UInt8(slot)
        }
        return true
    }

    /// Takes locks for one alone.
    func takeExclusive(_ slots: Range<Int>, for owner: UInt64, held: UInt8) -> Bool {
        for slot in slots {
            let own = held & 1 << UInt8(slot) == 0 ? 0 : 1
            let holder = exclusiveOwners[slot]
            if sharedCounts[slot] > own || (holder != 0 && holder != owner) { return false }
        }
        for slot in slots { exclusiveOwners[slot] = owner }
        return true
    }

    /// Gives locks up.
    func unlock(_ slots: Range<Int>, for owner: UInt64, held: inout UInt8) {
        for slot in slots {
            if exclusiveOwners[slot] == owner { exclusiveOwners[slot] = 0 }
            if held & 1 << UInt8(slot) != 0 {
                sharedCounts[slot] -= 1
                held &= ~(1 << UInt8(slot))
            }
        }
    }
}
