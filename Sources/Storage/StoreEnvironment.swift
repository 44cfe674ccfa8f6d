/// What a store takes from the world around it: time, chance, the machine it is on, and its disk.
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
