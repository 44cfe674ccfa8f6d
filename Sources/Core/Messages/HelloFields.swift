/// The values of a hello's keys while it is read.
struct HelloFields {
    private var versions: (min: UInt64, max: UInt64)?
    private var space: SpaceID?
    private var policy: UInt64?
    private var replica: ReplicaID?
    private var opening: EpochStart?
    private var entries: [StatementEntry]?
    private var digest: Digest?
    private var features: UInt64 = 0
    private var recollection: Recollection?
    private var reached: UInt64?

    /// Whether both sides speak some version in common.
    private var isSpoken: Bool {
        guard let versions else { return true }
        return versions.min <= WireLimits.versionMax && versions.max >= WireLimits.versionMin
    }

    /// Reads the value of one of the keys 1 to 10; in versions not spoken here those after 1 are unknown.
    mutating func read(_ key: UInt64, _ reader: inout CanonicalReader) throws(WireFault) {
        guard isSpoken else {
            _ = try reader.skip()
            return
        }
        switch key {
        case 1:
            guard try reader.array(max: 2, "versions") == 2 else { throw .outOfRange("versions") }
            versions = (try reader.unsigned(), try reader.unsigned())
        case 2: space = SpaceID(value: try reader.identifier())
        case 3: policy = try reader.unsigned()
        case 4: replica = ReplicaID(value: try reader.identifier())
        case 5:
            guard try reader.array(max: 2, "an opening") == 2 else {
                throw .outOfRange("an opening")
            }
            opening = EpochStart(
                epoch: EpochID(value: try reader.unsigned()), counter: try reader.counter())
        case 6: entries = try reader.statementEntries(speaker: replica)
        case 7: digest = try reader.digest()
        case 8: features = try reader.unsigned()
        case 9: recollection = try reader.recollection(places: entries ?? [])
        default: reached = try reader.counter()
        }
    }

    /// The hello, if all its keys were there.
    ///
    /// A hello of other versions alone may lack any key but the versions, so that it can be told apart
    /// from nonsense: it comes back with empty ids, and is refused by its versions.
    func hello() throws(WireFault) -> Hello {
        guard let versions else { throw .missingKey(1) }
        guard versions.min <= versions.max else { throw .outOfRange("versions") }
        if isSpoken {
            for (value, key) in [(space == nil, 2), (replica == nil, 4), (opening == nil, 5)]
            where value { throw .missingKey(key) }
            guard policy != nil else { throw .missingKey(3) }
            guard (entries == nil) == (digest == nil) else {
                throw .missingKey(entries == nil ? 6 : 7)
            }
        }
        guard let rule = DeletePolicy(rawValue: UInt8(truncatingIfNeeded: policy ?? 0)),
            policy ?? 0 <= 255
        else { throw .outOfRange("the delete policy") }
        var hello = Hello(
            space: space ?? SpaceID(value: 0), policy: rule,
            replica: replica ?? ReplicaID(value: 0),
            opening: opening ?? EpochStart(epoch: EpochID(value: 0), counter: 0),
            statement: entries.flatMap { list in
                digest.map { Statement(entries: list, digest: $0) }
            },
            features: Hello.Features(rawValue: features), recollection: recollection,
            reached: reached)
        hello.versionMin = versions.min
        hello.versionMax = versions.max
        return hello
    }
}
