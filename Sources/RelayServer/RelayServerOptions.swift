import Crypto
import Relay
import Transport

/// How a relay meets the world, beside what it keeps.
package struct RelayServerOptions {
    /// Where it listens.
    package var place: HostAndPort
    /// The relay's own key; nil serves in plain.
    package var certificate: DeviceCertificate?
    /// Whether other machines may reach it in plain.
    package var allowInsecure = false
    /// Where its metrics are told, on this machine only; nil for nowhere.
    package var metricsPlace: HostAndPort?
    /// The most connections from one network: an IPv4 address, or a /64 of IPv6.
    package var networkLinkCountMax = 256
    /// How long devices may take to leave when the relay is to end.
    package var drainMax = Duration.seconds(10)
    /// What it keeps, and how much.
    package var relay: RelayOptions

    /// The usual ones.
    package init(place: HostAndPort, certificate: DeviceCertificate?, relay: RelayOptions) {
        self.place = place
        self.certificate = certificate
        self.relay = relay
    }
}
