/// A fault of a clock; each case is one line of the language, given with it.
package enum ClockEvent: Hashable, Sendable {
    /// `the clock of laptop is set to 2001-01-01`: days since 1970-01-01.
    case setClock(String, day: Int32)
    /// `the clock of laptop jumps by -3 hours`; milliseconds.
    case shiftClock(String, milliseconds: Int64)
    /// `the clock of laptop drifts by 500 ppm`.
    case driftClock(String, partsPerMillion: Int64)
}

extension EventKind {
    static let setClock = EventKind("setClock", weight: 2, fault: .clock)
    static let shiftClock = EventKind("shiftClock", weight: 2, fault: .clock)
    static let driftClock = EventKind("driftClock", weight: 1, fault: .clock)
}

extension ClockEvent: EventFamily {
    static let kinds: [EventKind] = [.setClock, .shiftClock, .driftClock]

    var kind: EventKind {
        switch self {
        case .setClock: .setClock
        case .shiftClock: .shiftClock
        case .driftClock: .driftClock
        }
    }

    var event: ScenarioEvent { .clock(self) }

    static let forms: [ScenarioForm] = [
        form(
            "the clock of DEVICE is set to DATE", "Noon of that day, UTC.",
            "the clock of laptop is set to 2001-01-01"
        ) { .setClock($0.name(), day: $0.day()) },
        form(
            "the clock of DEVICE jumps by SHIFT", "Forward, or backward with a minus sign.",
            "the clock of laptop jumps by -3 hours"
        ) { .shiftClock($0.name(), milliseconds: $0.number()) },
        form(
            "the clock of DEVICE drifts by PPM ppm", "It goes faster, or slower with a minus sign.",
            "the clock of laptop drifts by 500 ppm"
        ) { .driftClock($0.name(), partsPerMillion: $0.number()) },
    ]

    var words: String {
        switch self {
        case .setClock(let device, let day):
            "the clock of \(device) is set to \(ScenarioWriter.date(day))"
        case .shiftClock(let device, let milliseconds):
            "the clock of \(device) jumps by \(ScenarioSpan.text(milliseconds))"
        case .driftClock(let device, let partsPerMillion):
            "the clock of \(device) drifts by \(partsPerMillion) ppm"
        }
    }

    var devices: [String] {
        switch self {
        case .setClock(let one, _), .shiftClock(let one, _), .driftClock(let one, _): [one]
        }
    }

    static func draw(_ kind: EventKind, by maker: inout ScenarioMaker) -> ScenarioEvent? {
        guard let index = maker.someone() else { return nil }
        let device = maker.model.devices[index].name
        let event: ClockEvent =
            switch kind {
            case .setClock:
                .setClock(device, day: maker.chance.pick([0, 11_323, 20_833, 20_900, 25_000]))
            case .shiftClock:
                .shiftClock(
                    device,
                    milliseconds: maker.chance.pick([
                        -86_400_000, -5_000, 5_000, 100_000, 7_200_000,
                    ]))
            default:
                .driftClock(
                    device, partsPerMillion: maker.chance.pick([-20_000, 500, 300_000]))
            }
        return .clock(event)
    }

    func apply(to world: World, isElsewhere: Bool) throws {
        switch self {
        case .setClock(let name, let day): world.setClock(try world.device(name), day: day)
        case .shiftClock(let name, let span):
            world.shiftClock(try world.device(name), milliseconds: span)
        case .driftClock(let name, let rate):
            world.driftClock(try world.device(name), partsPerMillion: rate)
        }
    }
}

extension World {
    func setClock(_ device: SimulatedDevice, day: Int32) {
        let noon = Int64(day) * 86_400_000 + 43_200_000
        device.drift = (0, now)
        device.clockOffset = noon - Self.wallStart - now
        tell(device.index, .befell("has its clock set to \(ScenarioWriter.date(day))"))
    }

    func shiftClock(_ device: SimulatedDevice, milliseconds: Int64) {
        device.clockOffset += milliseconds
        let seconds = milliseconds / 1000
        tell(device.index, .befell("has its clock jump by \(seconds) seconds"))
    }

    func driftClock(_ device: SimulatedDevice, partsPerMillion: Int64) {
        device.clockOffset = device.clockError(at: now)
        device.drift = (partsPerMillion, now)
        tell(device.index, .befell("has its clock drift by \(partsPerMillion) ppm"))
    }
}
