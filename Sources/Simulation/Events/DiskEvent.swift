/// A fault of a disk; each case is one line of the language, given with it.
package enum DiskEvent: Hashable, Sendable {
    /// `the disk of laptop has 20000 bytes left`; nil: `the disk of laptop has room again`.
    case limitDisk(String, bytes: Int?)
    /// `a bit flips on the disk of laptop`.
    case flipBit(String)
}

extension EventKind {
    static let limitDisk = EventKind("limitDisk", weight: 3, fault: .diskFull)
    static let flipBit = EventKind("flipBit", weight: 1, fault: .bitFlip)
}

extension DiskEvent: EventFamily {
    static let kinds: [EventKind] = [.limitDisk, .flipBit]

    var kind: EventKind {
        switch self {
        case .limitDisk: .limitDisk
        case .flipBit: .flipBit
        }
    }

    var event: ScenarioEvent { .disk(self) }

    // MARK: Lines

    static let forms: [ScenarioForm] = [
        form(
            "the disk of DEVICE has BYTES bytes|byte left", "Writes beyond that fail.",
            "the disk of laptop has 20000 bytes left"
        ) { .limitDisk($0.name(), bytes: $0.count()) },
        form(
            "the disk of DEVICE has room again", "Writes go well again.",
            "the disk of laptop has room again"
        ) { .limitDisk($0.name(), bytes: nil) },
        form(
            "a bit flips on the disk of DEVICE", "One bit of its files, as chance has it.",
            "a bit flips on the disk of laptop"
        ) { .flipBit($0.name()) },
    ]

    var words: String {
        switch self {
        case .limitDisk(let device, let bytes?):
            "the disk of \(device) has \(Counted.words(bytes, "byte")) left"
        case .limitDisk(let device, nil): "the disk of \(device) has room again"
        case .flipBit(let device): "a bit flips on the disk of \(device)"
        }
    }

    var devices: [String] {
        switch self {
        case .limitDisk(let device, _), .flipBit(let device): [device]
        }
    }

    func unfitRelay(_ named: String, among relays: Set<String>) -> (name: String, hint: String)? {
        if case .flipBit = self { (named, "this is for devices only") } else { nil }
    }

    // MARK: Random scenarios

    static func draw(_ kind: EventKind, by maker: inout ScenarioMaker) -> ScenarioEvent? {
        guard let index = maker.someone() else { return nil }
        let device = maker.model.devices[index]
        if kind == .flipBit { return .disk(.flipBit(device.name)) }
        let bytes = maker.chance.pick([0, 4_096, 20_000, 90_000])
        return .disk(.limitDisk(device.name, bytes: device.isLimited ? nil : bytes))
    }

    func foresee(in model: inout ScenarioModel) {
        switch self {
        case .limitDisk(let name, let bytes): model.change(name) { $0.isLimited = bytes != nil }
        case .flipBit(let name): model.stop(name)
        }
    }

    // MARK: Shrinking

    var simpler: [ScenarioEvent] {
        if case .limitDisk(let name, let bytes?) = self, bytes > 0 {
            [.disk(.limitDisk(name, bytes: 0))]
        } else {
            []
        }
    }

    // MARK: The world

    func apply(to world: World, isElsewhere: Bool) throws {
        switch self {
        case .limitDisk(let name, let bytes): world.limitDisk(try world.device(name), bytes: bytes)
        case .flipBit(let name): try world.flipBit(world.device(name))
        }
    }
}

extension World {
    func limitDisk(_ device: SimulatedDevice, bytes: Int?) {
        device.disk.freeByteCount = bytes
        if bytes != nil { device.isTroubled = true }
        let words = bytes.map { "has \($0) bytes left on its disk" } ?? "has room on its disk again"
        tell(device.index, .befell(words))
    }

    func flipBit(_ device: SimulatedDevice) throws {
        device.flipCount += 1
        var chance = Chance(seed: scenario.seed, "bit of \(device.name) \(device.flipCount)")
        if device.store != nil {
            // An orderly end leaves everything in the database; after others most of it is in the log.
            if chance.happens(1, in: 2) {
                try close(device)
            } else {
                try die(device, isPowerCut: false)
            }
        }
        let files = device.disk.paths(under: SimulatedDevice.folder)
        let databases = files.filter { $0.hasSuffix(".db") || $0.hasSuffix(".db-wal") }
        let path = chance.pick(chance.happens(1, in: 8) ? files : databases)
        device.disk.flipBit(of: path, choosing: &chance)
        device.isTroubled = true
        device.hasWrongBit = true
        oracle.damaged(device.index, device.replicas)
        tell(device.index, .befell("has a wrong bit on its disk, in \(path)"))
        count("bits flipped in \(path)")
    }
}
