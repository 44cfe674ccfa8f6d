/// Something that happens in a world; each is one line of the language, given with each case.
package enum Action: Hashable, Sendable {
    // MARK: People

    /// `laptop creates milk title "Buy milk" tags +shop`.
    case create(device: String, item: String, [Setting])
    /// `laptop edits milk title "Oat milk" notes none tags -shop`.
    case edit(device: String, item: String, [Setting])
    /// `laptop completes milk`: its status, and when.
    case complete(device: String, item: String)
    /// `laptop reopens milk`.
    case reopen(device: String, item: String)
    /// `laptop deletes milk`.
    case delete(device: String, item: String)
    /// `laptop restores milk`.
    case restore(device: String, item: String)
    /// `laptop purges milk`, `laptop purges milk by force`.
    case purge(device: String, item: String, isForced: Bool)
    /// `laptop resolves milk title to "Oat milk"`.
    case resolve(device: String, item: String, field: String, to: Literal)
    /// `laptop opens milk in the editor`: takes down the fields as they are shown.
    case openEditor(device: String, item: String)
    /// `laptop saves milk with title "Oat milk"`: the editor saves what was changed in it.
    case saveEditor(device: String, item: String, [Setting])

    // MARK: Meetings

    /// `laptop syncs with phone`: one whole session, to its end.
    case sync(String, String)
    /// `laptop starts to sync with phone`: goes on while other things happen.
    case startSync(String, String)
    /// `laptop connects to phone`: a live session, which stays open.
    case connect(String, String)
    /// `laptop disconnects from phone`: all their sessions end in order.
    case disconnect(String, String)
    /// `everyone syncs`: all pairs that can meet, until nothing is left to say.
    case syncAll
    /// `everything arrives`: what is on its way, and what follows from it.
    case settle
    /// `wait 3 days`; milliseconds.
    case wait(milliseconds: Int64)

    // MARK: Network

    /// `the link of laptop and phone breaks`, what is on its way is lost.
    case cut(String, String)
    /// `the link of laptop and phone breaks after 120 bytes`: more bytes, of the present or the next session.
    case cutAfter(String, String, bytes: Int)
    /// `messages from laptop to phone take 5 ms to 2 s`; milliseconds.
    case delay(from: String, to: String, least: Int64, most: Int64)
    /// `laptop cannot reach phone`: one way.
    case block(from: String, to: String)
    /// `laptop can reach phone again`.
    case unblock(from: String, to: String)
    /// `the network splits into laptop, phone and tablet`: groups are parted by `and`.
    case partition([[String]])
    /// `the network is whole again`: no partition, block or delay.
    case wholeNetwork
    /// `a bit flips on the way from laptop to phone`: in what is on its way, or else in what comes next.
    case corrupt(from: String, to: String)
    /// `laptop loses its end of the link to phone`: the other end is told nothing.
    case loseEnd(String, of: String)

    // MARK: Machines

    /// `laptop closes`: its program ends in order.
    case close(String)
    /// `laptop opens`: its program starts.
    case open(String)
    /// `laptop crashes`: the program is killed.
    case crash(String)
    /// `laptop crashes after 7 disk writes`, of what it does from now on.
    case crashAfter(String, writes: Int)
    /// `laptop loses power`.
    case losePower(String)
    /// `laptop loses power after 7 disk writes`.
    case losePowerAfter(String, writes: Int)
    /// `laptop is copied to twin`: the folder, to another machine that is new in the story.
    case copy(String, to: String)
    /// `laptop is backed up as monday`.
    case backUp(String, name: String)
    /// `laptop is restored from monday`, `… in place`, `… database alone`, `… unnoticed`.
    case restoreBackup(String, name: String, RestoreManner)
    /// `the disk of laptop has 20000 bytes left`; nil: `the disk of laptop has room again`.
    case limitDisk(String, bytes: Int?)
    /// `a bit flips on the disk of laptop`.
    case flipBit(String)

    // MARK: Safety

    /// `laptop accepts the deletes`: those that it holds.
    case acceptDeletes(device: String)
    /// `laptop runs for 40 days`: each day once, and purges what has long been in its trash.
    case runDays(device: String, Int)

    // MARK: Relays

    /// `laptop visits harbor`: one whole session with a relay.
    case visit(device: String, relay: String)
    /// `harbor is wiped`: all that the relay kept is gone, and it begins anew.
    case wipe(relay: String)
    /// `laptop changes the secret`: of the space, one generation on; others keep the old one.
    case changeSecret(device: String)
    /// `phone learns the secret`: it has the newest generation now, as by a code.
    case learnSecret(device: String)
    /// See `RelayLie` for the words; lies add up, and open links of the relay break.
    case lie(relay: String, RelayLie)
    /// `harbor is honest again`: no lie is left, and open links of the relay break.
    case beHonest(relay: String)

    // MARK: Clocks

    /// `the clock of laptop is set to 2001-01-01`: days since 1970-01-01.
    case setClock(String, day: Int32)
    /// `the clock of laptop jumps by -3 hours`; milliseconds.
    case shiftClock(String, milliseconds: Int64)
    /// `the clock of laptop drifts by 500 ppm`.
    case driftClock(String, partsPerMillion: Int64)

    // MARK: Versions and strangers

    /// `laptop sends phone a message of an unknown kind`: one that may not be skipped, in what it says next.
    case sendUnknown(from: String, to: String)
    /// `laptop is upgraded`: from its next opening on it runs the newer version.
    case upgrade(String)
    /// `laptop creates gadget of a newer kind`: in a collection that older versions do not know.
    case createNewer(device: String, item: String)
    /// `laptop receives something unreadable about milk`: a change of a version nobody here can read.
    case receiveUnreadable(device: String, item: String)
    /// See `Attack` for the words.
    case attack(Attack, on: String)

    // MARK: Looking

    /// `expect …`; see `Claim`.
    case expect(Expectation)
}
