import Crypto
import Devices
import Storage
import Transport

/// Being let in by another device.
extension Store {
    /// Joins the space of another device with a code that was made there, and syncs for the first time.
    ///
    /// A store that is in the folder already keeps its records, and brings them into the space; devices with
    /// which it was in a space before stay behind.
    /// - Parameters:
    ///   - code: what ``invite(at:seconds:relayToken:)`` gave over there; blanks and lines do not matter.
    ///   - folder: where the store is or is to be made.
    ///   - schema: the app's collections.
    ///   - deviceName: what other devices call this one, if the store has to be made.
    ///   - options: how the store is opened.
    /// - Returns: the store, open.
    /// - Throws: `badInvitation`, `refused`, `unreachable`, `noEncryption`, and what ``open(deviceName:)``
    ///   throws. If only the first sync failed, nothing is thrown: ``sync(with:allowsPlainTCP:)`` and
    ///   ``SyncService`` know the addresses from now on.
    public static func join(
        _ code: String, at folder: String, schema: Schema, deviceName: String,
        options: StoreOptions = StoreOptions()
    ) throws(TandemError) -> Store {
        do {
            let code = try PairingCode(parsing: code)
            try code.check(now: SystemWorld.wallMilliseconds())
            let isNew = !SystemWorld.environment().disk.exists(
                StorePaths(folder: folder).database)
            let traces = JoiningTraces(before: folder)
            try SystemWorld.environment().disk.makeFolder(folder)
            guard let certificate = try SpaceAccess.certificate(in: folder) else {
                throw noEncryption
            }
            // Asked first: who is refused has changed nothing here.
            let joining = JoiningDevice(code)
            let direct: PairingCode.Address?
            let store = Store(at: folder, schema: schema, options: options)
            do {
                let making = { () throws -> Storage.Store in
                    try store.open(in: code, deviceName)
                    return try store.opened()
                }
                direct = try joining.introduce(
                    SyncSecurity(certificate: certificate) { _ in false }, in: folder,
                    making: isNew ? making : nil)
            } catch let fault as JoiningFault {
                if store.isOpen {
                    try store.takeBack(traces)
                } else if isNew {
                    traces.remove()
                }
                throw fault
            }
            if !store.isOpen { try store.open(in: code, deviceName) }
            try joining.enter(try store.opened(), certificate.fingerprint)
            store.syncFirst(code, direct)
            do {
                // Two that come with one code at one moment see each other only now.
                try joining.check(
                    try store.opened(), certificate.fingerprint, at: "the space")
            } catch let fault as JoiningFault {
                try store.takeBack(isNew ? traces : nil)
                throw fault
            }
            return store
        } catch {
            throw TandemError(any: error)
        }
    }

    // MARK: The store

    /// Opens what is in the folder, or makes a store of the code's space.
    private func open(in code: PairingCode, _ deviceName: String) throws {
        if SystemWorld.environment().disk.exists(StorePaths(folder: folder).database) {
            try open(deviceName: nil)
            return
        }
        try use(
            try Storage.Store.create(
                folder: folder, schema: try schema.tables(), space: code.space,
                policy: code.policy, deviceName: deviceName,
                environment: SystemWorld.environment(), options: options.engine))
    }

    /// Closes what is open, and takes it away if it was made for a code that was refused.
    private func takeBack(_ traces: JoiningTraces?) throws {
        let (replica, counter) = (try opened().replica, try opened().summary().counter)
        close()
        _ = traces?.removeStore(replica: replica, counter: counter)
    }

    /// Syncs with the device that let this one in, if one did, and with the relays.
    private func syncFirst(_ code: PairingCode, _ direct: PairingCode.Address?) {
        var addresses = code.addresses.filter { $0.kind == .relay }.map {
            RelayAddress($0.place, fingerprint: $0.fingerprint).description
        }
        if let direct {
            addresses.insert("\(Endpoint.tls(direct.place, direct.fingerprint))", at: 0)
        }
        for address in addresses {
            // Whoever cannot be reached now is reached later: the keys are here.
            _ = try? sync(with: address)
        }
    }
}
