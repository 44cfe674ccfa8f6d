/// The open file beside a store on which processes tell each other that they have it open.
///
/// The lock belongs to the open file: each opening has its own, in one process as well.
package protocol WitnessFile: AnyObject {
    /// Takes the lock for itself alone, in place of a shared one; false if another opening holds it.
    func tryExclusiveLock() -> Bool

    /// Takes the lock together with others; false if another opening has it for itself alone.
    func trySharedLock() throws(StoreFault) -> Bool

    /// Makes an exclusive lock a shared one.
    func share()

    /// Gives the lock up.
    func unlock()

    /// Up to `count` bytes from `offset` on, as many as there are.
    func read(at offset: Int, count: Int) -> [UInt8]

    /// Writes with one call, so that nobody sees half of it.
    func write(_ bytes: [UInt8], at offset: Int) throws(StoreFault)

    /// Makes what was written survive a power cut.
    func flush() throws(StoreFault)

    /// Lets go of the file and the lock.
    func close()
}
