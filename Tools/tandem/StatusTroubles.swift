import Core
import Devices
import Storage
import ToDo
import Transport

/// What is not as it should be, as far as this device can know.
struct StatusTroubles {
    /// In a few words each, for one line.
    private(set) var words: [String] = []
    /// In sentences, with what to do; those that the rest of the status does not tell.
    private(set) var details: [String] = []
    /// Whether the others do not let this device in.
    private(set) var isOut = false
    /// Why, and since when, if it was told so.
    private(set) var refusal: RefusalNote?
    /// Whether it is known to be revoked.
    private(set) var isRevoked = false
    /// The devices that wait for a word before they take deletes.
    private(set) var holders: [DeviceBook.Device] = []
    /// The devices that came with a code which another one had used.
    private(set) var lateUsers: [DeviceBook.Device] = []

    /// How long ago a device or relay may have been met so that all is well; milliseconds.
    private static let recentMilliseconds: Int64 = 25 * 60_000

    init(
        _ summary: StoreSummary, _ peers: [MetPeer], conflicted: Int, daemon: DaemonStatus?,
        held: [HeldOutput], _ place: Workplace
    ) throws {
        let book = try DeviceBook(place.store)
        try judgeOwn(book, summary, place)
        if !isOut {
            let keyring = try Keyring.read(in: place.store.paths.folder)
            try judgeSecret(keyring, place)
            try judgeUnsent(peers, daemon, keyring, place)
        }
        if conflicted > 0 { words.append("\(conflicted) in conflict") }
        if summary.parkedCount > 0 { words.append("\(summary.parkedCount) set aside") }
        judgeContacts(daemon, peers, now: place.now)
        if !held.isEmpty { words.append("deletes are held") }
        judgeOthers(book, own: summary)
    }

    var isEmpty: Bool { words.isEmpty }

    /// That this device was put out of the space.
    static let revokedWords = PeerError.revoked.message
    /// What becomes of it, and how it comes back.
    static let revokedAdvice =
        "no device exchanges anything with it any more. "
        + PeerError.revoked.advice.prefix(1).uppercased()
        + PeerError.revoked.advice.dropFirst()

    /// Ends a command that is of no use on a device that was revoked.
    static func refuseIfRevoked(_ place: Workplace) throws {
        guard try DeviceBook(place.store)[place.store.replica]?.isRevoked == true else { return }
        throw CommandFailure(.refused, "\(revokedWords); \(revokedAdvice)")
    }

    /// Whether this device belongs to the space still.
    private mutating func judgeOwn(
        _ book: DeviceBook, _ summary: StoreSummary, _ place: Workplace
    ) throws {
        let own = book[summary.replica]
        isRevoked = own?.isRevoked ?? false
        let refusals = try Self.refusals(book, place)
        refusal = refusals.first
        if isRevoked {
            out(Self.revokedWords, Self.revokedAdvice)
        } else if own?.isLateUser == true {
            out(
                "this device came with a code that was used before",
                "so the other devices do not let it in. Have a new code made (tandem invite) and join "
                    + "with that")
        } else {
            for refusal in refusals { out(refusal, place) }
        }
    }

    /// Those by the relays and devices that are known here, the latest first.
    private static func refusals(_ book: DeviceBook, _ place: Workplace) throws -> [RefusalNote] {
        let notes = try RefusalNote.all(in: place.store)
        if notes.isEmpty { return [] }
        let keyring = try Keyring.read(in: place.store.paths.folder)
        let relays = Set((keyring?.relays ?? [:]).keys)
        let peers = keyring?.peers ?? []
        // A device may listen elsewhere by now: it is who its key says.
        let keys = Set(peers.map { $0.drop { $0 != "#" } }.filter { !$0.isEmpty })
        return try notes.filter { note in
            guard let address = note.address else { return true }
            if RelayAddress.isMeant(by: address) { return relays.contains(address) }
            if peers.contains(address) || keys.contains(address.drop { $0 != "#" }) { return true }
            return try place.store.replica(at: address).map { book[$0] != nil } ?? false
        }
    }

