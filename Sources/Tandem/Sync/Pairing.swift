import Core
import Devices
import Storage
import Transport

/// A code that lets one more device into the space of a store: to be typed, pasted or scanned
/// there.
///
/// Whoever reads the code while it is good can read everything in the space: show it to nobody else.
public struct Invitation: Hashable, Sendable {
    /// The code, for ``TandemStore/join(_:at:schema:deviceName:leavesSpace:options:)``; it can be drawn as a QR code.
    public let code: String
    /// The code in lines, as it is best read out and typed; each line has a check of its own.
    public let lines: [String]
    /// Until when it is good; milliseconds since 1970-01-01 UTC.
    public let expiry: Int64

    /// The relays in the code that were not reached just now: until a sync with them somebody who comes with the code
    /// finds nothing there.
    public let unreachedRelays: [String]

    init(_ invitation: DevicePairing.Invitation) {
        let code = invitation.code
        unreachedRelays = invitation.unmet.map { "\($0.relay)" }
        self.code = code.text
        lines = CodeText.lines(code.text)
        expiry = Int64(code.expiry) * 1000
    }
}

/// A device of a store's space.
public struct SpaceDevice: Hashable, Sendable, Identifiable {
    /// Names it: what it proves to be, or what its store is called if it was never paired.
    public let id: String
    /// Its name for people.
    public let name: String
    /// Whether it is this one.
    public let isOwn: Bool
    /// Whether it was taken out of the space.
    public let isRevoked: Bool
    /// Whether it came with an invitation that another device had used, so that no device lets it in.
    public let hasUsedCode: Bool
    /// How many deletes it holds until a person accepts them there, as far as it has said.
    public let heldDeleteCount: Int

    init(_ device: DeviceDirectory.Device, own: ReplicaID) {
        id = device.fingerprint.map { "\($0)" } ?? device.replicas[0].uuidText
        name = device.name
        isOwn = device.replicas.contains(own)
        isRevoked = device.isRevoked
        hasUsedCode = device.isLateUser
        heldDeleteCount = device.heldDeleteCount
    }
}

/// The devices of the space: letting them in, and taking them out.
extension TandemStore {
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
    ///   `noEncryption`, `unusableKeys`, `inputOutput`, `diskFull`, `notOpen`.
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
    ///   daemon runs for the folder, and what ``open(deviceName:policy:)`` throws. If only the first sync failed, nothing
    ///   is thrown: ``sync(with:allowsPlainTCP:acceptsDeletes:)`` and ``SyncService`` know the addresses from now on.
    public static func join(
        _ code: String, at folder: String, schema: Schema, deviceName: String,
        leavesSpace: Bool = false, options: StoreOptions = StoreOptions()
    ) throws(TandemError) -> TandemStore {
        let tables = try schema.tables()
        let store = TandemStore(at: folder, schema: schema, options: options)
        let outcome = try TandemError.mappingAny {
            let joining = DeviceJoining(
                in: folder, schema: tables, name: deviceName, options: options)
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
        return try TandemError.mappingAny {
            try device.spaceDevices(device.access().member).map {
                SpaceDevice($0.device, own: device.store.replica)
            }
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
