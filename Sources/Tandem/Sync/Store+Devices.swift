import Crypto
import Devices
import Storage

/// The devices of the space.
extension Store {
    /// The devices that have told of themselves, by name.
    ///
    /// - Throws: `busy`, `damaged`, `notOpen`.
    public func devices() throws(TandemError) -> [Device] {
        let engine = try opened()
        return try TandemError.mapping { () throws(StoreFault) in
            try DeviceBook(engine).devices.map { Device($0, own: engine.replica) }
        }
    }

    /// Takes a device out of the space, for good: every device that hears of it refuses it, and what is
    /// written from now on is sealed with a secret that it does not get.
    ///
    /// What it has already it keeps. Sync afterwards, so that the others hear of it.
    /// - Throws: `refused` if it is this one, or was never paired; `noEncryption`, `notOpen`.
    public func revoke(_ device: Device) throws(TandemError) {
        let engine = try opened()
        do {
            guard let member = try SpaceAccess(engine).member else { throw Self.notPaired }
            let known = try DeviceBook(engine).devices.first {
                Device($0, own: engine.replica).id == device.id
            }
            guard let known, known.fingerprint != nil else { throw Self.notPaired }
            if known.replicas.contains(engine.replica) {
                throw TandemError(
                    .refused, "a device cannot take itself out", side: .user,
                    next: "do it on another device")
            }
            #if Encryption
                try member.revoke(known)
            #else
                _ = member
                throw Self.noEncryption
            #endif
        } catch {
            throw TandemError(any: error)
        }
    }

    private static var notPaired: TandemError {
        TandemError(
            .refused, "the device was never paired", side: .user,
            next: "only devices that have joined with a code can be taken out")
    }
}