    private mutating func out(_ refusal: RefusalNote, _ place: Workplace) {
        let address = refusal.address ?? "a device that called here"
        let when = DatePhrase.describe(.instant(refusal.time), now: place.now, zone: place.zone)
        out(
            "not let in: \(refusal.message.shownInLine)",
            "said by \(String(address.prefix { $0 != "#" }).shownInLine), \(when); "
                + refusal.advice.shownInLine)
    }

    private mutating func out(_ what: String, _ next: String) {
        isOut = true
        words.append(what)
        details.append("\(what); \(next)")
    }

    /// Whether the relays were met with the present secret: until one has it, it lets in whoever was taken out.
    private mutating func judgeSecret(_ keyring: Keyring?, _ place: Workplace) throws {
        guard let keyring else { return }
        for address in keyring.relays.keys.sorted() {
            let kept = try GenerationNote.generation(at: address, in: place.store)
            guard let kept, kept < keyring.generation else { continue }
            let relay = "relay \(try RelayAddress(parsing: address).place)"
            words.append("\(relay) may lack the new secret")
            details.append(
                "\(relay) was not met since the space's secret was changed: it may still let in whoever was "
                    + "taken out: tandem sync")
        }
    }

    /// Whether something has changed here that nobody has, and is not on its way.
    private mutating func judgeUnsent(
        _ peers: [MetPeer], _ daemon: DaemonStatus?, _ keyring: Keyring?, _ place: Workplace
    ) throws {
        var counts = peers.filter { !$0.isRevoked }.compactMap(\.toSend)
        if let daemon {
            if daemon.contacts.contains(where: { $0.state == "connected" }) { return }
            for contact in daemon.contacts {
                if let count = try contact.unsentCount(place) { counts.append(count) }
            }
        }
        guard let count = counts.min(), count > 0 else { return }
        let what = "\(Echo.count(count, "change")) to send"
        words.append(what)
        guard daemon == nil else { return }
        details.append("\(what), and no daemon runs: it leaves \(Self.leavingWords(keyring))")
    }

    /// When what has changed here leaves without a daemon.
    static func leavingWords(_ keyring: Keyring?) -> String {
        guard let keyring, !keyring.relays.isEmpty || !keyring.peers.isEmpty else {
            return "when another device syncs with this one, or by tandem sync ADDRESS"
        }
        return "at the next `tandem sync`"
    }

    private mutating func judgeContacts(
        _ daemon: DaemonStatus?, _ peers: [MetPeer], now: Int64
    ) {
        guard let daemon else {
            let latest = peers.map(\.lastContact).max() ?? 0
            if now - latest > Self.recentMilliseconds {
                words.append("no daemon runs, and nobody was met lately")
            }
            return
        }
        if daemon.pausedUntil != nil { words.append("paused") }
        for contact in daemon.contacts where !contact.isWell {
            let isRecent =
                contact.lastComplete.map { now - $0 <= Self.recentMilliseconds } ?? false
            if isRecent, contact.state == "waiting" || contact.state == "dialing" { continue }
            let word =
                contact.withheld
                ? "holds something back"
                : contact.unreadable > 0 ? "sends what cannot be read" : contact.state
            words.append("\(contact.place) \(word)")
        }
    }

    /// What the other devices have said of themselves.
    private mutating func judgeOthers(_ book: DeviceBook, own summary: StoreSummary) {
        for device in book.devices
        where !device.isRevoked && !device.replicas.contains(summary.replica) {
            let name = device.name.shownInLine
            if device.isLateUser {
                lateUsers.append(device)
                words.append("\(name) came with a used code")
                details.append(
                    "\(name) came with a code that was used before, and is let in by nobody; if it is "
                        + "yours, have a new code made (tandem invite) and join with that; if you do "
                        + "not know it: tandem revoke \(name)")
            } else if device.heldDeleteCount > 0 {
                holders.append(device)
                words.append("\(name) holds deletes")
                details.append(
                    "\(name) has not taken at least \(Echo.count(device.heldDeleteCount, "delete")): it waits for a "
                        + "word that they are meant. If they are, type on \(name): tandem "
                        + "accept-deletes; if not, type on the device where they were made: tandem undo"
                )
            }
        }
    }
}
