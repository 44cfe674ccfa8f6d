import Transport

/// Another store, or a relay, and how it is reached.
package enum Contact {
    /// A device.
    case device(Endpoint)
    /// A relay, and what this device shows it.
    case relay(RelayAddress, RelaySpaceMember)

    /// Its address, as a person writes it.
    package var address: String {
        switch self {
        case .device(let endpoint): endpoint.description
        case .relay(let address, _): address.description
        }
    }

    /// Whether it is a relay.
    package var isRelay: Bool {
        if case .relay = self { true } else { false }
    }
}

/// How things stand with a contact.
public enum ContactState: Hashable, Sendable {
    /// Nothing was tried yet, or this device was told to pause.
    case idle
    /// A connection is being made.
    case dialing
    /// A conversation is going on.
    case connected
    /// It will be tried again; why it ended, and after how many seconds.
    case waiting(why: String, seconds: Int)
    /// It ended in order, as it was meant to.
    case finished
    /// It ended for a cause that does not pass by itself; in words.
    case failed(String)
}
