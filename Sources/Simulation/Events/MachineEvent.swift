import Storage

/// An event of a machine or its program; each case is one line of the language, given with it.
package enum MachineEvent: Hashable, Sendable {
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
    /// `laptop is copied to twin`: the folder, to another machine that is new in the scenario.
    case copy(String, to: String)
    /// `laptop is backed up as monday`.
    case backUp(String, name: String)
    /// `laptop is restored from monday`, `… in place`, `… database alone`, `… unnoticed`.
    case restoreBackup(String, name: String, RestoreManner)
}

/// How an older copy of a store comes back.
package enum RestoreManner: String, Hashable, Sendable, CaseIterable {
    /// As new files with the old names, as backup programs do it.
    case replaced
    /// Over the old bytes, in the same files.
    case overwriting = "in place"
    /// The database alone, beside the newer identity file.
    case databaseAlone = "database alone"
    /// With everything else on the machine, so that nothing can tell: a virtual machine set back.
    case unnoticed
}

extension EventKind {
    static let close = EventKind("close", weight: 3)
    static let open = EventKind("open", weight: 3, isStaple: true)
    static let crash = EventKind("crash", weight: 3, fault: .kill)
    static let crashAfter = EventKind("crashAfter", weight: 3, fault: .kill)
    static let losePower = EventKind("losePower", weight: 3, fault: .powerCut)
    static let losePowerAfter = EventKind("losePowerAfter", weight: 3, fault: .powerCut)
    static let copy = EventKind("copy", weight: 2, fault: .copy)
    /// Copies put aside are what a machine is set back to.
    static let backUp = EventKind("backUp", weight: 3, fault: .backup, otherFaults: [.setBack])
    static let restoreBackup = EventKind(
        "restoreBackup", weight: 3, fault: .backup, otherFaults: [.setBack])
}

extension MachineEvent: EventFamily {
    static let kinds: [EventKind] = [
        .close, .open, .crash, .crashAfter, .losePower, .losePowerAfter, .copy, .backUp,
        .restoreBackup,
    ]

    var kind: EventKind {
        switch self {
        case .close: .close
        case .open: .open
        case .crash: .crash
        case .crashAfter: .crashAfter
        case .losePower: .losePower
        case .losePowerAfter: .losePowerAfter
        case .copy: .copy
        case .backUp: .backUp
        case .restoreBackup: .restoreBackup
        }
    }

    var event: ScenarioEvent { .machine(self) }

    var fault: FaultKind? {
        if case .restoreBackup(_, _, .unnoticed) = self { .setBack } else { kind.fault }
    }

    /// Whether power fails, now or later.
    var losesPower: Bool {
        switch self {
        case .losePower, .losePowerAfter: true
        default: false
        }
    }

    // MARK: Lines

    static let forms: [ScenarioForm] = [
        form("DEVICE closes", "Its program ends in order.", "laptop closes") { .close($0.name()) },
        form("DEVICE opens", "Its program starts.", "laptop opens") { .open($0.name()) },
        form("DEVICE crashes", "The program is killed.", "laptop crashes") { .crash($0.name()) },
        form(
            "DEVICE crashes after COUNT disk writes|write",
            "The program is killed after so many writes, of what it does from now on.",
            "laptop crashes after 7 disk writes"
        ) { .crashAfter($0.name(), writes: $0.count()) },
        form("DEVICE loses power", "What is not flushed is lost.", "laptop loses power") {
            .losePower($0.name())
        },
        form(
            "DEVICE loses power after COUNT disk writes|write",
            "The power fails after so many writes.",
            "laptop loses power after 7 disk writes"
        ) { .losePowerAfter($0.name(), writes: $0.count()) },
        form(
            "DEVICE is copied to DEVICE!",
            "The folder, to another machine that is new in the scenario.",
            "laptop is copied to twin"
        ) { .copy($0.name(), to: $0.name()) },
        form(
            "DEVICE is backed up as BACKUP!", "A copy of the folder is put aside.",
            "laptop is backed up as monday"
        ) { .backUp($0.name(), name: $0.name()) },
        form(
            "DEVICE is restored from BACKUP", "As new files with the old names.",
            "laptop is restored from monday"
        ) { .restoreBackup($0.name(), name: $0.name(), .replaced) },
        form(
            "DEVICE is restored from BACKUP in place", "Over the old bytes, in the same files.",
            "laptop is restored from monday in place"
        ) { .restoreBackup($0.name(), name: $0.name(), .overwriting) },
        form(
            "DEVICE is restored from BACKUP database alone",
            "The database alone, beside the newer identity file.",
            "laptop is restored from monday database alone"
        ) { .restoreBackup($0.name(), name: $0.name(), .databaseAlone) },
        form(
            "DEVICE is restored from BACKUP unnoticed",
            "With the whole machine, so that nothing can tell.",
            "laptop is restored from monday unnoticed"
        ) { .restoreBackup($0.name(), name: $0.name(), .unnoticed) },
    ]

    var words: String {
        switch self {
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
        }
    }

