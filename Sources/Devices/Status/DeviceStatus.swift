import Core
import Crypto
import Storage
import Transport

/// A problem that a device knows of; a code, from which whoever shows it makes words.
package enum StatusProblem: Sendable {
    /// How the first exchange with the space, which was cut short or never begun, is ended.
    package enum FirstExchange: Sendable {
        /// By a sync with all that are known.
        case withKnown
        /// By a sync with an address that is given.
        case withAddress
        /// By joining with a new code: the keys of the space never came.
        case withCode
    }

    /// When changes leave this device without a daemon.
    package enum Departure: Sendable {
        /// Once another device syncs with this one, or this one with an address that is given.
        case onContact
        /// With the next sync with all that are known.
        case onSync
    }

    /// The problem with a relay or device that the daemon keeps in touch with.
    package enum ContactProblem: Sendable {
        /// It states writes that it does not send.
        case withholds
        /// It sends what no device of the space has sealed.
        case unreadable
        /// It is not connected, or is not caught up.
        case state
    }

    /// This device was revoked.
    case revoked
    /// This device came with a pairing code that another device had used.
    case usedCode
    /// This device is refused at an address, or by a device that came here.
    case refused(RefusalNote)
    /// A relay was not reached since the space's secret was changed, and may still let in a revoked device.
    case relayLacksSecret(HostAndPort)
    /// So many changes have not been sent to anybody; when they leave, nil if a daemon sees to it.
    case unsent(count: Int, Departure?)
    /// So many records have an open conflict.
    case conflicts(count: Int)
    /// So many changes could not be read, and are deferred.
    case deferred(count: Int)
    /// No daemon runs, and no device or relay was met lately.
    case noRecentContact
    /// The keys of the space are on the device of that name, and not here any more, as in a copy without them.
    case keysElsewhere(on: String)
    /// This device has never yet had all that another one of its space, or a relay, has.
    case firstExchangeDue(FirstExchange)
    /// The daemon is paused until then; milliseconds since 1970-01-01 UTC.
    case paused(until: Int64)
    /// The daemon has trouble with a relay or device.
    case contact(DaemonStatus.Contact, ContactProblem)
    /// A device or relay has stated changes that it did not send, or that could not be opened; nothing has come in
    /// their place since.
    case withheldBy(PeerStatus)
    /// A device has stated changes at a relay that the relay did not send, though it was read from its start.
    case missing(MissingEntry)
    /// Deletes of so many peers are held here.
    case deletesHeld(count: Int)
    /// Deletes that were refused here are yet to come: only the next exchange takes them back on the other devices.
    case refusalUnsent
    /// So many records, deleted by deletes that were refused here, could not be brought back.
    case notBroughtBack(count: Int)
    /// Another device came with a pairing code that was used before.
    case usedCodeOf(DeviceDirectory.Device)
    /// Another device holds deletes.
    case deletesHeldBy(DeviceDirectory.Device)
    /// A device is refused here as too many new replica ids were taken by its word.
    case refusedSpender(RefusedSpender)
    /// A device left a secret that is ignored here, as it is too far ahead.
    case distantSecret(DistantSecret)

    /// Whether it means that the others do not let this device in.
    package var isExclusion: Bool {
        switch self {
        case .revoked, .usedCode, .refused: true
        default: false
        }
    }
}

