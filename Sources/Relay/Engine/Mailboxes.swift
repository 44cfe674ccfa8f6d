import Core
import Session

/// The mailboxes of pairing: what those who know an id tell each other, for a short while and in memory alone.
///
/// A relay of one process has these. Those of several are in their store: `SharedMailboxes`.
///
/// Nobody proves anything here, so everything is bounded, for one address and in all. Nothing that is put in is read.
/// Source: Protocol/10-Relay.md, Mailboxes.
struct Mailboxes {
    /// One of them.
    struct Mailbox {
        /// The address that made it, which it counts for.
        let address: String
        /// When it ends, whoever has it open.
        let end: Instant
        /// Since when nobody has it open; nil while somebody does.
        var idleSince: Instant?
        /// The items that were put in, in order.
        var items: [[UInt8]] = []
        /// The bytes of that.
        var byteCount = 0
        /// The devices that have it open, in the order in which they came.
        var sessions: [RelayServerSessionID] = []
    }

    private var boxes: [UInt128: Mailbox] = [:]
    /// When the first of them may be over.
    private(set) var nextLook = Instant(milliseconds: .max)

    /// How many there are.
    var count: Int { boxes.count }

    /// Opens one for a conversation, and gives what is in it.
    mutating func open(
        _ opening: MailboxOpening, _ session: RelayServerSessionID, _ address: String,
        _ limits: RelayLimits, now: Instant
    ) throws(RelayRefusal) -> [[UInt8]] {
        if boxes[opening.id] == nil {
            guard opening.isMaking else { throw .noMailbox }
            guard boxes.count < limits.mailboxCountMax else {
                throw .mailboxes(max: limits.mailboxCountMax)
            }
            guard
                boxes.values.count(where: { $0.address == address })
                    < limits.addressMailboxCountMax
            else { throw .mailboxes(max: limits.addressMailboxCountMax) }
            boxes[opening.id] = Mailbox(
                address: address, end: now.advanced(byMilliseconds: limits.mailboxMilliseconds))
        }
        guard let box = boxes[opening.id], box.sessions.count < limits.mailboxSessionCountMax else {
            throw .mailboxSessions(max: limits.mailboxSessionCountMax)
        }
        boxes[opening.id]?.sessions.append(session)
        boxes[opening.id]?.idleSince = nil
        plan(limits)
        return box.items
    }

    /// Puts an item in, and gives the others who have it open; the same bytes a second time are no news.
    mutating func put(
        _ item: MailboxItem, into id: UInt128, _ session: RelayServerSessionID,
        _ limits: RelayLimits
    ) throws(RelayRefusal) -> [RelayServerSessionID] {
        guard var box = boxes[id] else { throw .noMailbox }
        if box.items.contains(item.bytes) { return [] }
        guard box.items.count < limits.mailboxItemCountMax else {
            throw .mailboxFull("\(limits.mailboxItemCountMax) items")
        }
        guard box.byteCount + item.bytes.count <= limits.mailboxByteCountMax else {
            throw .mailboxFull("\(limits.mailboxByteCountMax) bytes")
        }
        box.items.append(item.bytes)
        box.byteCount += item.bytes.count
        boxes[id] = box
        return box.sessions.filter { $0 != session }
    }

    /// A conversation left one.
    mutating func leave(
        _ id: UInt128, _ session: RelayServerSessionID, _ limits: RelayLimits, now: Instant
    ) {
        boxes[id]?.sessions.removeAll { $0 == session }
        if boxes[id]?.sessions.isEmpty == true { boxes[id]?.idleSince = now }
        plan(limits)
    }

    /// Drops those that are over, and gives the conversations that had them open.
    mutating func dropOver(_ limits: RelayLimits, now: Instant) -> [RelayServerSessionID] {
        var left: [RelayServerSessionID] = []
        for (id, box) in boxes where Self.end(of: box, limits) <= now {
            boxes[id] = nil
            left += box.sessions
        }
        plan(limits)
        return left.sorted()
    }

    private mutating func plan(_ limits: RelayLimits) {
        nextLook =
            boxes.values.map { Self.end(of: $0, limits) }.min()
            ?? Instant(milliseconds: .max)
    }

    private static func end(of box: Mailbox, _ limits: RelayLimits) -> Instant {
        guard let idleSince = box.idleSince else { return box.end }
        return min(
            box.end, idleSince.advanced(byMilliseconds: limits.idleMailboxMilliseconds))
    }
}

/// Mailboxes and the conversations that have them open.
extension RelayEngine {
    /// Opens a mailbox for a conversation.
    func open(
        _ opening: MailboxOpening, for id: RelayServerSessionID
    ) -> RelayServerSessionEvent? {
        guard opening.versionMin <= WireLimits.versionMax,
            opening.versionMax >= WireLimits.versionMin
        else {
            return .refused(
                .incompatible(least: opening.versionMin, most: opening.versionMax))
        }
        let address = conversations[id]?.channel.address ?? ""
        if isShared { return openShared(opening, for: id, address) }
        do throws(RelayRefusal) {
            let items = try mailboxes.open(opening, id, address, options.limits, now: now)
            conversations[id]?.mailbox = opening.id
            return .mailboxOpened(opening.id, items)
        } catch {
            return .refused(error)
        }
    }

    /// Puts an item into the mailbox that a conversation has open, for the others who have it open.
    func put(_ item: MailboxItem, by id: RelayServerSessionID) -> RelayServerSessionEvent? {
        guard let mailbox = conversations[id]?.mailbox else { return .refused(.noMailbox) }
        if isShared { return putShared(item, into: mailbox, by: id) }
        do throws(RelayRefusal) {
            for other in try mailboxes.put(item, into: mailbox, id, options.limits) {
                add(other, .mailboxItem(item))
            }
            return nil
        } catch {
            return .refused(error)
        }
    }

    /// Ends what has waited long enough.
    func dropOverMailboxes() {
        for id in mailboxes.dropOver(options.limits, now: now) { add(id, .refused(.noMailbox)) }
    }
}
