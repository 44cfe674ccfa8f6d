import Session

/// A fault of the network; each case is one line of the language, given with it.
package enum LinkEvent: Hashable, Sendable {
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
    /// `messages from laptop to phone are lost`: from now on in their sessions, or else in the next one.
    case lose(from: String, to: String)
}

extension EventKind {
    static let cut = EventKind("cut", weight: 3, fault: .cut)
    static let cutAfter = EventKind("cutAfter", weight: 4, fault: .cut)
    static let delay = EventKind("delay", weight: 3, fault: .delay)
    static let block = EventKind("block", weight: 2, fault: .block)
    static let unblock = EventKind("unblock", weight: 2, fault: .block)
    static let partition = EventKind("partition", weight: 2, fault: .block)
    static let wholeNetwork = EventKind("wholeNetwork", weight: 3, fault: .block)
    static let corrupt = EventKind("corrupt", weight: 3, fault: .corruption)
    static let loseEnd = EventKind("loseEnd", weight: 2, fault: .halfOpen)
    static let lose = EventKind("loseMessages", weight: 4, fault: .oneWay)
}

extension LinkEvent: EventFamily {
    static let kinds: [EventKind] = [
        .cut, .cutAfter, .delay, .block, .unblock, .partition, .wholeNetwork, .corrupt, .loseEnd,
        .lose,
    ]

    var kind: EventKind {
        switch self {
        case .cut: .cut
        case .cutAfter: .cutAfter
        case .delay: .delay
        case .block: .block
        case .unblock: .unblock
        case .partition: .partition
        case .wholeNetwork: .wholeNetwork
        case .corrupt: .corrupt
        case .loseEnd: .loseEnd
        case .lose: .lose
        }
    }

    var event: ScenarioEvent { .link(self) }

    // MARK: Lines

    static let forms: [ScenarioForm] = [
        form(
            "the link of DEVICE and DEVICE breaks",
            "Open sessions end, what is on its way is lost; the next session finds a whole link.",
            "the link of laptop and phone breaks"
        ) { .cut($0.name(), $0.name()) },
        form(
            "the link of DEVICE and DEVICE breaks after BYTES bytes|byte",
            "It breaks after so many more bytes, of the present or the next session.",
            "the link of laptop and phone breaks after 120 bytes"
        ) { .cutAfter($0.name(), $0.name(), bytes: $0.count()) },
        form(
            "messages from DEVICE to DEVICE take SPAN to SPAN",
            "They arrive that late, as chance has it.",
            "messages from laptop to phone take 5 ms to 2 seconds"
        ) { .delay(from: $0.name(), to: $0.name(), least: $0.number(), most: $0.number()) },
        form(
            "DEVICE cannot reach DEVICE",
            "Until it can again what it sends waits, one way, and new sessions fail; nothing is lost.",
            "laptop cannot reach phone"
        ) { .block(from: $0.name(), to: $0.name()) },
        form(
            "DEVICE can reach DEVICE again", "The block is taken away; what waited goes on.",
            "laptop can reach phone again"
        ) { .unblock(from: $0.name(), to: $0.name()) },
        form(
            "the network splits into GROUPS",
            "Only devices of one group reach each other; groups are parted by `and`.",
            "the network splits into laptop, phone and tablet"
        ) { .partition($0.groups()) },
        form(
            "the network is whole again", "No split, block or delay is left.",
            "the network is whole again"
        ) { _ in .wholeNetwork },
        form(
            "a bit flips on the way from DEVICE to DEVICE",
            "In what is on its way, or else in what comes next.",
            "a bit flips on the way from laptop to phone"
        ) { .corrupt(from: $0.name(), to: $0.name()) },
        form(
            "DEVICE loses its end of the link to DEVICE", "The other end is told nothing.",
            "laptop loses its end of the link to phone"
        ) { .loseEnd($0.name(), of: $0.name()) },
        form(
            "messages from DEVICE to DEVICE are lost",
            "From now on in their open sessions, or else in the next; the other direction works.",
            "messages from laptop to phone are lost"
        ) { .lose(from: $0.name(), to: $0.name()) },
    ]