    var devices: [String] {
        switch self {
        case .close(let one), .open(let one), .crash(let one), .crashAfter(let one, _),
            .losePower(let one), .losePowerAfter(let one, _), .backUp(let one, _),
            .restoreBackup(let one, _, _):
            [one]
        case .copy(let one, let twin): [one, twin]
        }
    }

    func unfitRelay(_ named: String, among relays: Set<String>) -> (name: String, hint: String)? {
        switch self {
        case .copy: (named, "this is for devices only")
        case .restoreBackup(_, _, let manner) where manner != .replaced:
            (named, "this is for devices only")
        default: nil
        }
    }

    // MARK: Random scenarios

    static func draw(_ kind: EventKind, by maker: inout ScenarioMaker) -> ScenarioEvent? {
        draw(of: kind, by: &maker)?.event
    }

    private static func draw(of kind: EventKind, by maker: inout ScenarioMaker) -> MachineEvent? {
        let devices = maker.model.devices
        if kind == .open {
            // One that is thought to run may have gone down at a write.
            return .open(devices[maker.chance.below(devices.count)].name)
        }
        guard let index = maker.someone() else { return nil }
        let device = devices[index]
        switch kind {
        case .close: return .close(device.name)
        case .crash: return .crash(device.name)
        case .crashAfter: return .crashAfter(device.name, writes: maker.writes())
        case .losePower: return .losePower(device.name)
        case .losePowerAfter: return .losePowerAfter(device.name, writes: maker.writes())
        case .copy:
            guard devices.count < ScenarioModel.deviceCountMax else { return nil }
            return .copy(device.name, to: "twin\(maker.model.copyCount + 1)")
        case .backUp: return .backUp(device.name, name: "backup\(maker.model.backupCount + 1)")
        default: return maker.setBack(device)
        }
    }

    func foresee(in model: inout ScenarioModel) {
        switch self {
        case .close(let name), .crash(let name), .losePower(let name): model.stop(name)
        case .open(let name): model.change(name) { $0.isRunning = true }
        case .copy(let name, let twin):
            model.copyCount += 1
            guard let index = model.index(of: name) else { return }
            var device = ScenarioModel.SimulatedDevice(name: twin)
            device.isNewer = model.devices[index].isNewer
            device.isForeign = model.devices[index].isForeign
            device.items = model.devices[index].items
            model.devices.append(device)
        case .backUp(let name, let backup):
            model.backupCount += 1
            model.change(name) { $0.backups.append(backup) }
        case .restoreBackup(let name, _, _):
            model.stop(name)
            model.change(name) { $0.isRunning = true }
        case .crashAfter, .losePowerAfter: return
        }
    }

    // MARK: Shrinking

    var simpler: [ScenarioEvent] {
        let simpler: [MachineEvent] =
            switch self {
            case .losePower(let name): [.crash(name)]
            case .crash(let name): [.close(name)]
            case .crashAfter(let name, let writes):
                [.crash(name)]
                    + smallerNumbers(than: Int64(writes), least: 1).map {
                        .crashAfter(name, writes: Int($0))
                    }
            case .losePowerAfter(let name, let writes):
                [.losePower(name), .crashAfter(name, writes: writes)]
                    + smallerNumbers(than: Int64(writes), least: 1).map {
                        .losePowerAfter(name, writes: Int($0))
                    }
            case .restoreBackup(let name, let backup, let manner)
            where manner != .replaced && manner != .unnoticed:
                [.restoreBackup(name, name: backup, .replaced)]
            default: []
            }
        return simpler.map(\.event)
    }

    func keeping(_ known: inout KnownNames) -> MachineEvent? {
        switch self {
        case .copy(let device, let twin):
            guard known.devices.contains(device), known.devices.insert(twin).inserted else {
                return nil
            }
            return self
        case .backUp(_, let name): known.backups.insert(name)
        case .restoreBackup(_, let name, _):
            if !known.backups.contains(name) { return nil }
        default: break
        }
        return devices.allSatisfy(known.devices.contains) ? self : nil
    }

    // MARK: The world

    func apply(to world: World, isElsewhere: Bool) throws {
        switch self {
        case .close(let name): try world.close(world.device(name))
        case .open(let name): try world.start(world.device(name))
        case .crash(let name): try world.die(world.running(name), isPowerCut: false)
        case .losePower(let name): try world.die(world.running(name), isPowerCut: true)
        case .crashAfter(let name, let writes):
            world.armFuse(try world.running(name), writes: writes, isPowerCut: false)
        case .losePowerAfter(let name, let writes):
            world.armFuse(try world.running(name), writes: writes, isPowerCut: true)
        case .copy(let name, let twin): try world.copy(world.device(name), to: twin)
        case .backUp(let name, let backup): world.backUp(try world.device(name), backup)
        case .restoreBackup(let name, let backup, let manner):
            try world.restoreBackup(world.device(name), backup, manner)
        }
    }
}

extension ScenarioMaker {
    fileprivate mutating func writes() -> Int { 1 + chance.below(chance.pick([4, 25, 120])) }

