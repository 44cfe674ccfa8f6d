/// What is known of a link when it opens.
package struct RelayChannel: Hashable, Sendable {
    /// Where the device is, without a port: failed proofs are counted under it.
    package var address: String
    /// What names the channel and can be known at its two ends only: the exporter of TLS; nil without TLS.
    package var binding: [UInt8]?
    /// Whether frames carry a checksum, as the transport does not authenticate.
    package var hasChecksum: Bool

    /// A link from `address`.
    package init(address: String, binding: [UInt8]? = nil, hasChecksum: Bool = true) {
        self.address = address
        self.binding = binding
        self.hasChecksum = hasChecksum
    }
}
