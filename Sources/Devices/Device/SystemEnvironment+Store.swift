import Storage
import Transport

extension SystemEnvironment {
    /// Makes the store's environment from this machine.
    package static func environment() -> StoreEnvironment {
        StoreEnvironment(
            wallMilliseconds: wallMilliseconds, drawBits: random, machine: machine, boot: boot)
    }
}
