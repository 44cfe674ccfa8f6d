import Core
import Storage

/// The result of running a scenario once.
package struct ScenarioResult: Hashable, Sendable {
    /// How it ended.
    package var outcome: Outcome
    /// The steps that were refused, in order; count from 0.
    package var refused: [Int]
    /// How often what happened.
    package var counts: [String: Int]

    /// A result.
    package init(_ outcome: Outcome, refused: [Int] = [], counts: [String: Int] = [:]) {
        self.outcome = outcome
        self.refused = refused
        self.counts = counts
    }
}

/// Worlds that are run for what comes of them.
extension World {
    /// Runs a scenario in a world of its own.
    package static func play(_ scenario: Scenario) -> ScenarioResult {
        let world = World(scenario)
        let outcome = world.run()
        world.end()
        return ScenarioResult(outcome, refused: world.refused, counts: world.counts)
    }

    /// Runs a small world of an exhaustive search.
    package static func playSmall(_ scenario: Scenario) -> ExhaustiveResult {
        let world = World(scenario)
        var states: [UInt64] = []
        let outcome = world.run {
            states = try world.devices.map { try world.fingerprint(of: $0) }
        }
        world.end()
        return ExhaustiveResult(outcome, states: states, refused: world.refused.last)
    }

    /// Ends every program as a kill does, so that no store outlives its world.
    package func end() {
        for device in devices {
            if device.relay?.node != nil {
                device.disk.crash()
                device.relay?.node = nil
            }
            device.store?.abandon()
            device.store = nil
            device.replica = nil
        }
    }

    /// The files of every device's store, as they are on its disk now.
    package func files() -> [(device: String, files: [(path: String, bytes: [UInt8])])] {
        devices.map { ($0.name, $0.disk.contents()) }
    }

    /// Stands for all records that a device holds.
    private func fingerprint(of device: SimulatedDevice) throws -> UInt64 {
        guard let store = device.store else { return 0 }
        var fingerprint: UInt64 = 0
        for item in scenario.items {
            guard let stored = try store.record(record(item)) else { continue }
            // Two records with the same content are two.
            for byte in "\(item) \(stored.record)".utf8 {
                fingerprint = Chance.mixed(fingerprint ^ UInt64(byte))
            }
        }
        return fingerprint
    }
}
