import Core
import Devices
import Storage
import Transport

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
    /// Whether it has joined; else it was admitted with a code here, and was not seen since.
    public let hasJoined: Bool
    /// How many deletes it holds until a person accepts them there, as far as it has said.
    public let heldDeleteCount: Int

    init(_ device: DeviceDirectory.Device, own: ReplicaID) {
        id = device.fingerprint.map { "\($0)" } ?? device.replicas[0].uuidText
        name = device.name
        isOwn = device.replicas.contains(own)
        isRevoked = device.isRevoked
        hasUsedCode = device.isLateUser
        hasJoined = !device.isUnseen
        heldDeleteCount = device.heldDeleteCount
    }
}

/// The devices of the space: letting them in, and taking them out.
extension TandemStore {
    /// Makes a code that lets one more device into this store's space, and waits with it on a thread of its own.
    ///
    /// Relays that are known already are handed over as well, and all of them are synced with, so that they know
    /// the space before somebody comes. The calling thread waits until the code can be used.
    /// - Parameters:
    ///   - addresses: where this device is called (`host:port`, while a ``SyncService`` listens there, or nothing
    ///     else does), and relays through which both can meet (`relay://host:port#fingerprint`); at least one, unless a
    ///     relay is known. Both devices meet at the first of them.
    ///   - seconds: how long the code is good; at most an hour.
    ///   - relayToken: what the relays ask for before they take a new space; nil for nothing.
    ///   - admitsFirst: whether whoever comes first with the code is admitted; else the digits that it shows have to be
    ///     given to ``Invitation/enter(digits:)``.
    /// - Throws: `badAddress`; `refused` if the keys of the space are on another device, or this one was revoked;
    ///   `unreachable` if the relay is not reached; `noEncryption`, `unusableKeys`, `inputOutput`, `diskFull`, `notOpen`.
    public func invite(
        at addresses: [String], seconds: Int = 600, relayToken: String? = nil,
        admitsFirst: Bool = false
    ) throws(TandemError) -> Invitation {
        _ = try openDevice()
        var settings = InvitationThread.Settings(folder: folder, schema: try schema.tables())
        settings.options = options
        do throws(TransportError) {
            settings.addresses = try addresses.map { text throws(TransportError) in
                try DevicePairing.Address(parsing: text)
            }
        } catch {
            throw TandemError(error)
        }
        settings.token = relayToken
        settings.seconds = seconds
        settings.admitsFirst = admitsFirst
        return try Invitation(settings)
    }

    /// Joins the space of another device with a code that was made there, and syncs for the first time.
    ///
    /// A store that is in the folder already keeps its records, and brings them into the space.
    /// - Parameters:
    ///   - code: what ``invite(at:seconds:relayToken:admitsFirst:)`` gave over there; blanks do not matter.
    ///   - folder: where the store is or is to be made.
    ///   - schema: the app's collections.
    ///   - deviceName: what other devices call this one, if the store has to be made.
    ///   - leavesSpace: whether a store that other devices share may leave them behind, if the code is of another space;
    ///     else it is refused, and the code stays good.
    ///   - options: how the store is opened.
    ///   - shown: given the six digits that the person types at the other device.
    /// - Returns: the store, open.
    /// - Throws: `badInvitation`, `refused`, `unreachable`, `noEncryption`, `alreadyRunning` if a service or a
    ///   daemon runs for the folder, and what ``open(deviceName:policy:)`` throws. If only the first sync failed, nothing
    ///   is thrown: ``sync(with:allowsPlainTCP:acceptsDeletes:)`` and ``SyncService`` know the addresses from now on.
    public static func join(
        _ code: String, at folder: String, schema: Schema, deviceName: String,
        leavesSpace: Bool = false, options: StoreOptions = StoreOptions(),
        shown: (_ digits: String) -> Void = { _ in }
    ) throws(TandemError) -> TandemStore {
        let tables = try schema.tables()
        let store = TandemStore(at: folder, schema: schema, options: options)
        let outcome = try TandemError.mappingAny {
            let joining = DeviceJoining(
                in: folder, schema: tables, name: deviceName, options: options)
            func refuse(_: Device, _ others: [DeviceDirectory.Device]) throws {
                guard others.isEmpty || leavesSpace else { throw TandemError.sharedStore(others) }
            }
            return try joining.join(
                PairingCode(parsing: code), shown: shown, prepare: refuse, check: refuse)
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
            try device.spaceDevices(device.keyring()).map {
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
    /// - Parameters:
    ///   - device: the device.
    ///   - takesBack: whether all that the device ever did is undone by new edits, as far as no other device
    ///     edited it later; of a device that is out already, what has come of it since.
    ///   - since: the time from which on, by that device's clock; milliseconds since 1970-01-01 UTC, nil for all
    ///     of it.
    /// - Returns: what was undone; nil if nothing was to be.
    /// - Throws: `refused` if it is this one, was never paired or is out already, or if this one was revoked;
    ///   `noEncryption`, `notOpen`.
    @discardableResult
    public func revoke(
        _ device: SpaceDevice, takesBack: Bool = false, since: Int64? = nil
    ) throws(TandemError) -> TakenBack? {
        let own = try openDevice()
        return try TandemError.mappingAny {
            try own.pairing.revoke(
                Self.known(device, to: own), takesBack: takesBack, since: since
            ).takenBack
        }
    }

    /// Counts what ``revoke(_:takesBack:since:)`` would undo, as far as it is known here; nothing is written.
    ///
    /// - Throws: `refused` if there is no such device; `busy`, `damaged`, `notOpen`.
    public func rehearseTakeBack(
        of device: SpaceDevice, since: Int64? = nil
    ) throws(TandemError) -> TakenBack {
        let own = try openDevice()
        return try TandemError.mappingAny {
            try own.pairing.rehearseTakeBack(Self.known(device, to: own), since: since)
        }
    }

    /// Ends the refusal of devices by whose word this one took a new identity too often within a day.
    ///
    /// It ends by itself after a day; until then the status has a problem `refusedDevice`.
    /// - Parameter name: the problem's subject.
    /// - Returns: whether such a device was refused.
    /// - Throws: `busy`, `diskFull`, `notOpen`.
    @discardableResult
    public func admitRefusedDevice(named name: String) throws(TandemError) -> Bool {
        let own = try openDevice()
        return try TandemError.mappingAny {
            let found = try own.refusedSpenders().filter { $0.name == name }
            for spender in found { try own.admit(spender) }
            return !found.isEmpty
        }
    }

    private static func known(
        _ device: SpaceDevice, to own: Device
    ) throws -> DeviceDirectory.Device {
        let known = try own.directory().devices.first {
            SpaceDevice($0, own: own.store.replica).id == device.id
        }
        guard let known else { throw DeviceFault.noSuchDevice(device.id) }
        return known
    }
}
