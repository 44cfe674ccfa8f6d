import Core

/// A story: devices of one space, and what happens to them, one step after the other.
///
/// Stories are read from files, drawn at random, searched exhaustively and made shorter; whatever
/// happens in a world happens because a step of its story says so.
package struct Story: Hashable, Sendable {
    /// What the story is about, in a line.
    package var title: String
    /// The space's rule for deletes against edits.
    package var policy: DeletePolicy
    /// The seed of all chance in its world.
    package var seed: UInt64
    /// The devices that are there from the beginning.
    package var devices: [DeviceTraits]
    /// Whether devices never meet each other, and only visit relays: `devices meet only at relays`.
    package var meetsOnlyAtRelays: Bool
    /// Whether the space has no secret, so that relays could read all: `nothing is encrypted`.
    package var isPlain: Bool
    /// How many deletes of one session pass every brake; nil for as many as usual.
    package var brakeCount: Int?
    /// Whether an action that is refused is passed over, foreseen or not: `lenient`.
    package var isLenient: Bool
    /// What happens, in order.
    package var steps: [Step]

    /// The names of those of the devices that are relays.
    package var relays: Set<String> { Set(devices.filter(\.isRelay).map(\.name)) }

    /// A story.
    package init(
        title: String = "", policy: DeletePolicy = .deletesWin, seed: UInt64 = 1,
        devices: [DeviceTraits] = [], meetsOnlyAtRelays: Bool = false,
        isPlain: Bool = false, brakeCount: Int? = nil, isLenient: Bool = false, steps: [Step] = []
    ) {
        self.title = title
        self.policy = policy
        self.seed = seed
        self.devices = devices
        self.meetsOnlyAtRelays = meetsOnlyAtRelays
        self.isPlain = isPlain
        self.brakeCount = brakeCount
        self.isLenient = isLenient
        self.steps = steps
    }
}
