/// What befalls devices and the network in made-up stories.
extension StoryMaker {
    mutating func meeting(_ kind: ActionKind) -> Action? {
        switch kind {
        case .sync: return pair().map { .sync($0.0, $0.1) }
        case .startSync:
            // One session, or a second one beside the first.
            if weights.faults.contains(.duplicateSessions), chance.happens(1, in: 2) {
                return linked().map { .startSync($0.0, $0.1) }
            }
            return pair().map { .startSync($0.0, $0.1) }
        case .connect: return model.links.count < 6 ? pair().map { .connect($0.0, $0.1) } : nil
        case .disconnect:
            return model.links.isEmpty ? nil : linked().map { .disconnect($0.0, $0.1) }
        case .syncAll: return .syncAll
        case .settle: return .settle
        default: return .wait(milliseconds: chance.pick(weights.waits))
        }
    }

    mutating func trouble(_ kind: ActionKind) -> Action? {
        switch kind {
        case .cut: return model.links.isEmpty ? nil : linked().map { .cut($0.0, $0.1) }
        case .cutAfter:
            let bytes = chance.below(chance.pick([40, 400, 400, 5_000]))
            return linked().map { .cutAfter($0.0, $0.1, bytes: bytes) }
        case .delay:
            let (least, most): (Int64, Int64) = chance.pick([
                (0, 0), (0, 9), (5, 200), (1_000, 9_000), (0, 40_000),
            ])
            return pair().map { .delay(from: $0.0, to: $0.1, least: least, most: most) }
        case .block: return pair().map { .block(from: $0.0, to: $0.1) }
        case .unblock:
            guard !model.blocks.isEmpty else { return nil }
            let block = chance.pick(model.blocks)
            return .unblock(from: model.devices[block[0]].name, to: model.devices[block[1]].name)
        case .partition: return split()
        case .wholeNetwork: return model.isNetworkTouched ? .wholeNetwork : nil
        case .corrupt: return linked().map { .corrupt(from: $0.0, to: $0.1) }
        case .sendUnknown: return linked().map { .sendUnknown(from: $0.0, to: $0.1) }
        default: return model.links.isEmpty ? nil : linked().map { .loseEnd($0.0, of: $0.1) }
        }
    }

    private mutating func split() -> Action? {
        guard model.devices.count > 1 else { return nil }
        let names = chance.shuffled(model.devices.map(\.name))
        let cut = 1 + chance.below(names.count - 1)
        return .partition([Array(names[..<cut]), Array(names[cut...])])
    }

    mutating func mishap(_ kind: ActionKind) -> Action? {
        if kind == .open {
            // One that is thought to run may have gone down at a write.
            return .open(model.devices[chance.below(model.devices.count)].name)
        }
        guard let place = someone() else { return nil }
        let device = model.devices[place]
        switch kind {
        case .close: return .close(device.name)
        case .crash: return .crash(device.name)
        case .crashAfter: return .crashAfter(device.name, writes: writes())
        case .losePower: return .losePower(device.name)
        case .losePowerAfter: return .losePowerAfter(device.name, writes: writes())
        case .copy:
            guard model.devices.count < StoryModel.deviceCountMax else { return nil }
            return .copy(device.name, to: "twin\(model.copyCount + 1)")
        case .backUp: return .backUp(device.name, name: "backup\(model.backupCount + 1)")
        case .restoreBackup: return setBack(device)
        case .limitDisk:
            let bytes = chance.pick([0, 4_096, 20_000, 90_000])
            return .limitDisk(device.name, bytes: device.isLimited ? nil : bytes)
        case .flipBit: return .flipBit(device.name)
        case .acceptDeletes: return .acceptDeletes(device: device.name)
        case .runDays: return .runDays(device: device.name, chance.pick([1, 29, 31, 190]))
        case .attack: return attack(on: device.name)
        default: return clock(kind, device.name)
        }
    }

    private mutating func writes() -> Int { 1 + chance.below(chance.pick([4, 25, 120])) }

    private mutating func setBack(_ device: StoryModel.Device) -> Action? {
        guard !device.backups.isEmpty else { return nil }
        var manners: [RestoreManner] = []
        if weights.faults.contains(.backup) { manners += [.replaced, .inPlace, .databaseAlone] }
        if weights.faults.contains(.setBack) { manners.append(.unnoticed) }
        guard !manners.isEmpty else { return nil }
        return .restoreBackup(
            device.name, name: chance.pick(device.backups), chance.pick(manners))
    }

    /// What a set-back needs to do harm hardly ever comes together by chance: a device writes after a
    /// backup, one peer learns of it, the device is set back and writes again, and then meets others.
    mutating func planSetBack(after action: Action) {
        guard weights.hasSetBackHabit, case .backUp(let name, let backup) = action,
            let place = model.devices.firstIndex(where: { $0.name == name }),
            let item = model.items(place, .alive).first
        else { return }
        let others = chance.shuffled(
            model.running.map { model.devices[$0].name }.filter { $0 != name })
        guard let first = others.first, let last = others.last else { return }
        let edits = (0..<3).map { _ in Action.edit(device: name, item: item, settings()) }
        planned = [
            chance.happens(1, in: 2) ? .delete(device: name, item: item) : edits[0],
            .sync(name, first), .restoreBackup(name, name: backup, .unnoticed), edits[1],
            edits[2], .sync(name, last), .sync(name, first), .sync(first, last),
        ]
    }

    private mutating func attack(on victim: String) -> Action? {
        switch chance.below(7) {
        case 0: return .attack(.garbage, on: victim)
        case 1: return .attack(.silence, on: victim)
        case 2: return .attack(.falseStatement, on: victim)
        case 3: return .attack(.nonsense(item: chance.pick(weights.items)), on: victim)
        case 4: return model.strangerCount < 2 ? .attack(.emptiness, on: victim) : nil
        default:
            let other = model.devices[chance.below(model.devices.count)].name
            // Whoever hears its own id takes a new one, and less is promised.
            guard other != victim || weights.faults.contains(.setBack) else { return nil }
            return .attack(.impersonation(of: other), on: victim)
        }
    }

    private mutating func clock(_ kind: ActionKind, _ device: String) -> Action? {
        switch kind {
        case .setClock: .setClock(device, day: chance.pick([0, 11_323, 20_833, 20_900, 25_000]))
        case .shiftClock:
            .shiftClock(
                device,
                milliseconds: chance.pick([-86_400_000, -5_000, 5_000, 100_000, 7_200_000]))
        case .driftClock:
            .driftClock(device, partsPerMillion: chance.pick([-20_000, 500, 300_000]))
        default: nil
        }
    }
}
