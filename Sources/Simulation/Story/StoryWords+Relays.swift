/// What relays are for, what befalls them, and how they lie.
extension StoryWords {
    static let relays: [StoryForm] = [
        .action(
            "DEVICE visits RELAY", "A whole session with a relay.", "laptop visits harbor"
        ) { .visit(device: $0.name(), relay: $0.name()) },
        .action(
            "RELAY is wiped", "All that it kept is gone, and it begins anew.", "harbor is wiped"
        ) { .wipe(relay: $0.name()) },
        .action(
            "DEVICE changes the secret",
            "The space gets a new one, left in an envelope for each other device that is known of.",
            "laptop changes the secret"
        ) { .changeSecret(device: $0.name()) },
        .action(
            "DEVICE learns the secret", "The newest one, as from a code.",
            "phone learns the secret"
        ) { .learnSecret(device: $0.name()) },
        lie(
            "withholds every second change", "It passes the statements on that vouch for it.",
            .withholding),
        .action(
            "RELAY withholds everything from DEVICE", "Changes and statements.",
            "harbor withholds everything from phone"
        ) { .lie(relay: $0.name(), .withholdingFrom(device: $0.name())) },
        lie("repeats old changes", "Whatever it ever got comes with what is new.", .repeating),
        lie("tampers with bodies", "A bit of each is another.", .tampering),
        lie("swaps records", "Bodies come under ids of other records.", .swappingRecords),
        lie("raises clocks", "Changes claim writes that nobody made.", .raisingClocks),
        lie(
            "replays old statements", "Each device's first one in place of its last.",
            .replayingStatements),
        lie("swaps statements", "They come under other devices' names.", .swappingStatements),
        lie(
            "claims to have everything", "It acknowledges what it is given and keeps none of it.",
            .claimingUploads),
        lie(
            "claims to have sent everything", "It begins behind what the device has not read.",
            .claimingReads),
        lie(
            "keeps letters back", "Devices with older secrets get none, and none are taken.",
            .keepingLetters),
        .action(
            "RELAY is honest again", "No lie is left.", "harbor is honest again"
        ) { .beHonest(relay: $0.name()) },
    ]

    private static func lie(_ words: String, _ meaning: String, _ lie: RelayLie) -> StoryForm {
        .action("RELAY \(words)", meaning, "harbor \(words)") { .lie(relay: $0.name(), lie) }
    }
}