    var words: String {
        switch self {
        case .cut(let device, let other): "the link of \(device) and \(other) breaks"
        case .cutAfter(let device, let other, let bytes):
            "the link of \(device) and \(other) breaks after \(Counted.words(bytes, "byte"))"
        case .delay(let device, let other, let least, let most):
            "messages from \(device) to \(other) take \(ScenarioSpan.text(least))"
                + " to \(ScenarioSpan.text(most))"
        case .block(let device, let other): "\(device) cannot reach \(other)"
        case .unblock(let device, let other): "\(device) can reach \(other) again"
        case .partition(let groups):
            "the network splits into "
                + groups.map { $0.joined(separator: ", ") }.joined(separator: " and ")
        case .wholeNetwork: "the network is whole again"
        case .corrupt(let device, let other):
            "a bit flips on the way from \(device) to \(other)"
        case .loseEnd(let device, let other): "\(device) loses its end of the link to \(other)"
        case .lose(let device, let other): "messages from \(device) to \(other) are lost"
        }
    }

    var devices: [String] {
        switch self {
        case .cut(let one, let other), .cutAfter(let one, let other, _),
            .delay(let one, let other, _, _), .block(let one, let other),
            .unblock(let one, let other), .corrupt(let one, let other),
            .loseEnd(let one, let other), .lose(let one, let other):
            [one, other]
        case .partition(let groups): groups.flatMap { $0 }
        case .wholeNetwork: []
        }
    }

    var subject: String? {
        if case .loseEnd(let one, _) = self { one } else { nil }
    }

    var selfMet: String? {
        if case .partition = self { return nil }
        let named = devices
        return named.count == 2 && named[0] == named[1] ? named[0] : nil
    }

    var contradiction: (message: String, hint: String)? {
        guard case .delay(_, _, let least, let most) = self, least > most else { return nil }
        return ("the shortest delay is longer than the longest", "write the shorter time first")
    }

    func unfitRelay(_ named: String, among relays: Set<String>) -> (name: String, hint: String)? {
        nil
    }

    // MARK: Random scenarios

    static func draw(_ kind: EventKind, by maker: inout ScenarioMaker) -> ScenarioEvent? {
        draw(of: kind, by: &maker)?.event
    }

    private static func draw(of kind: EventKind, by maker: inout ScenarioMaker) -> LinkEvent? {
        let hasLinks = !maker.model.links.isEmpty
        switch kind {
        case .cut: return hasLinks ? maker.linked().map { .cut($0.0, $0.1) } : nil
        case .cutAfter:
            let bytes = maker.chance.below(maker.chance.pick([40, 400, 400, 5_000]))
            return maker.linked().map { .cutAfter($0.0, $0.1, bytes: bytes) }
        case .delay:
            let (least, most): (Int64, Int64) = maker.chance.pick([
                (0, 0), (0, 9), (5, 200), (1_000, 9_000), (0, 40_000),
            ])
            return maker.pair().map { .delay(from: $0.0, to: $0.1, least: least, most: most) }
        case .block: return maker.pair().map { .block(from: $0.0, to: $0.1) }
        case .unblock:
            guard !maker.model.blocks.isEmpty else { return nil }
            let block = maker.chance.pick(maker.model.blocks)
            let devices = maker.model.devices
            return .unblock(from: devices[block[0]].name, to: devices[block[1]].name)
        case .partition: return split(by: &maker)
        case .wholeNetwork: return maker.model.isNetworkTouched ? .wholeNetwork : nil
        case .corrupt: return maker.linked().map { .corrupt(from: $0.0, to: $0.1) }
        case .lose: return maker.linked().map { .lose(from: $0.0, to: $0.1) }
        default: return hasLinks ? maker.linked().map { .loseEnd($0.0, of: $0.1) } : nil
        }
    }

    private static func split(by maker: inout ScenarioMaker) -> LinkEvent? {
        guard maker.model.devices.count > 1 else { return nil }
        let names = maker.chance.shuffled(maker.model.devices.map(\.name))
        let cut = 1 + maker.chance.below(names.count - 1)
        return .partition([Array(names[..<cut]), Array(names[cut...])])
    }

