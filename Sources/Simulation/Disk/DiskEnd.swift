/// What happens to the process that uses a disk.
package enum DiskEnd: Hashable, Sendable {
    /// It is killed: what it wrote stays.
    case crash
    /// The machine loses power: what was not flushed may be lost.
    case powerCut
}
