import Core

/// The part of a store that knows its own incarnations, and brings to the disk what a peer is about to hear of.
///
/// Owns the table `epoch` and the flushes.
final class Incarnations: StorePart {
    /// One incarnation of this store: usually one opening for writing; an opening whose epoch no peer has heard of shares it
    /// with the next one, and programs that have the store open at once share one.
    struct Epoch: Hashable {
        /// Its number in the table.
        let number: Int64
        /// Its id, as peers know it.
        let id: EpochID
        /// The last arrival number before it.
        let firstSequence: UInt64
        /// This replica's counter before it.
        let firstCounter: UInt64
        /// The summary sequence before it.
        let firstMoved: UInt64
        /// Whether a peer may have heard of it.
        var isNamed: Bool
        /// The counter of a delete of this replica's since which nothing has left, though a peer may have heard of the
        /// epoch before; nil for none.
        var unheardDelete: UInt64?

        /// Whether a peer may have heard of all that was deleted in it.
        var isHeardWhole: Bool { isNamed && unheardDelete == nil }

        /// Its id and start.
        var start: Incarnation { Incarnation(epoch: id, counter: firstCounter) }

        /// The number in its row that tells who has heard of it.
        ///
        /// 0: nobody can have. 1: a peer may have heard of all. Above that it is one more than the counter of the delete since
        /// which nothing has left.
        var named: UInt64 { isNamed ? 1 + (unheardDelete ?? 0) : 0 }

        /// An incarnation as its row has it.
        init(
            number: Int64, id: EpochID, firstSequence: UInt64, firstCounter: UInt64,
            firstMoved: UInt64, named: UInt64
        ) {
            self.number = number
            self.id = id
            self.firstSequence = firstSequence
            self.firstCounter = firstCounter
            self.firstMoved = firstMoved
            isNamed = named > 0
            unheardDelete = named > 1 ? named - 1 : nil
        }
    }

    /// The most incarnations that are remembered.
    static let epochCountMax = 256

    private let database: Database
    private let knowledge: Knowledge
    private let identity: CloneDetector
    /// The incarnations under the present replica id, oldest first.
    private(set) var epochs: [Epoch] = []
    private var kept: [Epoch]?
    /// Whether no other process had the store open when this one opened it.
    var wasOpenedAlone = false
    /// Whether this process has seen to it that the identity file says "open".
    private var isUnsealed = false
    /// The last arrival number that is known to be on the disk.
    private var flushedSequence: UInt64 = 0
    /// Whether all that was committed is known to be on the disk: what is remembered on this device alone has no arrival
    /// number.
    private var isFlushed = false
    /// How often this process brought the log to the disk before something left the device.
    private(set) var flushCount = 0

    init(_ database: Database, _ knowledge: Knowledge, _ identity: CloneDetector) {
        self.database = database
        self.knowledge = knowledge
        self.identity = identity
    }

    /// The incarnation that names what is sent now.
    var newest: Incarnation {
        epochs.last?.start ?? Incarnation(epoch: EpochID(value: 0), counter: 0)
    }

    /// Whether a write is of this replica and nobody else can have heard of it: nothing has left since its epoch began, or
    /// since a delete that is not younger.
    func isUnheard(_ dot: Dot) -> Bool {
        guard dot.replica == knowledge.replica, let last = epochs.last else { return false }
        guard last.isNamed else { return dot.counter > last.firstCounter }
        return last.unheardDelete.map { dot.counter >= $0 } ?? false
    }

    /// Notes in the transaction of a delete that nobody has heard of it, until something leaves.
    ///
    /// Of other writes it is not noted, as that would cost each of them that is sent a transaction more.
    /// - Parameter counter: at most the counter of the delete, and above those of all earlier transactions.
    func noteDelete(_ counter: UInt64) throws(StoreFault) {
        guard let last = epochs.last, last.isHeardWhole else { return }
        try setNewest(isNamed: true, unheardDelete: counter)
    }

    /// This replica's counter when an epoch ended; the present counter for the last one.
    func endCounter(ofEpochAt index: Int) -> UInt64 {
        index + 1 < epochs.count ? epochs[index + 1].firstCounter : knowledge.counter
    }

    /// The last arrival number of an epoch; nil if it is not remembered.
    func endSequence(of epoch: EpochID) -> UInt64? {
        guard let index = epochs.firstIndex(where: { $0.id == epoch }) else { return nil }
        return index + 1 < epochs.count ? epochs[index + 1].firstSequence : knowledge.sequence
    }

