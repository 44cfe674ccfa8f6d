/// Which end of a secure channel this is.
package enum SecureRole: Sendable {
    /// It dialled, and speaks first.
    case client
    /// It listens.
    case server
}
