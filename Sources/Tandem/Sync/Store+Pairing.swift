import Core
import Devices
import Storage
import Transport

/// The devices of the space: letting them in, and taking them out.
extension Store {
    /// Makes a code that lets one more device into this store's space.
    ///
    /// Relays that are known already stand in the code as well, and all of them are synced with, so that they know
    /// the space before somebody comes with the code.
    /// - Parameters:
    ///   - addresses: where this device is called (`host:port`, while a ``SyncService`` listens there), and
    ///     relays through which both can meet (`relay://host:port#fingerprint`); at least one, unless a relay is
    ///     known.
    ///   - seconds: how long the code is good.
    ///   - relayToken: what the relays ask for before they take a new space; nil for nothing.
    /// - Throws: `badAddress`; `refused` if the keys of the space are on another device, or this one was revoked;
    ///   `noEncryption`, `inputOutput`, `diskFull`, `notOpen`.
    public func invite(
        at addresses: [String], seconds: Int = 900, relayToken: String? = nil
    ) throws(TandemError) -> Invitation {
        let device = try openDevice()
        return try TandemError.mappingAny {
            Invitation(
                try device.pairing.invite(
                    at: addresses.map { try DevicePairing.Address(parsing: $0) },
                    token: relayToken, seconds: seconds, now: SystemEnvironment.wallMilliseconds()))
        }
    }

    /// Joins the space of another device with a code that was made there, and syncs for the first time.
    ///
    /// A store that is in the folder already keeps its records, and brings them into the space.
    /// - Parameters:
    ///   - code: what ``invite(at:seconds:relayToken:)`` gave over there; blanks and lines do not matter.
    ///   - folder: where the store is or is to be made.
    ///   - schema: the app's collections.
    ///   - deviceName: what other devices call this one, if the store has to be made.
    ///   - leavesSpace: whether a store that other devices share leaves them behind; else it is refused.
    ///   - options: how the store is opened.
    /// - Returns: the store, open.
    /// - Throws: `badInvitation`, `refused`, `unreachable`, `noEncryption`, `alreadyRunning` if a service or a
    ///   daemon runs for the folder, and what ``open(deviceName:)`` throws. If only the first sync failed, nothing
    ///   is thrown: ``sync(with:allowsPlainTCP:acceptsDeletes:)`` and ``SyncService`` know the addresses from now on.
    public static func join(
        _ code: String, at folder: String, schema: Schema, deviceName: String,
        leavesSpace: Bool = false, options: StoreOptions = StoreOptions()
    ) throws(TandemError) -> Store {
        let tables = try schema.tables()
        let store = Store(at: folder, schema: schema, options: options)
        let outcome = try TandemError.mappingAny {
            let joining = DeviceJoining(
                in: folder, schema: tables, name: deviceName, options: options.engine)
            return try joining.join(
                PairingCode(parsing: code), now: SystemEnvironment.wallMilliseconds()
            ) { _, leaving in
                guard leaving.isEmpty || leavesSpace else { throw TandemError.sharedStore(leaving) }
            }
        }
        try store.use(outcome.device)
        return store
    }

    /// The devices that have told of themselves, by name.
    ///
    /// - Throws: `busy`, `damaged`, `notOpen`.
    public func devices() throws(TandemError) -> [SpaceDevice] {
        let device = try openDevice()
        return try TandemError.mapping { () throws(StoreFault) in
            try device.directory().devices.map { SpaceDevice($0, own: device.store.replica) }
        }
    }

    /// Gives this device another name; the others hear it with the next sync.
    ///
    /// - Throws: `refused` if the name is blank, too long, or that of another device; `busy`, `diskFull`, `notOpen`.
    public func rename(to name: String) throws(TandemError) {
        let device = try openDevice()
        try TandemError.mappingAny { try device.rename(to: name) }
    }

    /// Takes a device out of the space, for good: every device that hears of it refuses it, and what is
    /// written from now on is sealed with a secret that it does not get.
    ///
    /// The device keeps the data that it already has. Known relays are synced with before and
    /// after; the other devices learn of the removal in their next sync.
    /// - Throws: `refused` if it is this one, was never paired or is out already, or if this one was revoked;
    ///   `noEncryption`, `notOpen`.
    public func revoke(_ device: SpaceDevice) throws(TandemError) {
        let own = try openDevice()
        try TandemError.mappingAny {
            let known = try own.directory().devices.first {
                SpaceDevice($0, own: own.store.replica).id == device.id
            }
            guard let known else { throw DeviceFault.noSuchDevice(device.id) }
            _ = try own.pairing.revoke(known)
        }
    }
}
