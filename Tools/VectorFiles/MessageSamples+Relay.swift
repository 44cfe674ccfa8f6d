import Core

/// What devices and relays say to each other.
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
