/// Relays on one database in made-up scenarios, and what befalls them.
///
/// All of it is drawn from streams of its own.
extension ScenarioMaker {
    /// The relays of the world of a seed that has a database: two or three on it, rarely one beside.
    static func relaysOnDatabase(seed: UInt64, faults: Set<FaultKind>) -> [DeviceTraits] {
        var chance = Chance(seed: seed, "relays on a database")
        let count = chance.pick([2, 2, 3])
        let shared = ["harbor", "depot", "pier"].prefix(count).map {
            DeviceTraits($0, isRelay: true, database: "vault")
        }
        guard faults.contains(.relay), chance.happens(1, in: 4) else { return Array(shared) }
        return shared + [DeviceTraits("island", isRelay: true)]
    }

    /// Whether a world has relays on a database.
    var hasDatabase: Bool { weights.faults.contains(.database) }

    /// The relay to which a device goes instead of another one: it may know the address of one, or of all.
    func relay(known device: String, insteadOf relay: String) -> String {
        guard hasDatabase, sharedRelays.contains(relay) else { return relay }
        var chance = Chance(seed: seed, "addresses of \(device)")
        return chance.happens(1, in: 2) ? relay : chance.pick(sharedRelays)
    }

    /// An event of relays on a database; nil if this step has none.
    mutating func databaseStep() -> ScenarioEvent? {
        guard hasDatabase else { return nil }
        var chance = Chance(seed: seed, "database \(number)")
        var shares = Chance(seed: seed, "share of databases")
        guard chance.happens(shares.pick([1, 2, 4]), in: 10) else { return nil }
        let relay = chance.pick(sharedRelays)
        let other = chance.pick(sharedRelays.filter { $0 != relay })
        if pausedRelays.contains(relay), chance.happens(1, in: 2) {
            pausedRelays.remove(relay)
            return .database(.goOn(relay: relay))
        }
        let milliseconds = chance.pick([1, 20, 300, 2_500, 12_000] as [Int64])
        let event: DatabaseEvent =
            switch chance.below(20) {
            case 0, 1: .pause(relay: relay)
            case 2: .goOn(relay: relay)
            case 3, 4, 5: .delayCommits(relay: relay, milliseconds: milliseconds)
            case 6, 7: .delayAnswers(relay: relay, milliseconds: milliseconds)
            case 8: .serveAtOnce(relay: relay)
            case 9, 10: .crashAfterCommit(relay: relay)
            case 11: .missNotice(relay: relay, other: other)
            case 12: .missNotices(relay: relay, other: other)
            case 13: .hearNotices(relay: relay, other: other)
            case 14, 15: .keepStandbyBack(relay: relay)
            case 16: .catchUp(relay: relay)
            case 17, 18: .promote(relay: relay)
            default:
                .limitRecords(
                    relay: relay, count: chance.happens(1, in: 3) ? nil : chance.below(16))
            }
        switch event {
        case .pause: pausedRelays.insert(relay)
        case .goOn: pausedRelays.remove(relay)
        case .crashAfterCommit: stoppedRelays.insert(relay)
        default: break
        }
        return .database(event)
    }
}
