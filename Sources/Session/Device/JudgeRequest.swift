import Core

/// Asks to take over what other devices stated through a relay, as far as the tallies agree.
package struct JudgeRequest: Hashable, Sendable {
    /// The relay's store of the space.
    package var relay: ReplicaID
    /// How far it was read; nil if that is to be forgotten, as something that came was no device's.
    package var through: Checkpoint?
    /// Whether the relay was found to withhold something in this session, and will be read anew.
    package var isReadAnew = false
    /// The statements as they came, sealed in a space with encryption.
    package var notices: [Standing.Notice]

    /// A request.
    package init(
        relay: ReplicaID, through: Checkpoint?, notices: [Standing.Notice],
        isReadAnew: Bool = false
    ) {
        self.relay = relay
        self.through = through
        self.notices = notices
        self.isReadAnew = isReadAnew
    }
}
