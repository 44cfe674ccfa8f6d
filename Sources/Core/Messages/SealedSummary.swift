/// A statement as devices give it to each other through a relay, with the newest openings known.
///
/// Shape: `[[entry, …], digest, [replica, epoch, counter, …]]` in deterministic CBOR; entries and
/// openings sorted by replica. Source: Protocol/10-Relay.md.
package struct SealedSummary: Hashable, Sendable {
    /// The statement.
    package var statement: StateSummary
    /// The newest opening that the speaker knows of each replica whose writes it has.
    package var incarnations: [ChangeBatch.AnnouncedIncarnation]

    /// A statement with its openings.
    package init(statement: StateSummary, incarnations: [ChangeBatch.AnnouncedIncarnation]) {
        self.statement = statement
        self.incarnations = incarnations
    }

    /// Reads what `bytes` wrote, whole.
    package init(decoding bytes: [UInt8]) throws(WireFault) {
        var result: Result<SealedSummary, WireFault> = .failure(.truncated)
        bytes.withUnsafeBytes { buffer in
            do throws(WireFault) {
                result = .success(try Self.read(buffer))
            } catch {
                result = .failure(error)
            }
        }
        self = try result.get()
    }

    private static func read(_ buffer: UnsafeRawBufferPointer) throws(WireFault) -> SealedSummary {
        var reader = CanonicalReader(buffer)
        guard try reader.array(max: 3, .sealedSummary) == 3 else {
            throw .outOfRange(.sealedSummary)
        }
        let entries = try reader.entries()
        let digest = try reader.digest()
        let incarnations = try reader.incarnations()
        try reader.finish()
        return SealedSummary(
            statement: StateSummary(entries: entries, digest: digest), incarnations: incarnations)
    }

    /// The summary with no more entries than a relay takes, sealed: of those left out less is joined.
    package var fitting: SealedSummary {
        let most = WireLimits.sealedEntryCountMax
        if statement.entries.count <= most { return self }
        let entries = Array(statement.entries.prefix(most))
        return SealedSummary(
            statement: StateSummary(sorted: entries, digest: statement.digest),
            incarnations: incarnations.filter {
                entries.index(ofSorted: $0.replica, by: \.replica) != nil
            })
    }

    /// The canonical bytes.
    package var bytes: [UInt8] {
        var writer = CanonicalWriter()
        writer.array(3)
        writer.entries(statement.entries)
        writer.digest(statement.digest)
        writer.incarnations(incarnations)
        return writer.bytes
    }

    /// The parts with their values, for a person to read.
    package var fields: [MessageField] {
        [
            .init("entries", .entries(statement.entries)),
            .init("digest", .digest(statement.digest)),
            .init("openings", .incarnations(incarnations)),
        ]
    }
}