/// How things stand with a device, as far as it can know.
package struct DeviceStatus {
    /// The store's summary of itself.
    package let summary: StoreSummary
    /// Why the store took a new replica id when it was opened; nil if it did not.
    package let cloneSuspicion: CloneSuspicion?
    /// The devices and relays that this device has met, the latest first.
    package let peers: [PeerStatus]
    /// Deletes that are held here.
    package let holds: [DeleteHold]
    /// How many records have an open conflict.
    package let conflictCount: Int
    /// The daemon's status; nil if none runs.
    package let daemon: DaemonStatus?
    /// Why this device is refused, if it was told so and the refusal stands; the latest.
    package let refusal: RefusalNote?
    /// How many changes are to be sent to each contact of the daemon, by address; none if it never said how far it
    /// has all.
    package let unsentCounts: [String: Int]
    /// The replica ids without a device record, by who first brought them; told, and no problem by themselves.
    package let undocumented: [UndocumentedReplicas]
    /// The problems that were found.
    package private(set) var problems: [StatusProblem] = []

    /// How long ago a device or relay may have been met so that all is well; milliseconds.
    package static let recentMilliseconds: Int64 = Int64(recentMinutes) * 60_000
    /// The same in minutes.
    package static let recentMinutes = 25

    private let store: Store
    private let now: Int64
    private let missing: [MissingEntry]

    /// Asks the store, and the daemon if one runs.
    ///
    /// - Parameter now: the wall clock's time; milliseconds since 1970-01-01 UTC.
    package init(of device: Device, now: Int64) throws {
        store = device.store
        self.now = now
        summary = try store.summary()
        cloneSuspicion = device.cloneSuspicion
        conflictCount = try device.count(.conflicted)
        missing = try MissingEntry.all(of: device)
        let daemon = DaemonStatus.ask(in: device.folder)
        self.daemon = daemon
        holds = try DeleteHold.all(of: device)
        var peers = try PeerStatus.all(of: device)
        // Of a device it is written down when a session ends: until then the daemon tells it.
        if daemon != nil {
            for index in peers.indices where !peers[index].isRelay {
                peers[index].unsentCount = nil
            }
        }
        self.peers = peers
        var counts: [String: Int] = [:]
        for contact in daemon?.contacts ?? [] {
            counts[contact.address] = try contact.unsentCount(in: store)
        }
        unsentCounts = counts
        let keyring = try Keyring.read(in: device.folder)
        let directory = try device.directory()
        undocumented = try UndocumentedReplicas.all(in: store, directory)
        let refusals = try Self.refusals(RefusalNote.all(in: store), directory, keyring, store)
        refusal = refusals.first
        try judge(directory, keyring, refusals)
        problems += try device.refusedSpenders().map { .refusedSpender($0) }
        if let keyring {
            problems += try DistantSecret.all(in: store, keyring, directory)
                .map { .distantSecret($0) }
        }
    }

    /// Whether there is no other device and no relay to sync with.
    package private(set) var isAlone = false

    /// Whether nothing is wrong.
    package var isGreen: Bool { problems.isEmpty }

    /// Whether the others do not let this device in.
    package var isExcluded: Bool { problems.contains(where: \.isExclusion) }

    /// Whether this device is known to be revoked.
    package var isRevoked: Bool {
        problems.contains { if case .revoked = $0 { true } else { false } }
    }

    /// Whether the first exchange with the space is due.
    package var awaitsOthers: Bool {
        problems.contains { if case .firstExchangeDue = $0 { true } else { false } }
    }

    /// The devices that hold deletes.
    package var holders: [DeviceDirectory.Device] {
        problems.compactMap { if case .deletesHeldBy(let device) = $0 { device } else { nil } }
    }

    /// The devices that came with a pairing code which another one had used.
    package var lateUsers: [DeviceDirectory.Device] {
        problems.compactMap { if case .usedCodeOf(let device) = $0 { device } else { nil } }
    }

    /// The devices that are refused here as too many new replica ids were taken by their word.
    package var refusedSpenders: [RefusedSpender] {
        problems.compactMap { if case .refusedSpender(let found) = $0 { found } else { nil } }
    }

    /// The secrets that are ignored here, as they are too far ahead.
    package var distantSecrets: [DistantSecret] {
        problems.compactMap { if case .distantSecret(let found) = $0 { found } else { nil } }
    }

    /// When what has changed here leaves without a daemon.
    package static func departure(_ keyring: Keyring?) -> StatusProblem.Departure {
        guard let keyring, !keyring.relays.isEmpty || !keyring.peers.isEmpty else {
            return .onContact
        }
        return .onSync
    }

    // MARK: Judging

    private mutating func judge(
        _ directory: DeviceDirectory, _ keyring: Keyring?, _ refusals: [RefusalNote]
    ) throws {
        isAlone = isAlone(directory, keyring)
        if let exclusion = Self.exclusion(directory[summary.replica]) {
            problems.append(exclusion)
        } else {
            problems += refusals.map { .refused($0) }
        }
        try judgeKeys(directory, keyring)
        if problems.isEmpty {
            try judgeFirstExchange(keyring)
            try judgeSecret(keyring)
            judgeUnsent(keyring)
        }
        if conflictCount > 0 { problems.append(.conflicts(count: conflictCount)) }
        if summary.deferredCount > 0 { problems.append(.deferred(count: summary.deferredCount)) }
        judgeContacts()
        judgeSuspects()
        problems += missing.map { .missing($0) }
        if !holds.isEmpty { problems.append(.deletesHeld(count: holds.count)) }
        if try store.awaitsRefusedDeletes() { problems.append(.refusalUnsent) }
        let unrestored = try store.unrestoredCount()
        if unrestored > 0 { problems.append(.notBroughtBack(count: unrestored)) }
        for device in directory.devices
        where !device.isRevoked && !device.replicas.contains(summary.replica) {
            if device.isLateUser {
                problems.append(.usedCodeOf(device))
            } else if device.heldDeleteCount > 0 {
                problems.append(.deletesHeldBy(device))
            }
        }
    }

    /// The problem that the records of the space put a device out of it; nil if they do not.
    private static func exclusion(_ own: DeviceDirectory.Device?) -> StatusProblem? {
        if own?.isRevoked == true { return .revoked }
        return own?.isLateUser == true ? .usedCode : nil
    }

    /// The problem that a device is not let in, as its records tell or as it was told last; nil if it is.
    ///
    /// - Parameter notes: what it was told, as `RefusalNote.all` gives it.
    static func exclusion(
        of replica: ReplicaID, _ directory: DeviceDirectory, _ notes: [RefusalNote],
        _ device: Device
    ) throws -> StatusProblem? {
        if let exclusion = exclusion(directory[replica]) { return exclusion }
        if notes.isEmpty { return nil }
        let keyring = try Keyring.read(in: device.folder)
        return try refusals(notes, directory, keyring, device.store).first.map { .refused($0) }
    }

    /// Returns those notes that are of relays and devices known here, in their order.
    private static func refusals(
        _ notes: [RefusalNote], _ directory: DeviceDirectory, _ keyring: Keyring?, _ store: Store
    ) throws -> [RefusalNote] {
        if notes.isEmpty { return [] }
        let relays = Set((keyring?.relays ?? [:]).keys)
        let peers = keyring?.peers ?? []
        // A device may listen elsewhere by now: it is who its key says.
        let keys = Set(peers.map { $0.drop { $0 != "#" } }.filter { !$0.isEmpty })
        return try notes.filter { note in
            guard let address = note.address else { return true }
            if RelayAddress.isMeant(by: address) { return relays.contains(address) }
            if peers.contains(address) || keys.contains(address.drop { $0 != "#" }) { return true }
            return try store.replica(at: address).map { directory[$0] != nil } ?? false
        }
    }

    /// Whether this device has lost the keys that it or the one it is a copy of had: nothing of it leaves.
    private mutating func judgeKeys(_ directory: DeviceDirectory, _ keyring: Keyring?) throws {
        guard keyring == nil, let holder = directory.keyHolder(besides: summary.replica) else {
            return
        }
        let ids = [summary.replica] + (try store.identityChanges().map(\.old))
        guard ids.contains(where: { directory[$0]?.fingerprint != nil }) else { return }
        problems.append(.keysElsewhere(on: holder.name))
    }

    /// Whether the space was entered, and what is in it never came whole, as the program was ended meanwhile.
    private mutating func judgeFirstExchange(_ keyring: Keyring?) throws {
        guard try FirstExchangeNote.isDue(in: store) else { return }
        guard let keyring, keyring.space == summary.space else {
            return problems.append(.firstExchangeDue(.withCode))
        }
        let isKnown = !keyring.relays.isEmpty || !keyring.peers.isEmpty
        problems.append(.firstExchangeDue(isKnown ? .withKnown : .withAddress))
    }

    /// Whether the relays were met with the present secret: until one has it, it lets in whoever was taken out.
    private mutating func judgeSecret(_ keyring: Keyring?) throws {
        guard let keyring else { return }
        for address in keyring.relays.keys.sorted() {
            let kept = try GenerationNote.generation(at: address, in: store)
            guard let kept, kept < keyring.generation else { continue }
            problems.append(.relayLacksSecret(try RelayAddress(parsing: address).hostAndPort))
        }
    }

    /// Whether something has changed here that nobody has, and is not on its way.
    private mutating func judgeUnsent(_ keyring: Keyring?) {
        var counts = peers.filter { !$0.isRevoked }.compactMap(\.unsentCount)
        if let daemon {
            if daemon.contacts.contains(where: { $0.state == .connected }) { return }
            counts += unsentCounts.values
        }
        guard let least = counts.min(), least > 0 else { return }
        // With the number that is told beside a relay: a device that was met directly may have some of the changes.
        let told = peers.filter { $0.isCountTold }.compactMap(\.unsentCount).min()
        problems.append(
            .unsent(count: told ?? least, daemon == nil ? Self.departure(keyring) : nil))
    }

    /// Whether the last word of a device or relay was that it has something that is missing here.
    private mutating func judgeSuspects() {
        for peer in peers where (peer.isSuspect || peer.unopenedCount > 0) && !peer.isRevoked {
            let isTold = problems.contains { problem in
                switch problem {
                case .contact(let contact, .withholds), .contact(let contact, .unreadable):
                    contact.replica == peer.replica
                default: false
                }
            }
            if !isTold { problems.append(.withheldBy(peer)) }
        }
    }

    /// Whether nobody is left that this device could meet: none was let in, or all were taken out.
    private func isAlone(_ directory: DeviceDirectory, _ keyring: Keyring?) -> Bool {
        let others = directory.devices.filter {
            !$0.isRevoked && !$0.replicas.contains(summary.replica)
        }
        return others.isEmpty && peers.allSatisfy(\.isRevoked)
            && (keyring?.relays.isEmpty ?? true) && (keyring?.peers.isEmpty ?? true)
    }

    private mutating func judgeContacts() {
        guard let daemon else {
            if isAlone { return }
            let latest = peers.map(\.lastContact).max() ?? 0
            if now - latest > Self.recentMilliseconds { problems.append(.noRecentContact) }
            return
        }
        if let end = daemon.pausedUntil { problems.append(.paused(until: end)) }
        for contact in daemon.contacts where !contact.isWell {
            let isRecent =
                contact.lastComplete.map { now - $0 <= Self.recentMilliseconds } ?? false
            if isRecent, contact.isPassing { continue }
            problems.append(.contact(contact, contact.problem))
        }
    }
}

