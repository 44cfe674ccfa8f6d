extension Link {
    /// What names the channel between a device and a relay, and only the two can know: the proof of access is bound to it.
    ///
    /// Nil in plain. Source: Protocol/9-Sealing.md §3.
    package var relayBinding: [UInt8]? {
        exportKeyingMaterial(
            label: "EXPORTER-Tandem-Relay-Access", context: [], length: 32)
    }
}
