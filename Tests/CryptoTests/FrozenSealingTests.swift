#if Encryption
    import Core
    import Crypto
    import JSON
    import TestSupport
    import Testing
    import VectorFiles

    @Suite("Frozen sealing")
    struct FrozenSealingTests {
        private static let space = SpaceID(value: 0x0011_2233_4455_6677_8899_aabb_ccdd_eeff)
        private static let record = RecordID(value: 0x0190_0000_0000_7000_8000_0000_0000_0001)
        private static let alice = ReplicaID(value: 0xa1 << 120 | 1)
        private static let bob = ReplicaID(value: 0xb2 << 120 | 2)
        private static let clocks = [
            VersionVector(Dot(replica: alice, counter: 5)),
            VersionVector(unsorted: [
                .init(replica: alice, counter: 300), .init(replica: bob, counter: 7),
            ]),
        ]

        private func hex(_ name: String, _ bytes: [UInt8]) -> JSON.Pair {
            .init(name, .text(HexText.encode(bytes)))
        }

        @Test("bodies, their padding and the keys of two generations are as in the vectors")
        func bodies() throws {
            var cases: [JSON] = []
            for generation in [UInt32(1), 258] {
                let secret = try #require(SpaceSecret(bytes: Array(0..<32), generation: generation))
                let keys = try SpaceKeys(secret, space: Self.space)
                let sealer = try Sealer(keys)
                let verifier = try AccessKey(keys).verifier
                for (count, clock) in [
                    (0, 0), (1, 0), (63, 0), (64, 1), (255, 0), (256, 1), (270, 0), (300, 0),
                    (1_000, 1),
                ] {
                    let body = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7 + 1) }
                    let sealed = try sealer.seal(body, of: Self.record, clock: Self.clocks[clock])
                    #expect(
                        try sealer.open(sealed, of: Self.record, clock: Self.clocks[clock]) == body)
                    let padded = Padding.padded(body)
                    cases.append(
                        .object([
                            .init("name", .text("\(count) bytes, generation \(generation)")),
                            hex("secret", secret.bytes),
                            .init("generation", .number(UInt64(generation))),
                            hex("space", Self.space.bytes), hex("record", Self.record.bytes),
                            .init(
                                "clock",
                                .list(
                                    Self.clocks[clock].entries.map {
                                        .list([
                                            .text(HexText.encode($0.replica.bytes)),
                                            .number($0.counter),
                                        ])
                                    })),
                            hex("body", body), hex("verifier", verifier),
                            .init("paddedLength", .number(UInt64(padded.count))),
                            hex("sealed", sealed),
                        ]))
                }
            }
            #expect(
                FrozenFile.difference(JSON.list(cases).file, from: "Vectors/sealed-bodies.json")
                    == nil)
        }

        @Test(
            "the names of records at relays are as in the vectors: each collection, id, space and generation has another"
        )
        func relayNames() throws {
            var cases: [JSON] = []
            var names: Set<RecordName> = []
            let others = [RecordID(value: 0), RecordID(value: .max)]
            let collections: [CollectionID] = [
                .number(1), .number(23), .number(24), .number(.max), .text("books"),
                .text(String(repeating: "x", count: 256)),
            ]
            let records =
                collections.map { RecordName($0, Self.record) }
                + others.map { RecordName(.number(1), $0) }
            for (generation, space) in [
                (UInt32(1), Self.space), (258, Self.space), (1, SpaceID(value: 1)),
            ] {
                let secret = try #require(SpaceSecret(bytes: Array(0..<32), generation: generation))
                let namer = RecordNamer(try SpaceKeys(secret, space: space))
                for record in records {
                    let name = try namer.relayName(of: record)
                    #expect(names.insert(name).inserted)
                    let collection: JSON =
                        switch record.collection {
                        case .number(let number): .number(UInt64(number))
                        case .text(let text): .text(text)
                        }
                    cases.append(
                        .object([
                            .init("name", .text("case \(cases.count + 1)")),
                            hex("secret", secret.bytes),
                            .init("generation", .number(UInt64(generation))),
                            hex("space", space.bytes), .init("collection", collection),
                            hex("id", record.id.bytes), hex("relayName", name.id.bytes),
                        ]))
                }
            }
            #expect(
                FrozenFile.difference(JSON.list(cases).file, from: "Vectors/relay-names.json")
                    == nil)
        }
    }
#endif
