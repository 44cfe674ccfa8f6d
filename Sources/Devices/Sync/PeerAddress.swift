import Transport

/// The address of a device or a relay, as people write it.
package enum PeerAddress: Hashable, Sendable, CustomStringConvertible {
    /// A device.
    case device(Endpoint)
    /// A relay.
    case relay(RelayAddress)

    /// Reads an address: one that begins with `relay://` is a relay's.
    package init(parsing text: String) throws(TransportError) {
        self =
            RelayAddress.isMeant(by: text)
            ? .relay(try RelayAddress(parsing: text)) : .device(try Endpoint(parsing: text))
    }

    package var description: String {
        switch self {
        case .device(let endpoint): endpoint.description
        case .relay(let address): address.description
        }
    }

    /// The address for people, without the key; of a relay its first host and port.
    package var shortText: String {
        switch self {
        case .device(let endpoint): String(endpoint.description.prefix { $0 != "#" })
        case .relay(let address): address.hostAndPort.description
        }
    }
}
