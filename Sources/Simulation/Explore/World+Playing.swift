import Core
import Storage

/// Worlds that are run for what comes of them.
extension World {
    /// Runs a story in a world of its own.
    package static func play(_ story: Story) -> StoryResult {
        let world = World(story)
        let outcome = world.run()
        world.end()
        return StoryResult(outcome, refused: world.refused, counts: world.counts)
    }

    /// Runs a small world of an exhaustive search.
    package static func playSmall(_ story: Story) -> ExhaustiveResult {
        let world = World(story)
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
    private func fingerprint(of device: Device) throws -> UInt64 {
        guard let store = device.store else { return 0 }
        var fingerprint: UInt64 = 0
        for item in story.items {
            guard let stored = try store.record(Vocabulary.record(item)) else { continue }
            for byte in "\(stored.record)".utf8 {
                fingerprint = Chance.mixed(fingerprint ^ UInt64(byte))
            }
        }
        return fingerprint
    }
}
