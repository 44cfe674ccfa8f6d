import Core

/// At least one message of every kind, with and without what may be left out.
package enum MessageSamples {
    static let alice = ReplicaID(value: 0xa1 << 120 | 1)
    static let bob = ReplicaID(value: 0xb2 << 120 | 2)
    static let carol = ReplicaID(value: 0xc3 << 120 | 3)
    static let space = SpaceID(value: 0x0011_2233_4455_6677_8899_aabb_ccdd_eeff)
    static let milk = RecordName(
        .number(1), RecordID(value: 0x0190_0000_0000_7000_8000_0000_0000_0001))
    static let bread = RecordName(
        .number(1), RecordID(value: 0x0190_0000_0000_7000_8000_0000_0000_0002))
    /// In another collection, with the id of `milk`.
    static let twin = RecordName(.text("books"), milk.id)

    static func vector(_ alice: UInt64, _ bob: UInt64 = 0, _ carol: UInt64 = 0) -> VersionVector {
        VersionVector(
            unsorted: [
                .init(replica: Self.alice, counter: alice), .init(replica: Self.bob, counter: bob),
                .init(replica: Self.carol, counter: carol),
            ])
    }

    private static let incarnation = Incarnation(
        epoch: EpochID(value: 0x1122_3344_5566_7788), counter: 40)
    private static let other = Incarnation(epoch: EpochID(value: 0xfedc_ba98_7654_3210), counter: 7)

    private static let stateSummary = StateSummary(
        entries: [
            StateSummaryEntry(
                replica: alice, counter: 42, checksum: 0x0123_4567_89ab_cdef, seen: 42),
            StateSummaryEntry(replica: bob, counter: 7, checksum: .max, seen: 9),
            StateSummaryEntry(replica: carol, counter: 0, checksum: 0, seen: 300),
        ], digest: 0x8000_0000_0000_0000_0000_0000_0000_0001)

    private static let checkpoint = Checkpoint(epoch: other.epoch, sequence: 65_536)

    /// The messages of every kind but `changes`, with names.
    package static let messages: [(name: String, message: Message)] =
        hellos + peerCheckpoints + [
            ("acknowledge, 3 batches", .acknowledge(3)),
            (
                "caught up, all said",
                .caughtUp(
                    CaughtUp(
                        through: checkpoint, changed: stateSummary.entries, digest: 5,
                        sum: stateSummary.sum(SipHash())))
            ),
            (
                "caught up, a change deferred",
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
                        milk, clock: vector(42, 7), byteCount: 1_000_000, offset: 524_288,
                        bytes: [1, 2, 3]))
            ),
            (
                "part, of a deferred body",
                .part(
                    BodyPart(
                        milk, clock: vector(42, 7), byteCount: 1_000_000, offset: 524_288,
                        bytes: [1, 2, 3], isDeferred: true))
            ),
            (
                "part, the beginning of a long clock",
                .part(
                    BodyPart(
                        milk, clock: vector(42, 7), byteCount: 3, offset: 0, bytes: [],
                        isClockCut: true))
            ),
            (
                "part, the end of a long clock",
                .part(
                    BodyPart(
                        milk, clock: vector(0, 0, 1), byteCount: 3, offset: 0, bytes: [1, 2, 3]))
            ),
            (
                "summary ranges, sums",
                .summaryRanges(
                    SummaryRanges([
                        .init(upper: 0xa2 << 120, .sum(.max)), .init(upper: bob.value, .known),
                        .init(upper: nil, .sum(0)),
                    ]))
            ),
            (
                "summary ranges, entries",
                .summaryRanges(
                    SummaryRanges([
                        .init(upper: 0xb2 << 120, .entries([])),
                        .init(upper: nil, .answer(Array(stateSummary.entries.dropFirst()))),
                    ]))
            ),
            (
                "summary ranges, a page",
                .summaryRanges(SummaryRanges([.init(upper: 0xa2 << 120, .known)]))
            ),
            ("summary page, three entries", .summaryPage(SummaryPage(stateSummary.entries))),
            ("summary list, three entries", .summaryList(SummaryList(stateSummary.entries))),
            ("summary list, nothing", .summaryList(SummaryList([]))),
            (
                "caught up, with a summary sequence",
                .caughtUp(
                    CaughtUp(
                        through: checkpoint, changed: [], digest: 5, summarySequence: 65_537))
            ),
            ("want, two records", .want([bread, milk])),
            ("want, one id in two collections", .want([twin, milk])),
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
                "error, from a relay of which other processes go on",
                .error(
                    PeerError(
                        .busy, reason: .elsewhere, "this process ends", side: .speaker,
                        advice: "take the next address"))
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
                    History(replica: alice, counter: 42, incarnations: [other, incarnation]))
            ),
            (
                "history, of nothing",
                .history(History(replica: alice, counter: 0, incarnations: []))
            ),
            ("ignorable, the first of these kinds", .ignorable(128)),
            ("ignorable, kind 70,000", .ignorable(70_000)),
        ] + relayMessages

    private static func hello(
        _ stateSummary: StateSummary?, _ peerCheckpoint: PeerCheckpoint?, reached: UInt64?,
        _ features: Hello.Features = [], summarySequence: UInt64 = 0
    ) -> Message {
        .hello(
            Hello(
                space: space, policy: .deletesWin, replica: alice, incarnation: incarnation,
                summary: stateSummary?.head(SipHash()), features: features,
                peerCheckpoint: peerCheckpoint, counter: reached == 0 ? 0 : 42, reached: reached,
                summarySequence: summarySequence))
    }

    private static let hellos: [(name: String, message: Message)] = [
        ("hello, a first meeting", hello(stateSummary, nil, reached: 99)),
        ("hello, of an empty store", hello(StateSummary(entries: [], digest: 0), nil, reached: 0)),
        (
            "hello, remembering a peer",
            hello(
                stateSummary,
                PeerCheckpoint(peer: bob, checkpoint: checkpoint, counter: 7, epoch: other.epoch),
                reached: 99, .live)
        ),
        (
            "hello, remembering a stranger and another epoch",
            hello(
                stateSummary,
                PeerCheckpoint(
                    peer: ReplicaID(value: 77), checkpoint: checkpoint, counter: 7,
                    epoch: incarnation.epoch), reached: nil)
        ),
        (
            "hello, an answer with an equal statement",
            hello(
                nil, PeerCheckpoint(peer: nil, checkpoint: checkpoint, counter: 7, epoch: nil),
                reached: 12)
        ),
        (
            "hello, of a state summary that was adopted before",
            hello(
                stateSummary,
                PeerCheckpoint(
                    peer: bob, checkpoint: checkpoint, counter: 7, epoch: other.epoch,
                    summary: Checkpoint(epoch: other.epoch, sequence: 70_000)),
                reached: 99, summarySequence: 101)
        ),
    ]

    private static let peerCheckpoints: [(name: String, message: Message)] = [
        (
            "recollect, with a summary checkpoint",
            .peerCheckpoint(
                PeerCheckpoint(
                    peer: nil, checkpoint: checkpoint, counter: 7, epoch: nil,
                    summary: Checkpoint(epoch: incarnation.epoch, sequence: 9)))
        ),
        (
            "recollect, all",
            .peerCheckpoint(
                PeerCheckpoint(peer: bob, checkpoint: checkpoint, counter: 7, epoch: other.epoch))
        ),
        (
            "recollect, nothing",
            .peerCheckpoint(
                PeerCheckpoint(peer: bob, checkpoint: nil, counter: 0, epoch: nil))
        ),
        (
            "recollect, a counter of another epoch",
            .peerCheckpoint(
                PeerCheckpoint(peer: nil, checkpoint: nil, counter: 7, epoch: incarnation.epoch))
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
                    incarnations: [
                        .init(replica: alice, start: incarnation),
                        .init(replica: bob, start: other),
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
            "changes, one id in two collections",
            .changes(
                ChangeBatch(
                    changes: [
                        change(milk, RecordSamples.todo), change(twin, RecordSamples.todo),
                    ], through: checkpoint))
        ),
        (
            "changes, to a relay",
            .changes(
                ChangeBatch(
                    changes: [
                        Change(
                            SipHash.relayName(of: milk), clock: vector(1), body: [1, 2, 3])
                    ], through: checkpoint))
        ),
        (
            "changes, the second deferred",
            .changes(
                ChangeBatch(
                    changes: [
                        change(milk, RecordSamples.todo),
                        Change(milk, clock: vector(1, 2), body: [0x80], isDeferred: true),
                    ],
                    through: checkpoint))
        ),
    ]

    private static func change(
        _ name: RecordName, _ record: RecordState, known: VersionVector? = nil
    ) -> Change {
        Change(
            name, clock: record.clock,
            body: BodyCodec.encode(record, in: name.collection, known: known))
    }
}

