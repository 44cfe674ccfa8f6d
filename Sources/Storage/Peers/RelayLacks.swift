import Core

/// The part of a store that remembers which relays lack something: so that one is not read from its start, and records
/// are not uploaded again, without end.
///
/// Owns two namespaces of the local metadata: what this store misses at a relay, and the requests of other devices that
/// it answered.
/// Source: Protocol/10-Relay.md, rules 20 and 36 to 39.
final class RelayLacks {
    /// What is missing here although a relay was read from its start.
    struct Lack: Hashable {
        /// When it was last to be read so; milliseconds since 1970-01-01 UTC.
        var readAt: Int64
        /// How many times it was to be read so, each once the wait for it was over.
        var readingCount: UInt64
        /// How much the relay's sum of its rows was above that of the rows that are here; 0 if they were equal.
        var rowSumDifference: UInt128
        /// The number of the last request of an earlier lack: no two lacks have a number in common.
        var lastRequest: UInt64
        /// Whether versions that cannot be opened may be all that is missing: then nothing is said to be kept back.
        var isExcused = false
        /// Whether the relay sent versions that it does not have, and was not read from its start without such since.
        var isAltering = false
        /// Whether it did so at all since it was noted: the wait stays for a day after it has stopped.
        var hasAltered = false
        /// Whether it is to be read so, and no session has come to the end of that.
        var isReading = false

        /// The number of the request to upload again what is missing: one at once, further ones where the relay was read
        /// for a day without it.
        var requestNumber: UInt64 {
            let readings = Int64(readingCount) - RelayLacks.longWaitCount
            let further = UInt64(min(max(readings, 0), Int64(RelayLacks.requestCountMax) - 1))
            return lastRequest + 1 + further
        }
    }

    /// The request of a device that misses nothing, and has nothing of a replica about which a row in its name was forged.
    static let emptyRequest: UInt64 = 1

    /// The wait until a relay is read from its start once more, after the first time in vain; it doubles.
    static let waitMillisecondsMin: Int64 = 900_000
    /// The longest such wait.
    static let waitMillisecondsMax: Int64 = 86_400_000
    /// After so many readings in vain the wait is the longest one.
    static let longWaitCount: Int64 = 7
    /// The most requests for one lack.
    static let requestCountMax: UInt64 = 4
    /// The most times in 24 hours that records are uploaded again to one relay as others lack them.
    static let answerCountMax = 8
    /// The most requests that are remembered of one relay, and the most relays; of more the oldest are forgotten.
    static let rememberedCountMax = 64

    private static let lackNamespace = "relay-lack"
    private static let answerNamespace = "relay-answer"

    private let database: Database
    private let metadata: LocalMetadata

    init(_ database: Database, _ metadata: LocalMetadata) {
        self.database = database
        self.metadata = metadata
    }

    // MARK: What is missing here

    /// What is missing here of a relay; nil if nothing is known to be.
    func find(_ relay: ReplicaID) throws(StoreFault) -> Lack? {
        let found = try noted(relay)
        return found?.readingCount == 0 ? nil : found
    }

    private func noted(_ relay: ReplicaID) throws(StoreFault) -> Lack? {
        try metadata.entry(named: relay.uuidText, in: Self.lackNamespace).flatMap(Self.lack)
    }

    /// Whether a relay is to be read from its start once more: after 15 minutes, then twice as long each time, up to a day.
    ///
    /// A clock that was set back counts as one that went on.
    func isReadingDue(_ lack: Lack) -> Bool {
        let doublings = min(max(Int64(lack.readingCount) - 1, 0), Self.longWaitCount)
        let wait = min(Self.waitMillisecondsMin << doublings, Self.waitMillisecondsMax)
        return abs(database.environment.wallMilliseconds() - lack.readAt) >= wait
    }