/// Replica ids that have no device record, all first brought by one device or relay.
public struct UndocumentedReplicas: Hashable, Sendable {
    /// The source of the first changes that name them.
    public enum Bringer: Hashable, Sendable {
        /// A device, by its name, in a session with this one; it may have had them from others.
        case device(name: String)
        /// A relay, by its address, which does not say whose they are.
        case relay(address: String)
        /// Nobody that was noted.
        case unknown
    }

    /// The source of the first of them.
    public let bringer: Bringer
    /// How many.
    public let count: Int

    /// All of a store, most first.
    static func all(in store: Store, _ directory: DeviceDirectory) throws(StoreFault) -> [Self] {
        let replicas = try store.undocumentedReplicas()
        if replicas.isEmpty { return [] }
        var relays: [ReplicaID: String] = [:]
        for (address, replica) in try store.knownAddresses() {
            guard let relay = try? RelayAddress(parsing: address) else { continue }
            relays[replica] = "\(relay.hostAndPort)"
        }
        var counts: [Bringer: Int] = [:]
        for replica in replicas {
            var bringer = Bringer.unknown
            if let peer = replica.bringer {
                if let relay = relays[peer] {
                    bringer = .relay(address: relay)
                } else if let device = directory[peer] {
                    bringer = .device(name: device.name)
                } else if relays.isEmpty {
                    bringer = .device(name: Device.name(peer))
                }
            }
            counts[bringer, default: 0] += 1
        }
        return counts.map { Self(bringer: $0.key, count: $0.value) }.sorted {
            ($1.count, "\($0.bringer)") < ($0.count, "\($1.bringer)")
        }
    }
}

