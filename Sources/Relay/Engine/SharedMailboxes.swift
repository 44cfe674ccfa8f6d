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

    /// The most that one exchange asks for: the database does it all in one transaction.
    static let takenCountMax = 1024
    /// The most that wait for an exchange, of all conversations.
    static let waitingCountMax = 4096
    /// The most bytes of items that wait, of all conversations.
    static let waitingByteCountMax = 8 << 20

    private var boxes: [UInt128: Box] = [:]
    private var wishes: [Wish] = []
    /// The wishes that an exchange has taken that goes on.
    private var taken: [Wish] = []
    /// The items of each conversation that wait, those that an exchange has taken among them.
    private var waiting: [RelayServerSessionID: (count: Int, byteCount: Int)] = [:]
    private var waitingByteCount = 0
    /// How many mailboxes there were at the last look.
    private(set) var count = 0

    /// Whether something waits for an exchange.
    var hasWishes: Bool { !wishes.isEmpty }

    /// How many conversations have a mailbox open, or want to.
    func sessionCount(of mailbox: UInt128) -> Int {
        func isOpening(_ wish: Wish) -> Bool {
            if case .open(mailbox, _, _) = wish.request { true } else { false }
        }
        return wishes.count(where: isOpening) + taken.count(where: isOpening)
            + (boxes[mailbox]?.heard.count ?? 0)
    }

    /// Adds what a device wants, unless too much waits already: its own, or that of all.
    mutating func add(
        _ request: RelayMailboxRequest, of session: RelayServerSessionID, _ limits: RelayLimits
    ) throws(RelayRefusal) {
        let byteCount = Self.byteCount(request)
        let own = waiting[session] ?? (0, 0)
        if case .put = request {
            guard own.count < limits.mailboxItemCountMax else {
                throw .mailboxFull("\(limits.mailboxItemCountMax) items")
            }
            guard own.byteCount + byteCount <= limits.mailboxByteCountMax else {
                throw .mailboxFull("\(limits.mailboxByteCountMax) bytes")
            }
        }
        guard wishes.count < Self.waitingCountMax,
            waitingByteCount + byteCount <= Self.waitingByteCountMax
        else { throw .mailboxes(max: Self.waitingCountMax) }
        wishes.append(Wish(session: session, request: request))
        guard case .put = request else { return }
        waiting[session] = (own.count + 1, own.byteCount + byteCount)
        waitingByteCount += byteCount
    }

    private static func byteCount(_ request: RelayMailboxRequest) -> Int {
        if case .put(let bytes, _) = request { bytes.count } else { 0 }
    }

    /// These wait no longer.
    private mutating func release(_ wishes: [Wish]) {
        for wish in wishes {
            guard case .put(let bytes, _) = wish.request, let own = waiting[wish.session] else {
                continue
            }
            waitingByteCount -= bytes.count
            waiting[wish.session] =
                own.count > 1 ? (own.count - 1, own.byteCount - bytes.count) : nil
        }
    }

    /// A conversation is over.
    mutating func leave(_ session: RelayServerSessionID) {
        var isOpened = false
        for (id, box) in boxes where box.heard[session] != nil {
            isOpened = true
            boxes[id]?.heard[session] = nil
            if boxes[id]?.heard.isEmpty == true { boxes[id] = nil }
        }
        // Of a mailbox that was opened for it an item goes on its way; nobody waits for an opening any more, and nobody
        // is to put in without one.
        if isOpened { return }
        let over = wishes.filter { $0.session == session }
        guard !over.isEmpty else { return }
        wishes.removeAll { $0.session == session }
        release(over)
    }

    // MARK: An exchange

    /// Moves what waits into a request.
    mutating func take(into request: inout RelayShareRequest) {
        taken = Array(wishes.prefix(Self.takenCountMax))
        wishes.removeFirst(taken.count)
        request.mailboxes = taken.map(\.request)
        request.openMailboxes = boxes.compactMapValues { $0.heard.values.min() }
        for case .open(let id, _, _) in request.mailboxes { request.openMailboxes[id] = 0 }
    }

    /// The exchange has failed; gives the conversations that wait for it.
    mutating func failed() -> [RelayServerSessionID] {
        defer { endTaken() }
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
        defer { endTaken() }
        let own = ownNumbers(answer)
        count = answer.mailboxCount ?? count
        var words: [(RelayServerSessionID, Word)] = []
        for (wish, outcome) in zip(taken, answer.mailboxes) {
            switch (outcome, wish.request) {
            case (.opened, .open(let id, _, _)):
                guard isThere(wish.session) else { continue }
                let items = answer.items[id] ?? []
                boxes[id, default: Box()].heard[wish.session] = items.last?.number ?? 0
                // Of what was put in with the opening nobody is told what it said itself.
                let said = own[wish.session] ?? []
                let others = items.filter { !said.contains($0.number) }.map(\.bytes)
                words.append((wish.session, .opened(id, others)))
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

    private mutating func endTaken() {
        release(taken)
        taken = []
    }

    /// The numbers of the items that each conversation has put in with this exchange; each has one mailbox.
    private func ownNumbers(_ answer: RelayShareAnswer) -> [RelayServerSessionID: Set<Int>] {
        var numbers: [RelayServerSessionID: Set<Int>] = [:]
        for (wish, outcome) in zip(taken, answer.mailboxes) {
            if case .put(let number) = outcome { numbers[wish.session, default: []].insert(number) }
        }
        return numbers
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
