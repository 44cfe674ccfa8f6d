/// The words of each action.
extension StoryWriter {
    /// The action as a line without its beginning and ending.
    static func words(of action: Action) -> String {
        people(action) ?? meetings(action) ?? machines(action) ?? relays(action)
            ?? clocksAndStrangers(action)
    }

    private static func people(_ action: Action) -> String? {
        switch action {
        case .create(let device, let item, let settings):
            "\(device) creates \(item)" + (settings.isEmpty ? "" : " ") + words(of: settings)
        case .edit(let device, let item, let settings):
            "\(device) edits \(item) " + words(of: settings)
        case .complete(let device, let item): "\(device) completes \(item)"
        case .reopen(let device, let item): "\(device) reopens \(item)"
        case .delete(let device, let item): "\(device) deletes \(item)"
        case .restore(let device, let item): "\(device) restores \(item)"
        case .purge(let device, let item, let isForced):
            "\(device) purges \(item)" + (isForced ? " by force" : "")
        case .resolve(let device, let item, let field, let literal):
            "\(device) resolves \(item) \(field) to \(value(literal))"
        case .openEditor(let device, let item): "\(device) opens \(item) in the editor"
        case .saveEditor(let device, let item, let settings):
            "\(device) saves \(item) with " + words(of: settings)
        default: nil
        }
    }

    private static func meetings(_ action: Action) -> String? {
        switch action {
        case .sync(let device, let other): "\(device) syncs with \(other)"
        case .startSync(let device, let other): "\(device) starts to sync with \(other)"
        case .connect(let device, let other): "\(device) connects to \(other)"
        case .disconnect(let device, let other): "\(device) disconnects from \(other)"
        case .syncAll: "everyone syncs"
        case .settle: "everything arrives"
        case .wait(let milliseconds): "wait \(StorySpan.text(milliseconds))"
        case .cut(let device, let other): "the link of \(device) and \(other) breaks"
        case .cutAfter(let device, let other, let bytes):
            "the link of \(device) and \(other) breaks after \(Counted.words(bytes, "byte"))"
        case .delay(let device, let other, let least, let most):
            "messages from \(device) to \(other) take \(StorySpan.text(least))"
                + " to \(StorySpan.text(most))"
        case .block(let device, let other): "\(device) cannot reach \(other)"
        case .unblock(let device, let other): "\(device) can reach \(other) again"
        case .partition(let groups):
            "the network splits into "
                + groups.map { $0.joined(separator: ", ") }.joined(separator: " and ")
        case .wholeNetwork: "the network is whole again"
        case .corrupt(let device, let other):
            "a bit flips on the way from \(device) to \(other)"
        case .loseEnd(let device, let other): "\(device) loses its end of the link to \(other)"
        default: nil
        }
    }

    private static func machines(_ action: Action) -> String? {
        switch action {
        case .close(let device): "\(device) closes"
        case .open(let device): "\(device) opens"
        case .crash(let device): "\(device) crashes"
        case .crashAfter(let device, let writes):
            "\(device) crashes after \(Counted.words(writes, "disk write"))"
        case .losePower(let device): "\(device) loses power"
        case .losePowerAfter(let device, let writes):
            "\(device) loses power after \(Counted.words(writes, "disk write"))"
        case .copy(let device, let twin): "\(device) is copied to \(twin)"
        case .backUp(let device, let name): "\(device) is backed up as \(name)"
        case .restoreBackup(let device, let name, let manner):
            "\(device) is restored from \(name)"
                + (manner == .replaced ? "" : " " + manner.rawValue)
        case .limitDisk(let device, let bytes?):
            "the disk of \(device) has \(Counted.words(bytes, "byte")) left"
        case .limitDisk(let device, nil): "the disk of \(device) has room again"
        case .flipBit(let device): "a bit flips on the disk of \(device)"
        case .acceptDeletes(let device): "\(device) accepts the deletes"
        case .runDays(let device, let count): "\(device) runs for \(Counted.words(count, "day"))"
        default: nil
        }
    }

    private static func relays(_ action: Action) -> String? {
        switch action {
        case .visit(let device, let relay): "\(device) visits \(relay)"
        case .wipe(let relay): "\(relay) is wiped"
        case .lie(let relay, let lie): "\(relay) " + words(of: lie)
        case .beHonest(let relay): "\(relay) is honest again"
        case .changeSecret(let device): "\(device) changes the secret"
        case .learnSecret(let device): "\(device) learns the secret"
        default: nil
        }
    }

    private static func words(of lie: RelayLie) -> String {
        switch lie {
        case .withholding: "withholds every second change"
        case .withholdingFrom(let device): "withholds everything from \(device)"
        case .repeating: "repeats old changes"
        case .tampering: "tampers with bodies"
        case .swappingRecords: "swaps records"
        case .raisingClocks: "raises clocks"
        case .replayingStatements: "replays old statements"
        case .swappingStatements: "swaps statements"
        case .claimingUploads: "claims to have everything"
        case .claimingReads: "claims to have sent everything"
        case .keepingLetters: "keeps letters back"
        }
    }

    private static func clocksAndStrangers(_ action: Action) -> String {
        switch action {
        case .setClock(let device, let day):
            "the clock of \(device) is set to \(date(day))"
        case .shiftClock(let device, let milliseconds):
            "the clock of \(device) jumps by \(StorySpan.text(milliseconds))"
        case .driftClock(let device, let partsPerMillion):
            "the clock of \(device) drifts by \(partsPerMillion) ppm"
        case .upgrade(let device): "\(device) is upgraded"
        case .sendUnknown(let device, let other):
            "\(device) sends \(other) a message of an unknown kind"
        case .createNewer(let device, let item): "\(device) creates \(item) of a newer kind"
        case .receiveUnreadable(let device, let item):
            "\(device) receives something unreadable about \(item)"
        case .attack(let attack, let device): words(of: attack, on: device)
        case .expect(let expectation): words(of: expectation)
        case .create, .edit, .complete, .reopen, .delete, .restore, .purge, .resolve, .openEditor,
            .saveEditor, .sync, .startSync, .connect, .disconnect, .syncAll, .settle, .wait, .cut,
            .cutAfter, .delay, .block, .unblock, .partition, .wholeNetwork, .corrupt, .loseEnd,
            .close, .open, .crash, .crashAfter, .losePower, .losePowerAfter, .copy, .backUp,
            .restoreBackup, .limitDisk, .flipBit, .visit, .wipe, .lie, .beHonest,
            .changeSecret, .learnSecret, .acceptDeletes, .runDays:
            // Written above; named here so that a new action is missed by the compiler.
            ""
        }
    }

    private static func words(of attack: Attack, on device: String) -> String {
        switch attack {
        case .garbage: "a stranger sends garbage to \(device)"
        case .silence: "a stranger calls \(device) and falls silent"
        case .impersonation(let other): "a stranger claims to be \(other) to \(device)"
        case .falseStatement: "a stranger claims to know everything to \(device)"
        case .nonsense(let item): "a stranger sends nonsense about \(item) to \(device)"
        case .emptiness: "an empty stranger calls \(device)"
        }
    }
}