    /// The last arrival number of an epoch of this replica's under any id that it has had; nil if it is not remembered.
    ///
    /// Arrival numbers go on when a store takes another id, and so does what they are of.
    ///
    /// - Parameter number: the number of the id in the table of replicas.
    func endSequence(
        of epoch: EpochID, underIDNumbered number: Int
    ) throws(StoreFault) -> UInt64? {
        if number == knowledge.ownNumber { return endSequence(of: epoch) }
        let known = try database.connection.statement(
            "SELECT number FROM epoch WHERE id = ? AND replica = ?")
        known.bind(1, epoch.value)
        known.bind(2, Int64(number))
        defer { known.reset() }
        guard try known.step() else { return nil }
        let next = try database.connection.statement(
            "SELECT number, first_sequence FROM epoch WHERE number > ? ORDER BY number LIMIT 1")
        next.bind(1, known.int(0))
        defer { next.reset() }
        guard try next.step() else { return knowledge.sequence }
        // Where it ended is not known any more if the one behind it is forgotten.
        return next.int(0) == known.int(0) + 1 ? next.unsigned(1) : nil
    }

    /// The last summary sequence of an epoch; nil if it is not remembered.
    func endSummarySequence(of epoch: EpochID) -> UInt64? {
        guard let index = epochs.firstIndex(where: { $0.id == epoch }) else { return nil }
        return index + 1 < epochs.count ? epochs[index + 1].firstMoved : knowledge.summarySequence
    }

    // MARK: Opening for writing

    /// Before the first write of this process: the identity file says "open", and there is an epoch to write in.
    ///
    /// The identity file comes first and names the epoch to come, so that a crash between the two raises no
    /// suspicion. In a transaction, so that two processes never put their identity files in place at once.
    func prepareWriting() throws(StoreFault) {
        if isUnsealed, !epochs.isEmpty { return }
        try database.transactUnprepared { () throws(StoreFault) in
            try database.refresh()
            // A store left open by a killed process is opened anew as well, if nobody else has it open.
            let isNewIncarnation = wasOpenedAlone && !isUnsealed || !identity.isIdentityFileOpen
            let needsEpoch = epochs.isEmpty || (epochs.last?.isNamed == true && isNewIncarnation)
            guard needsEpoch else { return try rewriteIdentityFile(flush: openingFlush) }
            let next = EpochID(value: database.environment.drawBits() | 1)
            try rewriteIdentityFile(next: next, flush: openingFlush)
            try add(next)
        }
    }

    /// How far the identity file must be on the disk before a first write that nobody heard of: no power cut may leave
    /// both the write and an identity file that says "sealed".
    ///
    /// SQLite flushes the folder itself before it puts the first frame into a log that is empty.
    private var openingFlush: IdentityFileFlush {
        database.connection.willFlushFolder ? .none : .name
    }

    /// Begins an epoch in place of one that a killed process left open, before anybody else comes in:
    /// a second process could not tell that the first has not begun its own, and would write in it.
    ///
    /// Where nothing can be written, nobody will; it is then begun with the first write.
    func endKilledIncarnation() {
        guard identity.isIdentityFileOpen else { return }
        // It may have died between a commit and its flush: what is shown from here on stays.
        if database.options.durability == .full { try? database.connection.flushLog() }
        if epochs.last?.isNamed == true { try? prepareWriting() }
    }

    /// Says in the identity file who the store is now, and that it is open.
    ///
    /// - Parameter reason: why the id is taken that it names, before that is committed; nil for an id that the store has.
    func rewriteIdentityFile(
        next: EpochID? = nil, taking reason: CloneSuspicion? = nil,
        flush: IdentityFileFlush = .whole
    ) throws(StoreFault) {
        try identity.writeIdentityFile(
            OwnState(knowledge, self), next: next, taking: reason, flush: flush)
        isUnsealed = true
    }

    /// Begins a new epoch.
    private func add(_ id: EpochID) throws(StoreFault) {
        let row = try database.connection.statement(
            """
            INSERT INTO epoch(id, first_sequence, first_counter, replica, named, first_moved)
            VALUES (?, ?, ?, ?, 0, ?) RETURNING number
            """)
        row.bind(1, id.value)
        row.bind(2, knowledge.sequence)
        row.bind(3, knowledge.counter)
        row.bind(4, Int64(knowledge.ownNumber))
        row.bind(5, knowledge.summarySequence)
        guard try row.step() else { return }
        let number = row.int(0)
        row.reset()
        epochs.append(
            Epoch(
                number: number, id: id, firstSequence: knowledge.sequence,
                firstCounter: knowledge.counter, firstMoved: knowledge.summarySequence, named: 0))
        if epochs.count > Self.epochCountMax {
            let old = try database.connection.statement("DELETE FROM epoch WHERE number = ?")
            old.bind(1, epochs.removeFirst().number)
            try old.run()
        }
    }

    /// Begins the first epoch of a new replica id.
    func startOver() throws(StoreFault) {
        epochs = []
        try add(EpochID(value: database.environment.drawBits() | 1))
    }

    // MARK: Leaving for a peer

