import Simulation

extension ScenarioFormTests {
    /// Forms that speak of relays.
    static let relays: [(line: String, event: ScenarioEvent)] = [
        ("laptop visits harbor", .relay(.visit(device: "laptop", relay: "harbor"))),
        ("laptop connects to harbor", .meeting(.connect("laptop", "harbor"))),
        ("laptop starts to sync with harbor", .meeting(.startSync("laptop", "harbor"))),
        (
            "laptop visits harbor as a reader",
            .relay(.visitAsReader(device: "laptop", relay: "harbor"))
        ),
        ("harbor is wiped", .relay(.wipe(relay: "harbor"))),
        ("harbor damages milk", .relay(.damage(relay: "harbor", item: "milk"))),
        ("harbor is given a forged milk", .relay(.forge(relay: "harbor", item: "milk"))),
        ("harbor is given a later forged milk", .relay(.forgeLater(relay: "harbor", item: "milk"))),
        ("harbor loses all of milk", .relay(.lose(relay: "harbor", item: "milk"))),
        (
            "harbor is given a false statement of phone about laptop",
            .relay(.stateFalsely(relay: "harbor", speaker: "phone", author: "laptop"))
        ),
        ("laptop changes the secret", .secret(.changeSecret(device: "laptop"))),
        ("phone learns the secret", .secret(.learnSecret(device: "phone"))),
        ("phone changes the secret unaware", .secret(.changeSecretUnaware(device: "phone"))),
        ("phone leaves a secret far ahead", .secret(.leaveDistantSecret(device: "phone"))),
        ("harbor withholds every second change", .byzantine(.lie(relay: "harbor", .withholding))),
        (
            "harbor withholds everything from phone",
            .byzantine(.lie(relay: "harbor", .withholdingFrom(device: "phone")))
        ),
        ("harbor repeats old changes", .byzantine(.lie(relay: "harbor", .repeating))),
        ("harbor tampers with bodies", .byzantine(.lie(relay: "harbor", .tampering))),
        ("harbor swaps records", .byzantine(.lie(relay: "harbor", .swappingRecords))),
        ("harbor raises clocks", .byzantine(.lie(relay: "harbor", .raisingClocks))),
        ("harbor replays old summaries", .byzantine(.lie(relay: "harbor", .replayingSummaries))),
        ("harbor swaps summaries", .byzantine(.lie(relay: "harbor", .swappingSummaries))),
        ("harbor claims to have everything", .byzantine(.lie(relay: "harbor", .claimingUploads))),
        (
            "harbor claims to have sent everything",
            .byzantine(.lie(relay: "harbor", .claimingReads))
        ),
        (
            "harbor keeps rekey messages back",
            .byzantine(.lie(relay: "harbor", .keepingRekeyMessages))
        ),
        ("harbor is honest again", .byzantine(.beHonest(relay: "harbor"))),
        ("harbor pauses", .database(.pause(relay: "harbor"))),
        ("harbor goes on", .database(.goOn(relay: "harbor"))),
        (
            "the database commits for harbor after 2 seconds",
            .database(.delayCommits(relay: "harbor", milliseconds: 2_000))
        ),
        (
            "the database answers harbor after 20 ms",
            .database(.delayAnswers(relay: "harbor", milliseconds: 20))
        ),
        ("the database serves harbor at once", .database(.serveAtOnce(relay: "harbor"))),
        (
            "harbor crashes after its next commit",
            .database(.crashAfterCommit(relay: "harbor"))
        ),
        (
            "harbor misses the next notice of depot",
            .database(.missNotice(relay: "harbor", other: "depot"))
        ),
        (
            "harbor misses the notices of depot",
            .database(.missNotices(relay: "harbor", other: "depot"))
        ),
        (
            "harbor hears the notices of depot again",
            .database(.hearNotices(relay: "harbor", other: "depot"))
        ),
        ("the standby behind harbor lags", .database(.keepStandbyBack(relay: "harbor"))),
        ("the standby behind harbor catches up", .database(.catchUp(relay: "harbor"))),
        ("the standby behind harbor is promoted", .database(.promote(relay: "harbor"))),
        (
            "the database of harbor has room for 3 records",
            .database(.limitRecords(relay: "harbor", count: 3))
        ),
        (
            "the database of harbor has room again",
            .database(.limitRecords(relay: "harbor", count: nil))
        ),
        (
            "expect harbor holds 2 versions of milk",
            .expect(Expectation(["harbor"], .versionCount(item: "milk", 2)))
        ),
    ]
}
