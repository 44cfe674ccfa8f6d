/// The values of the keys of an approach, a welcome, an upload, a standing or a letter while it is read.
struct RelayFields {
    private var versions: (min: UInt64, max: UInt64)?
    private var space: SpaceID?
    private var replica: ReplicaID?
    private var relay: ReplicaID?
    private var features: UInt64?
    private var generation: UInt32?
    private var reached: UInt64?
    private var checkpoint: Checkpoint?
    private var uploaded: Checkpoint?
    private var verifier: [UInt8]?
    private var proof: [UInt8]?
    private var succession: [UInt8]?
    private var token: String?
    private var statement: [UInt8]?
    private var notices: [Standing.Notice] = []
    private var letters: [Letter.Mark]?
    private var sealedLetter: [UInt8]?

    /// Whether both sides speak some version in common.
    private var isSpoken: Bool {
        guard let versions else { return true }
        return versions.min <= WireLimits.versionMax && versions.max >= WireLimits.versionMin
    }

    /// Reads the value of a key that this kind of message has; false if it has no such key.
    mutating func read(
        kind: UInt64, _ key: UInt64, _ reader: inout CanonicalReader
    ) throws(WireFault) -> Bool {
        // In versions that are not spoken here nothing is known but the versions.
        guard isSpoken else { return false }
        switch (kind, key) {
        case (20, 1), (21, 1):
            guard try reader.array(max: 2, "versions") == 2 else { throw .outOfRange("versions") }
            versions = (try reader.unsigned(), try reader.unsigned())
        case (20, 2): space = SpaceID(value: try reader.identifier())
        case (20, 3): replica = ReplicaID(value: try reader.identifier())
        case (20, 4): features = try reader.unsigned()
        case (20, 5), (129, 1):
            generation = UInt32(try reader.unsigned(max: UInt64(UInt32.max), "a generation"))
        case (20, 6), (21, 2): relay = ReplicaID(value: try reader.identifier())
        case (20, 7), (21, 3), (22, 1), (23, 1): checkpoint = try reader.checkpoint()
        case (20, 8), (129, 2): verifier = try reader.proof()
        case (20, 9): proof = try reader.proof()
        case (20, 10): succession = try reader.proof()
        case (20, 11): token = try reader.text(max: WireLimits.tokenByteCountMax, "a token")
        case (21, 4): reached = try reader.counter()
        case (21, 5): uploaded = try reader.checkpoint()
        case (21, 6): letters = try reader.letterMarks()
        case (129, 3):
            sealedLetter = try reader.byteString(max: WireLimits.letterByteCountMax, "a letter")
        case (22, 2): statement = try reader.notice()
        case (23, 2): notices = try reader.notices()
        default: return false
        }
        return true
    }

    func approach() throws(WireFault) -> Approach {
        let versions = try checkedVersions()
        guard (relay == nil) == (checkpoint == nil) else {
            throw .missingKey(relay == nil ? 6 : 7)
        }
        guard (verifier == nil) == (proof == nil) else {
            throw .missingKey(verifier == nil ? 8 : 9)
        }
        guard succession == nil || verifier != nil else { throw .missingKey(8) }
        // One of other versions may lack any key, so that it can be told apart from nonsense.
        let (space, replica) = (space, replica)
        var approach = Approach(
            space: try spoken(space, 2) ?? SpaceID(value: 0),
            replica: try spoken(replica, 3) ?? ReplicaID(value: 0),
            features: Hello.Features(rawValue: try spoken(features, 4) ?? 0),
            generation: try spoken(generation, 5) ?? 0,
            read: relay.flatMap { relay in
                checkpoint.map { Approach.Bookmark(relay: relay, checkpoint: $0) }
            },
            access: verifier.flatMap { verifier in
                proof.map {
                    Approach.Access(verifier: verifier, proof: $0, succession: succession)
                }
            }, token: token)
        (approach.versionMin, approach.versionMax) = versions
        return approach
    }

    func welcome() throws(WireFault) -> Welcome {
        let versions = try checkedVersions()
        var welcome = Welcome(
            relay: try spoken(relay, 2) ?? ReplicaID(value: 0),
            start: try spoken(checkpoint, 3) ?? Checkpoint(epoch: EpochID(value: 0), sequence: 0),
            reached: try spoken(reached, 4) ?? 0, uploaded: uploaded, letters: letters)
        (welcome.versionMin, welcome.versionMax) = versions
        return welcome
    }

    func upload() throws(WireFault) -> Upload {
        Upload(through: try required(checkpoint, 1), statement: try required(statement, 2))
    }

    func standing() throws(WireFault) -> Standing {
        Standing(through: try required(checkpoint, 1), notices: notices)
    }

    func letter() throws(WireFault) -> Letter {
        Letter(
            generation: try required(generation, 1), verifier: try required(verifier, 2),
            bytes: try required(sealedLetter, 3))
    }

    private func checkedVersions() throws(WireFault) -> (min: UInt64, max: UInt64) {
        let versions = try required(versions, 1)
        guard versions.min <= versions.max else { throw .outOfRange("versions") }
        return versions
    }

    /// The value of a key that must be there in the versions spoken here.
    private func spoken<T>(_ value: T?, _ key: Int) throws(WireFault) -> T? {
        isSpoken ? try required(value, key) : value
    }

    private func required<T>(_ value: T?, _ key: Int) throws(WireFault) -> T {
        guard let value else { throw .missingKey(key) }
        return value
    }
}

extension CanonicalReader {
    fileprivate mutating func proof() throws(WireFault) -> [UInt8] {
        try byteString(max: WireLimits.proofByteCountMax, "a key or a signature")
    }

    fileprivate mutating func letterMarks() throws(WireFault) -> [Letter.Mark] {
        let count = try array(max: WireLimits.letterCountMax * 2, "letters")
        guard count % 2 == 0 else { throw .outOfRange("the length of the letters") }
        var marks: [Letter.Mark] = []
        for _ in 0..<count / 2 {
            let verifier = try proof()
            marks.append(Letter.Mark(verifier: verifier, hash: try identifier()))
        }
        return marks
    }

    fileprivate mutating func notice() throws(WireFault) -> [UInt8] {
        try byteString(max: WireLimits.noticeByteCountMax, "a statement")
    }

    fileprivate mutating func notices() throws(WireFault) -> [Standing.Notice] {
        let count = try array(max: WireLimits.replicaCountMax * 2, "statements")
        guard count % 2 == 0, count > 0 else { throw .outOfRange("the length of the statements") }
        var notices: [Standing.Notice] = []
        for _ in 0..<count / 2 {
            let replica = ReplicaID(value: try identifier())
            if let last = notices.last, last.replica >= replica { throw .notSorted }
            notices.append(Standing.Notice(replica: replica, bytes: try notice()))
        }
        return notices
    }
}