    /// Reads what is to leave for a peer: the epoch is marked as heard of, and all is on the disk.
    ///
    /// An opening that only reads speaks in the last epoch: nothing is written, and no epoch used up.
    func speaking<T>(_ body: () throws(StoreFault) -> T) throws(StoreFault) -> T {
        while true {
            let result = try database.reading { () throws(StoreFault) in
                epochs.last?.isHeardWhole == true ? try body() : nil
            }
            if let result {
                try flush()
                return result
            }
            try nameEpoch()
        }
    }

    /// Sees to it that the newest epoch is one that was marked as heard of in the transaction in which it began.
    ///
    /// A reader that is no peer cannot tell a copy of this store from it. No copy of the store has such an epoch unmarked,
    /// and so none goes on writing in it: what the reader was told in it is true of each copy that knows it, or is over
    /// its end there.
    func beginNamed() throws(StoreFault) {
        if try database.reading({ () throws(StoreFault) in epochs.last?.isHeardWhole == true }) {
            return
        }
        try database.transactUnprepared { () throws(StoreFault) in
            try database.refresh()
            if epochs.last?.isNamed == true { return try markNewest() }
            let next = EpochID(value: database.environment.drawBits() | 1)
            try rewriteIdentityFile(next: next, flush: openingFlush)
            try add(next)
            try markNewest()
        }
        try flushNow()
    }

    private func nameEpoch() throws(StoreFault) {
        try database.changing { () throws(StoreFault) in
            if epochs.last?.isHeardWhole == false { try markNewest() }
        }
        try flushNow()
    }

    /// Marks the newest epoch as one that may have been heard of, with all that was deleted in it.
    private func markNewest() throws(StoreFault) {
        try setNewest(isNamed: true, unheardDelete: nil)
    }

    private func setNewest(isNamed: Bool, unheardDelete: UInt64?) throws(StoreFault) {
        guard let last = epochs.indices.last else { return }
        epochs[last].isNamed = isNamed
        epochs[last].unheardDelete = unheardDelete
        let row = try database.connection.statement("UPDATE epoch SET named = ? WHERE number = ?")
        row.bind(1, epochs[last].named)
        row.bind(2, epochs[last].number)
        try row.run()
    }

    /// Brings everything that was committed to the disk, unless it is there already.
    private func flush() throws(StoreFault) {
        if flushedSequence == knowledge.sequence { return }
        try flushNow()
    }

    /// Brings all to the disk that this process committed or has read, also what is remembered on this device alone.
    func flushAll() throws(StoreFault) {
        if !isFlushed { try flushNow() }
    }

    private func flushNow() throws(StoreFault) {
        try database.connection.flushLog()
        flushCount += 1
        flushedSequence = knowledge.sequence
        isFlushed = true
    }

    // MARK: Transactions

    func load() throws(StoreFault) {
        // Another process, or this one before it was killed, may have flushed nothing.
        isFlushed = false
        epochs = try Self.epochs(of: knowledge.ownNumber, on: database.connection)
    }

    func begin() { kept = epochs }

    func rollBack() { if let kept { epochs = kept } }

    func end() { kept = nil }

    func committed(hasArrivals: Bool) {
        // A commit that flushes brings all earlier ones to the disk as well.
        isFlushed = database.options.durability == .full
        if isFlushed { flushedSequence = knowledge.sequence }
        if hasArrivals { identity.note(sequence: knowledge.sequence) }
    }

    /// The openings that a database remembers of the replica with a number, oldest first.
    static func epochs(
        of number: Int, on connection: Connection
    ) throws(StoreFault) -> [Epoch] {
        let rows = try connection.statement(
            """
            SELECT number, id, first_sequence, first_counter, named, first_moved FROM epoch
            WHERE replica = ?
            ORDER BY number
            """)
        rows.bind(1, Int64(number))
        defer { rows.reset() }
        var found: [Epoch] = []
        while try rows.step() {
            found.append(
                Epoch(
                    number: rows.int(0), id: EpochID(value: rows.unsigned(1)),
                    firstSequence: rows.unsigned(2), firstCounter: rows.unsigned(3),
                    firstMoved: rows.unsigned(5), named: rows.unsigned(4)))
        }
        return found
    }
}

/// The facts of a store that the identity file beside it states.
struct OwnState: Hashable {
    /// Its replica id.
    var replica: ReplicaID
    /// Its newest epoch.
    var epoch: EpochID
    /// How many writes it has made.
    var counter: UInt64
    /// Its last arrival number.
    var sequence: UInt64

    /// The standing of an open store.
    init(_ knowledge: Knowledge, _ incarnations: Incarnations) {
        replica = knowledge.replica
        epoch = incarnations.newest.epoch
        counter = knowledge.counter
        sequence = knowledge.sequence
    }

    /// The standing of a store that is not open, by its database.
    init(in connection: Connection) throws(StoreFault) {
        let state = try StoreState.load(from: connection)
        let epochs = try Incarnations.epochs(of: state.ownIndex, on: connection)
        replica = state.replica
        epoch = epochs.last?.id ?? EpochID(value: 0)
        counter = state.counter
        sequence = state.sequence
    }
}