// MARK: Between devices and relays

extension MessageSamples {
    private static let relay = ReplicaID(value: 0xd4 << 120 | 4)
    private static let end = Checkpoint(
        epoch: EpochID(value: 0x1357_9bdf_0246_8ace), sequence: 99)
    private static let verifier = (0..<32).map { UInt8($0) }
    private static let proof = (0..<64).map { UInt8(255 - $0) }

    private static let rekeyMessage = RekeyMessage(
        generation: 2, verifier: verifier.reversed(), bytes: [1, 0, 0, 0, 2, 0xff])

    static let relayMessages: [(name: String, message: Message)] = [
        (
            "relay hello, a first one without encryption",
            .relayHello(RelayHello(space: space, replica: alice, features: [], generation: 0))
        ),
        (
            "relay hello, with a bookmark and a proof",
            .relayHello(
                RelayHello(
                    space: space, replica: alice, features: .live, generation: 1,
                    read: RelayHello.Bookmark(relay: relay, checkpoint: end),
                    access: RelayHello.Access(verifier: verifier, proof: proof)))
        ),
        (
            "relay hello, a new generation, with a token",
            .relayHello(
                RelayHello(
                    space: space, replica: alice, features: .live, generation: 2,
                    access: RelayHello.Access(
                        verifier: verifier, proof: proof, succession: proof.reversed()),
                    token: "caf\u{e9}"))
        ),
        (
            "relay hello reply, to a new store",
            .relayHelloReply(
                RelayHelloReply(
                    relay: relay, start: Checkpoint(epoch: end.epoch, sequence: 0), reached: 0))
        ),
        (
            "relay hello reply, back",
            .relayHelloReply(
                RelayHelloReply(relay: relay, start: end, reached: 300, uploaded: end))
        ),
        (
            "relay hello reply, with rekey messages",
            .relayHelloReply(
                RelayHelloReply(
                    relay: relay, start: end, reached: 300, uploaded: end,
                    rekeyMessages: [
                        RekeyMessage.Mark(verifier: verifier, hash: 1 << 127 | 5),
                        rekeyMessage.mark,
                    ]))
        ),
        (
            "relay hello reply, no rekey messages",
            .relayHelloReply(
                RelayHelloReply(relay: relay, start: end, reached: 300, rekeyMessages: []))
        ),
        ("rekey message", .rekeyMessage(rekeyMessage)),
        ("mailbox", .mailbox(MailboxOpening(id: 0xfeed << 64 | 5, isMaking: false))),
        ("mailbox, made", .mailbox(MailboxOpening(id: 7, isMaking: true))),
        ("mailbox item", .mailboxItem(MailboxItem([4, 0, 0xff]))),
        ("upload, nothing new", .uploadDone(UploadDone(through: end))),
        (
            "upload, an entry and the digests",
            .uploadDone(
                UploadDone(
                    through: end,
                    rows: [
                        SummaryRow(
                            SummaryRow.Key(alice, about: nil), number: 1,
                            bytes: summaryRows[0].content.bytes),
                        SummaryRow(
                            SummaryRow.Key(alice, about: bob), number: 300,
                            bytes: summaryRows[2].content.bytes),
                    ]))
        ),
        ("standing, no news", .downloadDone(DownloadDone(through: end))),
        (
            "standing, rows of two devices",
            .downloadDone(
                DownloadDone(
                    through: end,
                    rows: [
                        SummaryRow(
                            SummaryRow.Key(alice, about: nil), number: 0, bytes: [1, 2, 3]),
                        SummaryRow(
                            SummaryRow.Key(alice, about: alice), number: 2, bytes: [255]),
                        SummaryRow(SummaryRow.Key(bob, about: alice), number: 7, bytes: []),
                    ]))
        ),
        (
            "unreadable, two versions of one record",
            .unreadable(
                UnreadableVersions([
                    VersionMark(id: milk.id, hash: 1), VersionMark(id: milk.id, hash: .max),
                ]))
        ),
        (
            "unreadable, one that the relay does not have",
            .unreadable(
                UnreadableVersions(
                    [VersionMark(id: milk.id, hash: 2)],
                    unknown: [VersionMark(id: bread.id, hash: 3)]))
        ),
    ]

    /// The contents of summary rows, with names.
    static let summaryRows: [(name: String, content: SummaryRowContent)] = [
        ("digests", .digests(sum: 5, Digest(contents: 1 << 127))),
        ("digests, with deferred changes", .digests(sum: .max, Digest(contents: 1, clocks: 2))),
        (
            "an entry, with writes beyond the counter",
            .entry(StateSummaryEntry(replica: bob, counter: 7, checksum: .max, seen: 9), nil)
        ),
        (
            "an entry, with the incarnation",
            .entry(
                StateSummaryEntry(replica: alice, counter: 42, checksum: 7, seen: 42),
                Incarnation(epoch: end.epoch, counter: 40))
        ),
        (
            "an entry, with the incarnation and a request",
            .entry(
                StateSummaryEntry(replica: alice, counter: 42, checksum: 7, seen: 42),
                Incarnation(epoch: end.epoch, counter: 40), request: 2)
        ),
        (
            "a request of a device that has nothing of that replica",
            .entry(
                StateSummaryEntry(replica: bob, counter: 0, checksum: 0, seen: 0), nil, request: 1)
        ),
    ]
}
