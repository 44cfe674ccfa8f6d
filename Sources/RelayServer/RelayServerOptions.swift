import Crypto
import Relay
import Transport

/// A relay server's network settings, besides the relay's own options.
package struct RelayServerOptions {
    /// Where it listens.
    package var hostAndPort: HostAndPort
    /// The relay's own key; nil serves in plain.
    package var certificate: DeviceCertificate?
    /// Whether other machines may reach it in plain.
    package var allowInsecure = false
    /// The address of its metrics, on this machine only; nil for none.
    package var metricsAddress: HostAndPort?
    /// The most connections from one network: an IPv4 address, or a /64 of IPv6.
    package var networkLinkCountMax = 256
    /// The most connections from one network that have not been let into a space, unless set otherwise.
    package static let networkUnprovedCountMax = 64
    /// The most connections from one network in the handshake, and the most behind it that have not been let into a space.
    package var networkUnprovedCountMax = RelayServerOptions.networkUnprovedCountMax
    /// The balancers that say for whom a connection of theirs is.
    package var proxies: [AddressRange] = []
    /// How long devices may take to leave when the relay is to end.
    package var drainMax = Duration.seconds(10)
    /// Devices have so long to come after a start, before any space of a store of this process's own counts as idle.
    package var expiryStart = Duration.seconds(3600)
    /// The relay's folder, token and limits.
    package var relay: RelayOptions

    /// The usual ones.
    package init(hostAndPort: HostAndPort, certificate: DeviceCertificate?, relay: RelayOptions) {
        self.hostAndPort = hostAndPort
        self.certificate = certificate
        self.relay = relay
    }
}