    fileprivate mutating func setBack(_ device: ScenarioModel.SimulatedDevice) -> MachineEvent? {
        guard !device.backups.isEmpty else { return nil }
        var manners: [RestoreManner] = []
        if weights.faults.contains(.backup) {
            manners += [.replaced, .overwriting, .databaseAlone]
        }
        if weights.faults.contains(.setBack) { manners.append(.unnoticed) }
        guard !manners.isEmpty else { return nil }
        return .restoreBackup(
            device.name, name: chance.pick(device.backups), chance.pick(manners))
    }

    /// Plans a harmful set-back, which hardly ever comes together by chance: a device writes after a
    /// backup, one peer learns of it, the device is set back and writes again, and then meets others.
    mutating func planSetBack(after event: ScenarioEvent) {
        guard weights.hasSetBackHabit, case .machine(.backUp(let name, let backup)) = event,
            let index = model.devices.firstIndex(where: { $0.name == name }),
            let item = model.items(index, .alive).first
        else { return }
        let others = chance.shuffled(
            model.running.map { model.devices[$0].name }.filter { $0 != name })
        guard let first = others.first, let last = others.last else { return }
        let edits = (0..<3).map { _ in
            ScenarioEvent.edit(.edit(device: name, item: item, settings()))
        }
        planned = [
            chance.happens(1, in: 2) ? .edit(.delete(device: name, item: item)) : edits[0],
            .meeting(.sync(name, first)),
            .machine(.restoreBackup(name, name: backup, .unnoticed)), edits[1], edits[2],
            .meeting(.sync(name, last)), .meeting(.sync(name, first)),
            .meeting(.sync(first, last)),
        ]
    }
}

extension World {
    /// Has a device go down after so many more writes to its disk.
    func armFuse(_ device: SimulatedDevice, writes: Int, isPowerCut: Bool) {
        let tearing = Chance(seed: scenario.seed, "torn write of \(device.name) \(now)")
        if isPowerCut {
            device.disk.losePowerAfterWrites(writes, tearing: tearing)
        } else {
            device.disk.crashAfterWrites(writes)
        }
    }

    /// Copies a device's folder to a new machine, and starts the program there.
    func copy(_ device: SimulatedDevice, to name: String) throws {
        guard deviceIndex(named: name) == nil else {
            throw Refused(.exists, "there is a device \(name) already")
        }
        guard devices.count < WorldLimits.deviceCountMax else {
            throw Refused(.overLimit, "a world has at most \(WorldLimits.deviceCountMax) devices")
        }
        var traits = device.traits
        traits.name = name
        let twin = add(traits, space: device.space)
        twin.disk.restore(device.disk.snapshot(), .replaced)
        twin.relayIDs = device.relayIDs
        twin.secrets = device.secrets
        twin.keyedReplicas = device.keyedReplicas
        twin.hasBeenReader = device.hasBeenReader
        twin.deceivers = device.deceivers
        twin.isTroubled = device.isTroubled
        twin.hasLostPower = device.hasLostPower
        twin.hasWrongBit = device.hasWrongBit
        oracle.copied(from: device.index, to: twin.index)
        tell(device.index, .befell("is copied to \(name)"))
        count("copies")
        try start(twin)
        if twin.store?.suspicion == nil {
            throw Violation(.unsound, "\(name), a copy of \(device.name), keeps its replica id")
        }
    }

    /// Keeps a copy of a device's folder as it is now.
    func backUp(_ device: SimulatedDevice, _ name: String) {
        if device.isRelay {
            backUpRelay(device, name)
            return
        }
        device.backups[name] = SimulatedDevice.Backup(
            image: device.disk.snapshot(), holdings: oracle.holdings(of: device.index),
            isOfPowerCut: device.hasLostPower, deadEdits: oracle.devices[device.index].deadEdits,
            hasWrongBit: device.hasWrongBit, secrets: device.secrets,
            serving: serving)
        tell(device.index, .befell("is backed up as \(name)"))
        count("backups")
    }

    /// Brings an older copy of a device's folder back, and starts the program.
    func restoreBackup(_ device: SimulatedDevice, _ name: String, _ manner: RestoreManner) throws {
        if device.isRelay {
            try restoreRelay(device, name)
            return
        }
        guard let backup = device.backups[name] else {
            throw Refused(.missing, "\(device.name) was never backed up as \(name)")
        }
        if device.store != nil { try die(device, isPowerCut: false) }
        device.hasLostPower = backup.isOfPowerCut
        device.disk.restore(backup.image, manner)
        device.isDamaged = false
        device.hasWrongBit = backup.hasWrongBit
        if manner != .databaseAlone { device.secrets = backup.secrets }
        device.refreshed = nil
        oracle.setBack(
            device.index, to: backup.holdings, isOfPowerCut: backup.isOfPowerCut,
            deadEdits: backup.deadEdits)
        tell(device.index, .befell("is set back to \(name) (\(manner.rawValue))"))
        count("restores of backups")
        device.lostServings.append(backup.serving + 1..<serving + 1)
        if manner == .unnoticed {
            allowsForks = true
            device.mayFork = true
        }
        try start(device)
    }
}
