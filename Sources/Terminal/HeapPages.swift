import Glibc

/// Pages of memory for a command that opens a store, asked for together.
///
/// Such a command takes some 150 pages for what it allocates. The kernel gives each by itself as it is first written to, and
/// a fault costs more than clearing its page does: together they take a twenty-fifth of `tandem add`.
package enum HeapPages {
    /// How much a command takes; bytes.
    private static let byteCount = 512 << 10
    /// madvise(2), since Linux 5.14; an older kernel refuses it, and gives each page as it is written to.
    private static let populateForWriting: CInt = 23

    /// Takes the pages that a command needs; does nothing where it cannot.
    package static func take() {
        // Freeing what was mapped lets the heap hold as much, and keep twice that at its end. Source: mallopt(3), notes on
        // the dynamic threshold of `M_MMAP_THRESHOLD`.
        free(block(of: 2 * byteCount))
        guard let block = block(of: byteCount) else { return }
        defer { free(block) }
        let pageSize = UInt(getpagesize())
        let address = UInt(bitPattern: block)
        let start = (address + pageSize - 1) / pageSize * pageSize
        _ = madvise(
            UnsafeMutableRawPointer(bitPattern: start), byteCount - Int(start - address),
            populateForWriting)
    }

    /// A block of memory; in a function of its own, as the compiler leaves out a block that is freed without use.
    @inline(never)
    private static func block(of byteCount: Int) -> UnsafeMutableRawPointer? { malloc(byteCount) }
}