    /// Remembers that a relay is to be read from its start, as the wait for that is over; only inside of a transaction.
    ///
    /// It counts whether or not one session comes to the end of it: a link that breaks each time would cost a full download at
    /// each second visit.
    func beginReading(of relay: ReplicaID) throws(StoreFault) {
        guard var lack = try find(relay) else { return }
        lack.readingCount += 1
        lack.readAt = database.environment.wallMilliseconds()
        lack.isReading = true
        try note(lack, of: relay)
    }

    /// Remembers that a session has read a relay from its start to the end; only inside of a transaction.
    func endReading(of relay: ReplicaID) throws(StoreFault) {
        guard var lack = try noted(relay), lack.isReading else { return }
        lack.isReading = false
        try note(lack, of: relay)
    }

    /// Remembers that a relay was read from its start in vain; only inside of a transaction.
    ///
    /// - Parameter isExcused: whether versions that cannot be opened may be all that is missing; then the first time is
    ///   noted before the relay was read so.
    func noteReading(
        of relay: ReplicaID, rowSumDifference: UInt128, isExcused: Bool = false
    ) throws(StoreFault) {
        var lack = try noted(relay) ?? Self.nothing(after: Self.emptyRequest)
        if lack.readingCount == 0 || !lack.isReading && isReadingDue(lack) {
            lack.readingCount += 1
            lack.readAt = database.environment.wallMilliseconds()
        }
        lack.rowSumDifference = rowSumDifference
        lack.isExcused = isExcused
        try forgetOthers(than: relay, in: Self.lackNamespace)
        try note(lack, of: relay)
    }

    /// Remembers that a relay sent versions that it does not have; only inside of a transaction.
    ///
    /// - Returns: whether it did not do so for a day: then it is read from its start at once, else once the wait is over.
    func noteAltering(of relay: ReplicaID) throws(StoreFault) -> Bool {
        var lack = try noted(relay) ?? Self.nothing(after: Self.emptyRequest)
        let now = database.environment.wallMilliseconds()
        let isAgain = !lack.isAltering && abs(now - lack.readAt) >= Self.waitMillisecondsMax
        let isNew = !lack.hasAltered || isAgain
        if lack.readingCount == 0 || isAgain && lack.isExcused {
            lack.readingCount = 1
            lack.isExcused = true
        }
        if isNew {
            lack.readAt = now
            lack.isReading = true
        }
        lack.isAltering = true
        lack.hasAltered = true
        try forgetOthers(than: relay, in: Self.lackNamespace)
        try note(lack, of: relay)
        return isNew
    }

    /// Remembers that a relay sends nothing any more that it does not have; only inside of a transaction.
    func endAltering(of relay: ReplicaID) throws(StoreFault) {
        guard var lack = try find(relay), lack.isAltering else { return }
        lack.isAltering = false
        try note(lack, of: relay)
    }

    /// Remembers that nothing is missing; only inside of a transaction.
    ///
    /// Of a relay that has altered what it sent the wait stays for a day: else it would cost a full download each time that it
    /// begins again.
    /// - Parameter hadMissing: whether rows were missing until now.
    func forget(_ relay: ReplicaID, hadMissing: Bool) throws(StoreFault) {
        guard let lack = try find(relay) else { return }
        var rest = Self.nothing(after: lack.requestNumber)
        let age = abs(database.environment.wallMilliseconds() - lack.readAt)
        if lack.hasAltered, age < Self.waitMillisecondsMax {
            (rest.readAt, rest.readingCount) = (lack.readAt, lack.readingCount)
            (rest.isExcused, rest.hasAltered) = (true, true)
        }
        // Such a wait is no lack of its own, which would have a request with another number.
        var kept = rest
        kept.lastRequest = lack.lastRequest
        if hadMissing || kept != lack { try note(rest, of: relay) }
    }

    private static func nothing(after request: UInt64) -> Lack {
        Lack(readAt: 0, readingCount: 0, rowSumDifference: 0, lastRequest: request)
    }

    private func note(_ lack: Lack, of relay: ReplicaID) throws(StoreFault) {
        let content =
            "\(lack.readAt) \(lack.readingCount) \(lack.rowSumDifference) \(lack.lastRequest)"
            + (lack.isExcused ? " excused" : "") + (lack.isAltering ? " altering" : "")
            + (lack.hasAltered ? " altered" : "") + (lack.isReading ? " reading" : "")
        try metadata.set(Array(content.utf8), named: relay.uuidText, in: Self.lackNamespace)
    }

