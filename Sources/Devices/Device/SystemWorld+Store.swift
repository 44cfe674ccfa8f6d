import Storage
import Transport

extension SystemWorld {
    /// What a store takes from this machine.
    package static func environment() -> StoreEnvironment {
        StoreEnvironment(
            wallMilliseconds: wallMilliseconds, drawBits: random, machine: machine, boot: boot)
    }
}
