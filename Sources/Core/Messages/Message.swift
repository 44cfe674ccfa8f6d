/// What two peers say to each other.
///
/// Source: Protocol/3-Messages.md.
package enum Message: Hashable, Sendable {
    /// Who one is and what one has; first on each side.
    case hello(Hello)
    /// What is remembered of the other, once its hello told who it is.
    case recollect(Recollection)
    /// Changes.
    case changes(ChangeBatch)
    /// A piece of a change too long for one frame; once whole it belongs to the next batch.
    case part(BodyPart)
    /// So many batches have been integrated since the session began.
    case acknowledge(UInt64)
    /// Nothing is left to send.
    case caughtUp(CaughtUp)
    /// Asks for whole records: a value that was left out is needed.
    case want([RecordID])
    /// Asks for a full exchange of whole records: contents differ although histories do not.
    case repair
    /// Asks what is known of the speaker's own openings.
    case askHistory
    /// Answers that.
    case history(History)
    /// Asks for a sign of life.
    case ping(UInt64)
    /// Gives it.
    case pong(UInt64)
    /// The session ends in order.
    case bye
    /// The session ends with an error.
    case error(PeerError)
    /// Comes to a relay; a device's first message there.
    case approach(Approach)
    /// Answers that; the relay's first message.
    case welcome(Welcome)
    /// All was uploaded to the relay.
    case upload(Upload)
    /// All that the relay has was sent.
    case standing(Standing)
    /// Left at a relay for devices that have an older secret, and given to them by it.
    case letter(Letter)
    /// A message from a newer version that may be skipped.
    case ignorable(UInt64)

    /// The number of the kind on the wire; from 128 on a kind may be skipped by who does not know it.
    package var kind: UInt64 {
        switch self {
        case .hello: 1
        case .changes: 2
        case .acknowledge: 3
        case .caughtUp: 4
        case .part: 5
        case .want: 6
        case .ping: 7
        case .pong: 8
        case .bye: 9
        case .error: 10
        case .repair: 11
        case .askHistory: 12
        case .history: 13
        case .recollect: 14
        case .approach: 20
        case .welcome: 21
        case .upload: 22
        case .standing: 23
        case .letter: 129
        case .ignorable(let kind): kind
        }
    }

    /// The first number of the kinds that may be skipped.
    package static let ignorableKindMin: UInt64 = 128
}
