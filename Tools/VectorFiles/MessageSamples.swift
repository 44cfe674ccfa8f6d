import Core

/// At least one message of every kind, with and without what may be left out.
package enum MessageSamples {
    static let alice = ReplicaID(value: 0xa1 << 120 | 1)
    static let bob = ReplicaID(value: 0xb2 << 120 | 2)
    static let carol = ReplicaID(value: 0xc3 << 120 | 3)
    static let space = SpaceID(value: 0x0011_2233_4455_6677_8899_aabb_ccdd_eeff)
    static let milk = RecordID(value: 0x0190_0000_0000_7000_8000_0000_0000_0001)
    static let bread = RecordID(value: 0x0190_0000_0000_7000_8000_0000_0000_0002)

    static func vector(_ alice: UInt64, _ bob: UInt64 = 0, _ carol: UInt64 = 0) -> VersionVector {
        VersionVector(
            unsorted: [
                .init(replica: Self.alice, counter: alice), .init(replica: Self.bob, counter: bob),
                .init(replica: Self.carol, counter: carol),
            ])
    }

    private static let opening = EpochStart(
        epoch: EpochID(value: 0x1122_3344_5566_7788), counter: 40)
    private static let other = EpochStart(epoch: EpochID(value: 0xfedc_ba98_7654_3210), counter: 7)

    private static let statement = Statement(
        entries: [
            StatementEntry(replica: alice, counter: 42, tally: 0x0123_4567_89ab_cdef, seen: 42),
            StatementEntry(replica: bob, counter: 7, tally: .max, seen: 9),
            StatementEntry(replica: carol, counter: 0, tally: 0, seen: 300),
        ], digest: 0x8000_0000_0000_0000_0000_0000_0000_0001)

    private static let checkpoint = Checkpoint(epoch: other.epoch, sequence: 65_536)

    /// The messages of every kind but `changes`, with names.
    package static let messages: [(name: String, message: Message)] =
        hellos + recollections + [
            ("acknowledge, 3 batches", .acknowledge(3)),
            (
                "caught up, all said",
                .caughtUp(
                    CaughtUp(through: checkpoint, changed: statement.entries, digest: 5))
            ),
            (
                "caught up, a change set aside",
                .caughtUp(
                    CaughtUp(
                        through: checkpoint, changed: [],
                        digest: Digest(contents: 5, clocks: 1 << 127)))
            ),
            (
                "caught up, nothing new",
                .caughtUp(
                    CaughtUp(through: checkpoint, changed: [], digest: nil))
            ),
            (
                "part, the middle of a body",
                .part(
                    BodyPart(
                        id: milk, clock: vector(42, 7), byteCount: 1_000_000, offset: 524_288,
                        bytes: [1, 2, 3]))
            ),
            (
                "part, of a body set aside",
                .part(
                    BodyPart(
                        id: milk, clock: vector(42, 7), byteCount: 1_000_000, offset: 524_288,
                        bytes: [1, 2, 3], isAside: true))
            ),
            ("want, two records", .want([bread, milk])),
            ("want, nothing", .want([])),
            ("ping", .ping(1)), ("pong", .pong(.max)), ("bye", .bye),
            (
                "error, another space",
                .error(
                    PeerError(
                        .foreignSpace, "this peer keeps another space", side: .both,
                        advice: "join the same space on both machines"))
            ),
            (
                "error, of a number unknown here",
                .error(
                    PeerError(code: 900, message: "caf\u{e9}", side: .hearer, advice: ""))
            ),
            (
                "error, refused because the device was revoked",
                .error(
                    PeerError(
                        .refused, reason: .revoked, "this device was revoked", side: .hearer,
                        advice: ""))
            ),
            (
                "error, with a reason unknown here",
                .error(
                    PeerError(code: 13, reason: 900, message: "", side: .both, advice: ""))
            ),
            ("repair", .repair), ("ask history", .askHistory),
            (
                "history, two openings",
                .history(
                    History(replica: alice, counter: 42, openings: [other, opening]))
            ),
            ("history, of nothing", .history(History(replica: alice, counter: 0, openings: []))),
            ("ignorable, the first of these kinds", .ignorable(128)),
            ("ignorable, kind 70,000", .ignorable(70_000)),
        ] + relayMessages

    private static func hello(
        _ statement: Statement?, _ recollection: Recollection?, reached: UInt64?,
        _ features: Hello.Features = []
    ) -> Message {
        .hello(
            Hello(
                space: space, policy: .deletesWin, replica: alice, opening: opening,
                statement: statement, features: features, recollection: recollection,
                reached: reached))
    }

    private static let hellos: [(name: String, message: Message)] = [
        ("hello, a first meeting", hello(statement, nil, reached: 99)),
        ("hello, of an empty store", hello(Statement(entries: [], digest: 0), nil, reached: 0)),
        (
            "hello, remembering a peer of the statement",
            hello(
                statement,
                Recollection(peer: bob, checkpoint: checkpoint, counter: 7, epoch: other.epoch),
                reached: 99, .live)
        ),
        (
            "hello, remembering a stranger and another epoch",
            hello(
                statement,
                Recollection(
                    peer: ReplicaID(value: 77), checkpoint: checkpoint, counter: 7,
                    epoch: opening.epoch), reached: nil)
        ),
        (
            "hello, an answer with an equal statement",
            hello(
                nil, Recollection(peer: nil, checkpoint: checkpoint, counter: 7, epoch: nil),
                reached: 12)
        ),
    ]

    private static let recollections: [(name: String, message: Message)] = [
        (
            "recollect, all",
            .recollect(
                Recollection(peer: bob, checkpoint: checkpoint, counter: 7, epoch: other.epoch))
        ),
        (
            "recollect, nothing",
            .recollect(
                Recollection(peer: bob, checkpoint: nil, counter: 0, epoch: nil))
        ),
        (
            "recollect, a counter of another epoch",
            .recollect(
                Recollection(peer: nil, checkpoint: nil, counter: 7, epoch: opening.epoch))
        ),
    ]

    /// Batches of changes, with names.
    package static let batches: [(name: String, message: Message)] = [
        ("changes, none", .changes(ChangeBatch(changes: [], through: checkpoint))),
        (
            "changes, one",
            .changes(ChangeBatch(changes: [change(milk, RecordSamples.todo)], through: checkpoint))
        ),
        (
            "changes, two with a table of three replicas and openings",
            .changes(
                ChangeBatch(
                    changes: [
                        change(milk, RecordSamples.conflict),
                        change(bread, RecordSamples.tombstone),
                    ],
                    through: checkpoint,
                    openings: [
                        .init(replica: alice, start: opening), .init(replica: bob, start: other),
                    ]))
        ),
        (
            "changes, out of turn",
            .changes(
                ChangeBatch(changes: [change(bread, RecordSamples.restored)], through: nil))
        ),
        (
            "changes, with values left out",
            .changes(
                ChangeBatch(
                    changes: [change(milk, RecordSamples.conflict, known: vector(3))],
                    through: checkpoint))
        ),
        (
            "changes, the second set aside",
            .changes(
                ChangeBatch(
                    changes: [
                        change(milk, RecordSamples.todo),
                        Change(id: milk, clock: vector(1, 2), body: [0x80], isAside: true),
                    ],
                    through: checkpoint))
        ),
    ]

    private static func change(
        _ id: RecordID, _ record: Record, known: VersionVector? = nil
    ) -> Change {
        Change(
            id: id, clock: record.clock,
            body: BodyCodec.encode(record, in: .number(1), known: known))
    }
}

