import Core

/// What a device shows a relay to be let in.
package struct RelayAccount: Hashable, Sendable {
    /// The generation of the space's secret; 0 in a space without encryption.
    package var generation: UInt32
    /// The proof of access, bound to the channel; nil in a space without encryption.
    package var access: Approach.Access?
    /// What permits to make a new space, on a relay that asks for it.
    package var token: String?
    /// Whether the device only looks at what is there, and leaves nothing.
    package var isReader: Bool

    /// An account.
    package init(
        generation: UInt32 = 0, access: Approach.Access? = nil, token: String? = nil,
        isReader: Bool = false
    ) {
        self.generation = generation
        self.isReader = isReader
        self.access = access
        self.token = token
    }
}
