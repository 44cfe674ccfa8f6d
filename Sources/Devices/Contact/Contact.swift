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
