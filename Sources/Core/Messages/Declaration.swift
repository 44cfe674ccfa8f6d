/// A statement as devices give it to each other through a relay, with the newest openings known.
///
/// Shape: `[[entry, …], digest, [replica, epoch, counter, …]]` in deterministic CBOR; entries and
/// openings sorted by replica. Source: Protocol/10-Relay.md.
package struct Declaration: Hashable, Sendable {
    /// The statement.
    package var statement: Statement
    /// The newest opening that the speaker knows of each replica whose writes it has.
    package var openings: [ChangeBatch.Opening]

    /// A statement with its openings.
    package init(statement: Statement, openings: [ChangeBatch.Opening]) {
        self.statement = statement
        self.openings = openings
    }

    /// Reads what `bytes` wrote, whole.
    package init(decoding bytes: [UInt8]) throws(WireFault) {
        var result: Result<Declaration, WireFault> = .failure(.truncated)
        bytes.withUnsafeBytes { buffer in
            do throws(WireFault) {
                result = .success(try Self.read(buffer))
            } catch {
                result = .failure(error)
            }
        }
        self = try result.get()
    }

    private static func read(_ buffer: UnsafeRawBufferPointer) throws(WireFault) -> Declaration {
        var reader = CanonicalReader(buffer)
        guard try reader.array(max: 3, "a declaration") == 3 else {
            throw .outOfRange("a declaration")
        }
        let entries = try reader.entries()
        let digest = try reader.digest()
        let openings = try reader.openings()
        try reader.finish()
        return Declaration(
            statement: Statement(entries: entries, digest: digest), openings: openings)
    }

    /// The canonical bytes.
    package var bytes: [UInt8] {
        var writer = CanonicalWriter()
        writer.array(3)
        writer.entries(statement.entries)
        writer.digest(statement.digest)
        writer.openings(openings)
        return writer.bytes
    }

    /// The parts with their values, for a person to read.
    package var fields: [MessageField] {
        [
            .init("entries", .entries(statement.entries)),
            .init("digest", .digest(statement.digest)), .init("openings", .openings(openings)),
        ]
    }
}