/// Deletes of a peer that are held here until a person accepts them, and whose they are, as people call them.
package struct DeleteHold: Sendable {
    /// How many, and since when.
    package let deletes: HeldDeletes
    /// The name of the device or relay that they came from.
    package let name: String
    /// Whether that is a relay.
    package let isRelay: Bool
    /// The names of the devices that made the deletes, as the deletes say.
    package let deleters: [String]
    /// The path of the snapshot that was taken before; nil if there was no room for one, or it is gone.
    package let snapshotPath: String?
    /// The records that were deleted before there were so many; a refusal brings them back too.
    package let taken: [RecordName]

    /// Whether those that were taken were taken as accepted, rather than while they were few.
    package var isPartlyAccepted: Bool {
        MassDeleteLimits().holds(deletes.takenCount, of: deletes.liveCount)
    }

    /// Accepts the deletes of some peers: the next sync takes them, and a daemon begins at once.
    package static func accept(_ holds: [DeleteHold], on device: Device) throws(StoreFault) {
        try device.store.acceptDeletes(of: holds.map(\.deletes.peer))
    }

    /// Refuses the deletes of some peers: the records stay, and come back on the devices that took the deletes.
    ///
    /// Of devices that were revoked the later deletes are refused as well.
    package static func refuse(_ holds: [DeleteHold], on device: Device) throws(StoreFault) {
        let revoked = try device.directory().devices.filter(\.isRevoked)
        try device.store.refuseDeletes(
            of: holds.map(\.deletes.peer), outcasts: Set(revoked.flatMap(\.replicas)))
        try device.store.bringBackRefused()
    }

    /// All of a device, oldest first.
    package static func all(of device: Device) throws(StoreFault) -> [DeleteHold] {
        let store = device.store
        let held = try store.heldDeletes()
        if held.isEmpty { return [] }
        let met = try PeerStatus.all(of: device)
        var holds: [DeleteHold] = []
        for deletes in held {
            let known = met.first { $0.replica == deletes.peer }
            let name = try device.name(of: deletes.peer)
            var deleters: [String] = []
            for replica in deletes.deleters {
                let deleter = try device.name(of: replica)
                if !deleters.contains(deleter) { deleters.append(deleter) }
            }
            holds.append(
                DeleteHold(
                    deletes: deletes, name: known?.name ?? name, isRelay: known?.isRelay ?? false,
                    deleters: deleters,
                    snapshotPath: deletes.snapshot.isEmpty
                        ? nil : device.paths.snapshots + "/" + deletes.snapshot,
                    taken: try store.recordsTaken(by: deletes)))
        }
        return holds
    }

    /// Returns the holds that a word names: by the name or address of a device or relay, or its
    /// replica id.
    package static func find(_ word: String, of device: Device) throws(StoreFault) -> [DeleteHold] {
        let named = try device.store.replica(at: word)
        return try all(of: device).filter {
            $0.name == word || $0.deletes.peer == named || $0.name.hasSuffix(" " + word)
                || $0.deletes.peer.uuidText == word
        }
    }
}
