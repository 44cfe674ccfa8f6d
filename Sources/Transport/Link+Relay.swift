extension Link {
    /// The binding of the channel between a device and a relay, known only to these two.
    ///
    /// The proof of access is bound to it.
    ///
    /// Nil in plain. Source: Protocol/9-Sealing.md §3.
    package var relayBinding: [UInt8]? {
        exportKeyingMaterial(
            label: "EXPORTER-Tandem-Relay-Access", context: [], length: 32)
    }
}
