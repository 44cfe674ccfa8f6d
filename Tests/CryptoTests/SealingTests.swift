#if Encryption
    import Core
    import Crypto
    import Testing

    /// The expected bytes were made by another implementation: Python's `cryptography`, from
    /// Protocol/9-Sealing.md.
    @Suite("Sealing")
    struct SealingTests {
        private static let space = SpaceID(value: number(from: 16))
        private static let record = RecordID(value: number(from: 32))
        private static let replica = ReplicaID(value: number(from: 48))
        private static let clock = VersionVector(Dot(replica: replica, counter: 5))

        /// Sixteen bytes that count up.
        private static func number(from first: UInt128) -> UInt128 {
            (0..<16).reduce(0) { $0 << 8 | (first + $1) }
        }

        private func keys(
            generation: UInt32 = 3, first: UInt8 = 0, space: SpaceID = space
        ) throws -> SpaceKeys {
            let bytes = (0..<32).map { first + UInt8($0) }
            let secret = try #require(SpaceSecret(bytes: bytes, generation: generation))
            return try SpaceKeys(secret, space: space)
        }

        private func hexadecimal(_ bytes: [UInt8]) -> String {
            bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        }

        @Test("HKDF gives the first and third vector of RFC 5869")
        func derivation() throws {
            let secret = [UInt8](repeating: 0x0b, count: 22)
            let first = try KeyDerivation.key(
                from: secret, salt: Array(0...12), info: Array(0xf0...0xf9), byteCount: 42)
            #expect(
                hexadecimal(first)
                    == "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208"
                    + "d5b887185865")
            let third = try KeyDerivation.key(from: secret, salt: [], info: [], byteCount: 42)
            #expect(
                hexadecimal(third)
                    == "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395"
                    + "faa4b61a96c8")
        }

        @Test("a body is sealed as the page says, byte for byte, and opens again")
        func change() throws {
            let sealer = try Sealer(keys())
            let body = Array("strictly private".utf8)
            let sealed = try sealer.seal(body, of: Self.record, clock: Self.clock)
            #expect(
                hexadecimal(sealed)
                    == "0100000003d8e4fac2f2d8250ae0bdc44d1f057c3fd2e9a0c9a389b7d25854b3eb1752f3"
                    + "f45bbfe6f1c1ce3d2b81f171db2fa6ede7d9088c66baab471a017e05bdc05bfda218ebbf"
                    + "49eb55849c682511606f53623c")
            #expect(try sealer.open(sealed, of: Self.record, clock: Self.clock) == body)
        }

        @Test(
            "a record is named for relays as the page says, and by its collection as well as its id"
        )
        func names() throws {
            let namer = RecordNamer(try keys())
            let rows: [(CollectionID, String)] = [
                (.number(1), "44111eb99daccd2a9fd19f5844d197e6"),
                (.text("books"), "b356a068d51f8595013699299669de07"),
            ]
            for (collection, expected) in rows {
                let name = try namer.relayName(of: RecordName(collection, Self.record))
                #expect(name.collection == .relayed)
                #expect(hexadecimal(name.id.bytes) == expected)
            }
            let record = RecordName(.number(1), Self.record)
            for other in [
                try keys(generation: 4), try keys(first: 1), try keys(space: SpaceID(value: 1)),
            ] {
                #expect(try RecordNamer(other).relayName(of: record) != namer.relayName(of: record))
            }
        }

        @Test("a summary row is sealed as the page says, and opens with its key and number only")
        func summaryRow() throws {
            let sealer = try Sealer(keys())
            let about = ReplicaID(value: Self.number(from: 64))
            let rows: [(SummaryRow.Key, String)] = [
                (
                    SummaryRow.Key(Self.replica, about: about),
                    "0100000003a959ae050d27309f5f39049a97557e27c5896cd07eceb37362492c72bcdeae6f"
                        + "547563fedddfdf9c30edc21e2c6e8fe04ef5425c3a0c7bf4a8473eb7d2f8573bf5"
                        + "84152821fd44a5f03f8df48b692318"
                ),
                (
                    SummaryRow.Key(Self.replica, about: nil),
                    "010000000356be0f5cac0af22d147dfd0b5541195c5f91680b3cfbe4e674a54fe980f4cd3e"
                        + "a8b4641c69a484cb88dc48d7fcbe4a207435dff2c15a103195aeec36c03c6519e7"
                        + "455101e3f409f44cbf0690de2820a2"
                ),
            ]
            for (key, expected) in rows {
                let sealed = try sealer.seal(Array("row".utf8), ofRow: key, numbered: 7)
                #expect(hexadecimal(sealed) == expected)
                #expect(try sealer.open(sealed, ofRow: key, numbered: 7) == Array("row".utf8))
                #expect(throws: SealFault.notAuthentic) {
                    try sealer.open(sealed, ofRow: key, numbered: 8)
                }
                let others = [
                    SummaryRow.Key(about, about: key.about),
                    SummaryRow.Key(Self.replica, about: ReplicaID(value: 1)),
                    SummaryRow.Key(Self.replica, about: key.about == nil ? about : nil),
                ]
                for other in others {
                    #expect(throws: SealFault.notAuthentic) {
                        try sealer.open(sealed, ofRow: other, numbered: 7)
                    }
                }
            }
        }

        @Test("with one bit changed anywhere it does not open")
        func bits() throws {
            let sealer = try Sealer(keys())
            let sealed = try sealer.seal([1, 2, 3], of: Self.record, clock: Self.clock)
            for index in sealed.indices {
                for bit in 0..<8 {
                    var changed = sealed
                    changed[index] ^= 1 << UInt8(bit)
                    #expect(throws: SealFault.self) {
                        try sealer.open(changed, of: Self.record, clock: Self.clock)
                    }
                }
            }
            for count in 0..<sealed.count {
                #expect(throws: SealFault.self) {
                    try sealer.open(Array(sealed[..<count]), of: Self.record, clock: Self.clock)
                }
            }
        }

        @Test("moved to another record, clock, space, secret or kind it does not open")
        func indexes() throws {
            let sealer = try Sealer(keys())
            let sealed = try sealer.seal([1, 2, 3], of: Self.record, clock: Self.clock)
            let later = VersionVector(Dot(replica: Self.replica, counter: 6))
            #expect(throws: SealFault.notAuthentic) {
                try sealer.open(sealed, of: RecordID(value: 1), clock: Self.clock)
            }
            #expect(throws: SealFault.notAuthentic) {
                try sealer.open(sealed, of: Self.record, clock: later)
            }
            #expect(throws: SealFault.notAuthentic) {
                let key = SummaryRow.Key(Self.replica, about: nil)
                _ = try sealer.open(sealed, ofRow: key, numbered: 5)
            }
            for other in [try keys(first: 1), try keys(space: SpaceID(value: 1))] {
                #expect(throws: SealFault.notAuthentic) {
                    try Sealer(other).open(sealed, of: Self.record, clock: Self.clock)
                }
            }
            #expect(throws: SealFault.otherGeneration(3)) {
                try Sealer(keys(generation: 4)).open(sealed, of: Self.record, clock: Self.clock)
            }
        }

        @Test("a body of any length opens again, and few lengths are seen")
        func lengths() throws {
            let sealer = try Sealer(keys())
            var seen: Set<Int> = []
            for count in 0...1200 {
                let body = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
                let sealed = try sealer.seal(body, of: Self.record, clock: Self.clock)
                seen.insert(sealed.count)
                #expect(try sealer.open(sealed, of: Self.record, clock: Self.clock) == body)
            }
            #expect(seen.count <= 40)
            for count in [10_000, 262_143, 1 << 20] {
                let padded = Padding.length(for: count)
                #expect(padded > count && Double(padded) < Double(count) * 1.12)
            }
        }

        @Test("what is too long is not sealed")
        func tooLong() throws {
            let body = [UInt8](repeating: 0, count: Sealer.contentByteCountMax + 1)
            #expect(throws: SealFault.tooLong(max: Sealer.contentByteCountMax)) {
                try Sealer(keys()).seal(body, of: Self.record, clock: Self.clock)
            }
        }

        @Test("a padding that is not the one it would be given is refused")
        func padding() {
            for bad in [[], [0], [0x80], [UInt8](repeating: 0, count: 64)] as [[UInt8]] {
                #expect(Padding.content(bad) == nil)
            }
            var long = Padding.padded([1])
            long += [UInt8](repeating: 0, count: 64)
            #expect(Padding.content(long) == nil)
        }

        @Test("a proof of access is the one of RFC 8032 over what the page says")
        func access() throws {
            let key = try AccessKey(keys())
            let channel = [UInt8](repeating: 7, count: 32)
            #expect(
                hexadecimal(key.verifier)
                    == "0f71a0978e0c107bd89ffedd0a539b041990a141063161155757c0419adede27")
            let proof = try key.proof(channel: channel)
            #expect(
                hexadecimal(proof)
                    == "205318b543267f09a02d1048e541698109575285794a869e16e45ebc119250075a5d583d"
                    + "ed2b109260588f14147f04401bae21d47e109ef8b90d610aa685890e")
            func isValid(_ proof: [UInt8], _ channel: [UInt8], _ generation: UInt32) -> Bool {
                AccessKey.isValid(
                    proof: proof, verifier: key.verifier, space: Self.space,
                    generation: generation, channel: channel)
            }
            #expect(isValid(proof, channel, 3))
            #expect(!isValid(proof, [UInt8](repeating: 8, count: 32), 3))
            #expect(!isValid(proof, channel, 4))
            #expect(!isValid([], channel, 3))
            #expect(!isValid(try AccessKey(keys(first: 1)).proof(channel: channel), channel, 3))
        }

        @Test("only the owner of a generation names the next one")
        func succession() throws {
            let (old, next) = (try AccessKey(keys()), try AccessKey(keys(generation: 4, first: 9)))
            let word = try old.succession(of: next)
            func isValid(_ word: [UInt8], next: [UInt8], generation: UInt32 = 4) -> Bool {
                AccessKey.isValid(
                    succession: word, verifier: old.verifier, space: Self.space,
                    generation: generation, next: next)
            }
            #expect(isValid(word, next: next.verifier))
            #expect(!isValid(word, next: old.verifier))
            #expect(!isValid(word, next: next.verifier, generation: 5))
            #expect(!isValid(try next.succession(of: next), next: next.verifier))
        }

        @Test("an envelope opens for its device alone, and not when a bit of it was changed")
        func envelope() throws {
            let device = [UInt8](repeating: 11, count: 32)
            let other = [UInt8](repeating: 12, count: 32)
            let ephemeral = [UInt8](repeating: 13, count: 32)
            let secret = try #require(
                SpaceSecret(bytes: (100..<132).map { $0 }, generation: 4))
            let envelope = try SecretEnvelope.close(
                secret, of: Self.space, for: SecretEnvelope.shown(device), ephemeral: ephemeral)
            #expect(
                try SecretEnvelope.open(envelope, of: Self.space, with: device) == secret)
            #expect(throws: SealFault.self) {
                try SecretEnvelope.open(envelope, of: Self.space, with: other)
            }
            #expect(throws: SealFault.self) {
                try SecretEnvelope.open(envelope, of: SpaceID(value: 1), with: device)
            }
            for index in envelope.indices {
                var changed = envelope
                changed[index] ^= 1
                #expect(throws: SealFault.self) {
                    try SecretEnvelope.open(changed, of: Self.space, with: device)
                }
            }
            #expect(throws: SealFault.notAuthentic) {
                try SecretEnvelope.close(
                    secret, of: Self.space, for: [UInt8](repeating: 0, count: 32),
                    ephemeral: ephemeral)
            }
        }

        @Test("a secret says its generation, never itself")
        func description() throws {
            let secret = try #require(
                SpaceSecret(bytes: [UInt8](repeating: 65, count: 32), generation: 2))
            #expect("\(secret)".hasSuffix(" 2") && !"\(secret)".contains("AAAA"))
            #expect(SpaceSecret(bytes: [1], generation: 1) == nil)
            #expect(SpaceSecret(bytes: secret.bytes, generation: 0) == nil)
        }
    }
#endif
