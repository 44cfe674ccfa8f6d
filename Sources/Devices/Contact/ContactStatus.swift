import Session

/// How things stand with a contact, for other threads.
package struct ContactStatus: Sendable {
    /// Its address, as a person writes it.
    package let address: String
    /// Whether it is a relay.
    package let isRelay: Bool
    /// How things stand.
    package let state: ContactState
    /// The last report of the present or the last session.
    package let report: SessionReport
    /// When each side last had all that the other had; by the wall clock, milliseconds since 1970.
    package let lastComplete: Int64?
}
