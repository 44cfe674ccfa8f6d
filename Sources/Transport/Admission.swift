import Core

/// The decision about a peer by the key that it has shown.
package enum Admission {
    /// It is let in.
    case trusted
    /// It is refused, and receives the reason.
    case refused(PeerError)
    /// It may say by whom it was invited, and nothing else.
    case stranger
    /// It is not spoken to.
    case unknown
}