    private static func lack(_ content: [UInt8]) -> Lack? {
        let words = String(decoding: content, as: UTF8.self).split(separator: " ")
        guard words.count >= 4, let readAt = Int64(words[0]),
            let count = UInt64(words[1]),
            count <= UInt64(Int64.max), let difference = UInt128(words[2]),
            let request = UInt64(words[3]), request <= UInt64(Int64.max) / 2
        else { return nil }
        return Lack(
            readAt: readAt, readingCount: count, rowSumDifference: difference, lastRequest: request,
            isExcused: words[4...].contains("excused"),
            isAltering: words[4...].contains("altering"),
            hasAltered: words[4...].contains("altered"),
            isReading: words[4...].contains("reading"))
    }

    // MARK: What others miss

    /// Takes note of a device's request to upload again; only inside of a transaction.
    ///
    /// - Parameter hash: that of the row with the request: no other row has it.
    /// - Returns: whether it is to be answered: not if it was before, nor if many were within a day.
    func isAnswered(_ hash: UInt128, at relay: ReplicaID) throws(StoreFault) -> Bool {
        let now = database.environment.wallMilliseconds()
        let content =
            try metadata.entry(named: relay.uuidText, in: Self.answerNamespace) ?? []
        var answers = String(decoding: content, as: UTF8.self).split(separator: "\n").map {
            String($0)
        }
        let mark = String(hash, radix: 36)
        if answers.contains(where: { $0.hasPrefix(mark + " ") }) { return false }
        let recent = answers.count { answer in
            guard let time = answer.split(separator: " ").last.flatMap({ Int64($0) }) else {
                return false
            }
            return abs(now - time) < Self.waitMillisecondsMax
        }
        if recent >= Self.answerCountMax { return false }
        answers = ["\(mark) \(now)"] + answers.prefix(Self.rememberedCountMax - 1)
        try forgetOthers(than: relay, in: Self.answerNamespace)
        try metadata.set(
            Array(answers.joined(separator: "\n").utf8), named: relay.uuidText,
            in: Self.answerNamespace)
        return true
    }

    /// Keeps to the limit of relays.
    private func forgetOthers(
        than relay: ReplicaID, in namespace: String
    ) throws(StoreFault) {
        let others = try metadata.all(in: namespace).keys.filter { $0 != relay.uuidText }.sorted()
        for name in others.dropFirst(Self.rememberedCountMax - 1) {
            try metadata.set(nil, named: name, in: namespace)
        }
    }
}

extension Store {
    /// What a device has stated at a relay of a replica's writes, and the relay has not sent.
    package struct MissingChanges: Hashable, Sendable {
        /// The relay's store of the space.
        package let relay: ReplicaID
        /// The device whose statement it is.
        package let speaker: ReplicaID
        /// The replica whose writes are missing.
        package let author: ReplicaID
        /// Whether nobody else, this device included, has so much of them.
        package let isAlone: Bool
    }

    /// What devices have stated at relays of which something is missing here, though these were read from the start.
    package func missingChanges() throws(StoreFault) -> [MissingChanges] {
        try reading { () throws(StoreFault) in
            var found: [MissingChanges] = []
            for peer in try checkpoints.contacts() where peer.isSuspect {
                if try lacks.find(peer.replica) == nil { continue }
                for row in try summaryRows.missing(at: peer.replica) {
                    let isShared = try summaryRows.hasEntry(
                        about: row.entry.replica, reaching: row.entry.seen,
                        butOf: row.key.replica, at: peer.replica)
                    found.append(
                        MissingChanges(
                            relay: peer.replica, speaker: row.key.replica,
                            author: row.entry.replica,
                            isAlone: !isShared && row.key.replica != row.entry.replica))
                }
            }
            return found
        }
    }
}