    func foresee(in model: inout ScenarioModel) {
        switch self {
        case .cut(let one, let other): model.part(one, other)
        case .delay, .partition: model.isNetworkTouched = true
        case .block(let from, let to):
            model.isNetworkTouched = true
            if let from = model.index(of: from), let to = model.index(of: to) {
                model.blocks.append([from, to])
            }
        case .unblock(let from, let to):
            if let from = model.index(of: from), let to = model.index(of: to) {
                model.blocks.removeAll { $0 == [from, to] }
            }
        case .wholeNetwork:
            model.isNetworkTouched = false
            model.blocks = []
        case .cutAfter, .corrupt, .loseEnd, .lose: return
        }
    }

    // MARK: Shrinking

    var simpler: [ScenarioEvent] {
        let simpler: [LinkEvent] =
            switch self {
            case .cutAfter(let one, let other, let bytes):
                smallerNumbers(than: Int64(bytes), least: 0).map {
                    .cutAfter(one, other, bytes: Int($0))
                }
            case .delay(let from, let to, let least, let most):
                (least < most ? [.delay(from: from, to: to, least: most, most: most)] : [])
                    + smallerNumbers(than: most, least: 0).map {
                        .delay(from: from, to: to, least: min(least, $0), most: $0)
                    }
            case .partition(let groups) where groups.count > 2:
                [.partition([groups[0], groups.dropFirst().flatMap { $0 }])]
            case .lose(let one, let other): [.cutAfter(one, other, bytes: 0), .cut(one, other)]
            default: []
            }
        return simpler.map(\.event)
    }

    func keeping(_ known: inout KnownNames) -> LinkEvent? {
        guard case .partition(let groups) = self else {
            return devices.allSatisfy(known.devices.contains) ? self : nil
        }
        let left = groups.map { $0.filter(known.devices.contains) }.filter { !$0.isEmpty }
        return left.count > 1 ? .partition(left) : nil
    }

    // MARK: The world

    func apply(to world: World, isElsewhere: Bool) throws {
        switch self {
        case .cut(let first, let second):
            for link in try world.links(world.device(first), world.device(second)) {
                world.breakDown(link)
            }
            try world.settle()
        case .cutAfter(let first, let second, let bytes):
            try world.cutLater(world.device(first), world.device(second), bytes)
        case .delay(let from, let to, let least, let most):
            let (from, to) = (try world.device(from), try world.device(to))
            world.network.setDelay(from.index, to.index, least...max(least, most))
        case .block(let from, let to):
            world.network.block(try world.device(from).index, try world.device(to).index)
        case .unblock(let from, let to):
            world.network.unblock(try world.device(from).index, try world.device(to).index)
            world.releaseHeld()
        case .partition(let groups):
            world.network.split(
                into: try groups.map { try $0.map { try world.device($0).index } })
            world.releaseHeld()
        case .wholeNetwork:
            world.network.makeWhole()
            world.releaseHeld()
        case .corrupt(let from, let to):
            world.network.armFlip(try world.device(from).index, try world.device(to).index)
        case .loseEnd(let loser, let other):
            try world.loseEnd(world.device(loser), of: world.device(other))
        case .lose(let from, let to):
            try world.lose(from: world.device(from), to: world.device(to))
        }
    }
}

extension World {
    fileprivate func cutLater(
        _ first: SimulatedDevice, _ second: SimulatedDevice, _ bytes: Int
    ) throws {
        if let open = links(first, second).last {
            open.byteCountLeft = bytes
        } else {
            network.armCut(first.index, second.index, bytes: bytes)
        }
    }

    /// Nothing arrives any more from one device at another in their sessions, or else in the next one.
    fileprivate func lose(from: SimulatedDevice, to: SimulatedDevice) throws {
        let open = links(from, to)
        for link in open {
            for side in 0...1 where link.ends[side].deviceIndex == to.index {
                link.ends[side].isDeaf = true
            }
        }
        if open.isEmpty { network.armLoss(from.index, to.index) }
    }

    /// One end of a link goes away, and the other hears nothing of it.
    fileprivate func loseEnd(_ loser: SimulatedDevice, of other: SimulatedDevice) throws {
        for link in links(loser, other) {
            for side in 0...1
            where link.ends[side].deviceIndex == loser.index && link.ends[side].end == nil {
                link.isHalfOpen = true
                try tell(link, side, .lost)
            }
        }
    }
}