// MARK: Between devices and relays

extension MessageSamples {
    private static let relay = ReplicaID(value: 0xd4 << 120 | 4)
    private static let place = Checkpoint(
        epoch: EpochID(value: 0x1357_9bdf_0246_8ace), sequence: 99)
    private static let verifier = (0..<32).map { UInt8($0) }
    private static let proof = (0..<64).map { UInt8(255 - $0) }

    private static let letter = Letter(
        generation: 2, verifier: verifier.reversed(), bytes: [1, 0, 0, 0, 2, 0xff])

    static let relayMessages: [(name: String, message: Message)] = [
        (
            "approach, a first one without encryption",
            .approach(Approach(space: space, replica: alice, features: [], generation: 0))
        ),
        (
            "approach, with a bookmark and a proof",
            .approach(
                Approach(
                    space: space, replica: alice, features: .live, generation: 1,
                    read: Approach.Bookmark(relay: relay, checkpoint: place),
                    access: Approach.Access(verifier: verifier, proof: proof)))
        ),
        (
            "approach, a new generation, with a token",
            .approach(
                Approach(
                    space: space, replica: alice, features: .live, generation: 2,
                    access: Approach.Access(
                        verifier: verifier, proof: proof, succession: proof.reversed()),
                    token: "caf\u{e9}"))
        ),
        (
            "welcome, to a new store",
            .welcome(
                Welcome(
                    relay: relay, start: Checkpoint(epoch: place.epoch, sequence: 0), reached: 0))
        ),
        (
            "welcome, back",
            .welcome(Welcome(relay: relay, start: place, reached: 300, uploaded: place))
        ),
        (
            "welcome, with letters",
            .welcome(
                Welcome(
                    relay: relay, start: place, reached: 300, uploaded: place,
                    letters: [
                        Letter.Mark(verifier: verifier, hash: 1 << 127 | 5),
                        letter.mark,
                    ]))
        ),
        (
            "welcome, no letters",
            .welcome(Welcome(relay: relay, start: place, reached: 300, letters: []))
        ),
        ("letter", .letter(letter)),
        ("upload", .upload(Upload(through: place, statement: declarations[1].declaration.bytes))),
        ("standing, no news", .standing(Standing(through: place, notices: []))),
        (
            "standing, two statements",
            .standing(
                Standing(
                    through: place,
                    notices: [
                        Standing.Notice(replica: alice, bytes: [1, 2, 3]),
                        Standing.Notice(replica: bob, bytes: []),
                    ]))
        ),
    ]

    /// Statements as devices give them to each other through a relay, with names.
    static let declarations: [(name: String, declaration: Declaration)] = [
        (
            "of an empty store",
            Declaration(statement: Statement(entries: [], digest: 0), openings: [])
        ),
        (
            "of two replicas, one opening known",
            Declaration(
                statement: Statement(
                    entries: [
                        StatementEntry(replica: alice, counter: 42, tally: 7, seen: 42),
                        StatementEntry(replica: bob, counter: 7, tally: .max, seen: 9),
                    ], digest: Digest(contents: 1 << 127)),
                openings: [
                    ChangeBatch.Opening(
                        replica: alice, start: EpochStart(epoch: place.epoch, counter: 40))
                ])
        ),
    ]
}
