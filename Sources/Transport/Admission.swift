import Core

/// What becomes of a peer by the key that it has shown.
package enum Admission {
    /// It is let in.
    case trusted
    /// It is told why it is not let in.
    case refused(PeerError)
    /// It may say by whom it was invited, and nothing else.
    case stranger
    /// It is not spoken to.
    case unknown
}
