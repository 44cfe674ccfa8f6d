/// SipHash-2-4: short keyed hashes for checksums and digests.
///
/// Source: Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012, and the reference vectors
/// of its authors for outputs of 64 and 128 bits.
package struct SipHash: Hashable, Sendable {
    private let key0: UInt64
    private let key1: UInt64

    /// A hash under a key of 16 bytes, read as two little-endian words.
    package init(key0: UInt64 = 0, key1: UInt64 = 0) {
        self.key0 = key0
        self.key1 = key1
    }

    /// The 64-bit hash.
    package func hash64(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var state = State(key0, key1, wide: false)
        state.absorb(bytes)
        return state.finish64()
    }

    /// The 64-bit hash.
    package func hash64(_ bytes: [UInt8]) -> UInt64 {
        bytes.withUnsafeBytes { hash64($0) }
    }

    /// The 128-bit hash, its 16 bytes read big-endian.
    package func hash128(_ bytes: UnsafeRawBufferPointer) -> UInt128 {
        var state = State(key0, key1, wide: true)
        state.absorb(bytes)
        return state.finish128()
    }

    /// The 128-bit hash, its 16 bytes read big-endian.
    package func hash128(_ bytes: [UInt8]) -> UInt128 {
        bytes.withUnsafeBytes { hash128($0) }
    }

    /// The summand of a checksum: the hash of a record's 16-byte id, an 8-byte big-endian counter and the
    /// collection's canonical bytes.
    ///
    /// The collection comes last: that of a built-in one fits beside the length, and costs no round.
    package func checksum(_ name: RecordName, _ counter: UInt64) -> UInt128 {
        var state = State(key0, key1, wide: true)
        state.word(UInt64(truncatingIfNeeded: name.id.value >> 64).byteSwapped)
        state.word(UInt64(truncatingIfNeeded: name.id.value).byteSwapped)
        state.word(counter.byteSwapped)
        if case .number(let number) = name.collection, number < 24 {
            state.tail(UInt64(number), byteCount: 25)
        } else {
            var writer = CanonicalWriter()
            BodyCodec.write(name.collection, to: &writer)
            writer.bytes.withUnsafeBytes { state.absorb($0, after: 24) }
        }
        return state.finish128()
    }
}

extension SipHash {
    private struct State {
        var v0: UInt64
        var v1: UInt64
        var v2: UInt64
        var v3: UInt64

        init(_ key0: UInt64, _ key1: UInt64, wide: Bool) {
            v0 = 0x736f_6d65_7073_6575 ^ key0
            v1 = 0x646f_7261_6e64_6f6d ^ key1 ^ (wide ? 0xee : 0)
            v2 = 0x6c79_6765_6e65_7261 ^ key0
            v3 = 0x7465_6462_7974_6573 ^ key1
        }

        @inline(__always)
        mutating func round() {
            v0 &+= v1
            v2 &+= v3
            v1 = (v1 << 13 | v1 >> 51) ^ v0
            v3 = (v3 << 16 | v3 >> 48) ^ v2
            v0 = v0 << 32 | v0 >> 32
            v2 &+= v1
            v0 &+= v3
            v1 = (v1 << 17 | v1 >> 47) ^ v2
            v3 = (v3 << 21 | v3 >> 43) ^ v0
            v2 = v2 << 32 | v2 >> 32
        }

        @inline(__always)
        mutating func word(_ value: UInt64) {
            v3 ^= value
            round()
            round()
            v0 ^= value
        }

        @inline(__always)
        mutating func tail(_ rest: UInt64, byteCount: Int) {
            word(rest | UInt64(truncatingIfNeeded: byteCount) << 56)
        }

        /// - Parameter count: how many bytes came before, in whole words.
        mutating func absorb(_ bytes: UnsafeRawBufferPointer, after count: Int = 0) {
            var offset = 0
            while offset + 8 <= bytes.count {
                word(
                    UInt64(
                        littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
                offset += 8
            }
            var rest: UInt64 = 0
            var shift: UInt64 = 0
            while offset < bytes.count {
                rest |= UInt64(bytes[offset]) << shift
                shift += 8
                offset += 1
            }
            tail(rest, byteCount: count + bytes.count)
        }

        mutating func finish64() -> UInt64 {
            v2 ^= 0xff
            for _ in 0..<4 { round() }
            return v0 ^ v1 ^ v2 ^ v3
        }

        mutating func finish128() -> UInt128 {
            v2 ^= 0xee
            for _ in 0..<4 { round() }
            let first = v0 ^ v1 ^ v2 ^ v3
            v1 ^= 0xdd
            for _ in 0..<4 { round() }
            let second = v0 ^ v1 ^ v2 ^ v3
            return UInt128(first.byteSwapped) << 64 | UInt128(second.byteSwapped)
        }
    }
}

extension SipHash {
    /// The summand of a digest: the hash of a record's id, clock and body, which begins with the collection.
    ///
    /// Hashed are the 16 bytes of the id, the clock as a CBOR array of full replica ids and counters by
    /// turns, and the body with all its values. Source: Protocol/2-Values.md.
    package func content(_ id: RecordID, _ clock: VersionVector, _ body: [UInt8]) -> UInt128 {
        var writer = CanonicalWriter()
        writer.bytes.reserveCapacity(body.count + 64)
        writer.raw(id.value)
        writer.array(clock.entries.count * 2)
        for entry in clock.entries {
            writer.identifier(entry.replica.value)
            writer.unsigned(entry.counter)
        }
        writer.bytes.append(contentsOf: body)
        return hash128(writer.bytes)
    }
}

extension SipHash {
    /// The name of a record at a relay of a space without encryption: it hides nothing, and is as long as one
    /// that does.
    ///
    /// Hashed are the 16 bytes of the id and the collection in CBOR. Source: Protocol/10-Relay.md.
    package static func relayName(of name: RecordName) -> RecordName {
        RecordName(.relayed, RecordID(value: SipHash().hash128(name.bytes)))
    }
}

extension SipHash {
    /// The hash of checksums, to compare them at once: replica ids and checksums other than 0, sorted.
    ///
    /// Hashed are the 16 bytes of each replica id and the 16 of its checksum by turns. Source:
    /// Protocol/2-Values.md.
    package func clocks(
        _ checksums: some Sequence<(replica: ReplicaID, checksum: UInt128)>
    ) -> UInt128 {
        var writer = CanonicalWriter()
        let named = checksums.filter { $0.checksum != 0 }
        for (replica, checksum) in named.sorted(by: { $0.replica < $1.replica }) {
            writer.raw(replica.value)
            writer.raw(checksum)
        }
        return hash128(writer.bytes)
    }
}

extension SipHash {
    /// The recovered id under which a value is kept that cannot keep its dot.
    ///
    /// Hashed are the 16 bytes of the record's id, then in CBOR its collection, the dot's replica and counter,
    /// the field and the value. Source: Protocol/4-Merge.md, section 13.
    package func recoveredID(
        of name: RecordName, _ dot: Dot, _ assignment: Assignment
    ) -> ReplicaID {
        var writer = CanonicalWriter(name.bytes)
        writer.identifier(dot.replica.value)
        writer.unsigned(dot.counter)
        BodyCodec.write(assignment.field, to: &writer)
        if case .clock(let clock) = assignment.value {
            writer.array(clock.entries.count * 2)
            for entry in clock.entries {
                writer.identifier(entry.replica.value)
                writer.unsigned(entry.counter)
            }
        } else {
            assignment.value.write(to: &writer)
        }
        return .recoveredID(hash128(writer.bytes))
    }
}
