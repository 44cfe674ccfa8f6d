import Core
import Session

/// The conversations of this process that have mailboxes open which all processes of the relay share.
///
/// The mailboxes themselves are in the store; what devices want of them waits here for the next exchange.
struct SharedMailboxes {
    /// Something that a device wants.
    struct Wish {
        let session: RelayServerSessionID
        let request: RelayMailboxRequest
    }

    private struct Box {
        /// The number of the last item that each conversation has, in the order in which they came.
        var heard: [RelayServerSessionID: Int] = [:]
        /// The conversation that put in an item, by its number.
        var senders: [Int: RelayServerSessionID] = [:]
    }

    private var boxes: [UInt128: Box] = [:]
    private var wishes: [Wish] = []
    /// The wishes that an exchange has taken that goes on.
    private var taken: [Wish] = []
    /// How many mailboxes there were at the last look.
    private(set) var count = 0

    /// Whether something waits for an exchange.
    var hasWishes: Bool { !wishes.isEmpty }

    /// How many conversations have a mailbox open, or want to.
    func sessionCount(of mailbox: UInt128) -> Int {
        let waiting = (wishes + taken).count {
            if case .open(mailbox, _, _) = $0.request { true } else { false }
        }
        return waiting + (boxes[mailbox]?.heard.count ?? 0)
    }

    /// How many items a conversation has put in that are not there yet.
    func waitingCount(of session: RelayServerSessionID) -> Int {
        (wishes + taken).count { $0.session == session }
    }

    mutating func add(_ request: RelayMailboxRequest, of session: RelayServerSessionID) {
        wishes.append(Wish(session: session, request: request))
    }

    /// A conversation is over.
    mutating func leave(_ session: RelayServerSessionID) {
        for (id, box) in boxes where box.heard[session] != nil {
            boxes[id]?.heard[session] = nil
            if boxes[id]?.heard.isEmpty == true { boxes[id] = nil }
        }
        // An item that it has put in goes on its way; nobody waits for an opening any more.
        wishes.removeAll {
            if case .open = $0.request { $0.session == session } else { false }
        }
    }

    // MARK: An exchange

    /// Moves what waits into a request.
    mutating func take(into request: inout RelayShareRequest) {
        taken = wishes
        wishes = []
        request.mailboxes = taken.map(\.request)
        request.openMailboxes = boxes.compactMapValues { $0.heard.values.min() }
        for case .open(let id, _, _) in request.mailboxes { request.openMailboxes[id] = 0 }
    }

    /// The exchange has failed; gives the conversations that wait for it.
    mutating func failed() -> [RelayServerSessionID] {
        defer { taken = [] }
        return Set(taken.map(\.session)).sorted()
    }

    /// An answer that a conversation hears.
    enum Word {
        case opened(UInt128, [[UInt8]])
        case item([UInt8])
        case refused(RelayRefusal)
    }

    /// Takes the answer to what was taken; gives what conversations hear, in order.
    ///
    /// - Parameter isThere: whether a conversation goes on.
    mutating func receive(
        _ answer: RelayShareAnswer, _ limits: RelayLimits,
        isThere: (RelayServerSessionID) -> Bool
    ) -> [(RelayServerSessionID, Word)] {
        defer { taken = [] }
        count = answer.mailboxCount ?? count
        var words: [(RelayServerSessionID, Word)] = []
        for (wish, outcome) in zip(taken, answer.mailboxes) {
            switch (outcome, wish.request) {
            case (.opened, .open(let id, _, _)):
                guard isThere(wish.session) else { continue }
                let items = answer.items[id] ?? []
                boxes[id, default: Box()].heard[wish.session] = items.last?.number ?? 0
                words.append((wish.session, .opened(id, items.map(\.bytes))))
            case (.put(let number), .put(_, let id)):
                if number > 0 { boxes[id]?.senders[number] = wish.session }
            default:
                if let refusal = Self.refusal(outcome, limits) {
                    words.append((wish.session, .refused(refusal)))
                }
            }
        }
        for id in boxes.keys.sorted() { words += receiveItems(of: id, answer.items[id]) }
        return words
    }

    /// - Parameter items: nil if the mailbox is over, or was not open yet when that was asked.
    private mutating func receiveItems(
        of id: UInt128, _ items: [RelayShareAnswer.Item]?
    ) -> [(RelayServerSessionID, Word)] {
        guard let box = boxes[id] else { return [] }
        guard let items else {
            boxes[id] = nil
            return box.heard.keys.sorted().map { ($0, .refused(.noMailbox)) }
        }
        var words: [(RelayServerSessionID, Word)] = []
        for item in items {
            for (session, heard) in box.heard.sorted(by: { $0.key < $1.key })
            where heard < item.number && box.senders[item.number] != session {
                words.append((session, .item(item.bytes)))
            }
        }
        if let last = items.last?.number {
            for session in box.heard.keys {
                boxes[id]?.heard[session] = max(last, box.heard[session] ?? 0)
            }
        }
        return words
    }

    private static func refusal(
        _ answer: RelayMailboxAnswer, _ limits: RelayLimits
    ) -> RelayRefusal? {
        switch answer {
        case .opened, .put: nil
        case .missing: .noMailbox
        case .tooMany: .mailboxes(max: limits.mailboxCountMax)
        case .tooManyOfAddress: .mailboxes(max: limits.addressMailboxCountMax)
        case .fullOfItems: .mailboxFull("\(limits.mailboxItemCountMax) items")
        case .fullOfBytes: .mailboxFull("\(limits.mailboxByteCountMax) bytes")
        }
    }
}
