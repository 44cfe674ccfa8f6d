import Relay

/// One setting of a relay.
package struct RelaySetting: Sendable {
    /// The type of the setting's value.
    package enum Kind: Sendable {
        /// Host and port.
        case address
        /// Host and port, or `off`.
        case optionalAddress
        /// A folder or a file.
        case path
        /// Any text.
        case secret
        /// Addresses and networks as numbers, with commas between them.
        case networks
        /// The address of a PostgreSQL database, in which a password may stand.
        case database
        /// `yes` or `no`.
        case flag
        /// One of the levels of the log.
        case level
        /// A whole number within these bounds.
        case number(ClosedRange<Int>)
        /// A number of bytes, with K, M, G or T for powers of 1024.
        case bytes(ClosedRange<Int>)
    }

    /// Its name in a file; `--NAME` on the command line, `TANDEM_RELAY_NAME` in the environment.
    package let name: String
    /// The type of the setting's value.
    package let kind: Kind
    /// The default value; empty for none.
    package let standard: String
    /// Whether SIGHUP takes it over.
    package let isReloadable: Bool
    /// The setting's purpose, in one line.
    package let summary: String

    /// The variable of the environment that sets it.
    package var variable: String {
        Self.variablePrefix + String(name.uppercased().map { $0 == "-" ? "_" : $0 })
    }

    /// The placeholder for the value in help, one or two words.
    package var valueWord: String {
        switch kind {
        case .address, .optionalAddress: "HOST:PORT"
        case .path: "PATH"
        case .secret: "TEXT"
        case .networks: "ADDRESSES"
        case .database: "postgresql://HOST/NAME"
        case .flag: "yes"
        case .level: "LEVEL"
        case .number: "NUMBER"
        case .bytes: "BYTES"
        }
    }

    /// The prefix of all environment variables of a relay.
    package static let variablePrefix = "TANDEM_RELAY_"

    private init(
        _ name: String, _ kind: Kind, _ standard: String, isReloadable: Bool = true,
        _ summary: String
    ) {
        self.name = name
        self.kind = kind
        self.standard = standard
        self.isReloadable = isReloadable
        self.summary = summary
    }

    /// All settings, in the order in which they are listed.
    package static let all: [RelaySetting] = {
        let limits = RelayLimits()
        let count = 1...1_000_000_000
        func number(_ name: String, _ value: Int, _ summary: String) -> RelaySetting {
            RelaySetting(name, .number(count), "\(value)", summary)
        }
        return [
            RelaySetting(
                "listen", .address, "localhost:7718", isReloadable: false, "where devices come to"),
            RelaySetting("folder", .path, "", isReloadable: false, "where it keeps the spaces"),
            RelaySetting(
                "store", .database, "", isReloadable: false,
                "a PostgreSQL database for the spaces, shared with other relays"),
            RelaySetting(
                "store-connections", .number(1...1000), "\(limits.storeConnectionCountMax)",
                isReloadable: false, "most connections to that database for devices"),
            RelaySetting(
                "metrics", .optionalAddress, "off", isReloadable: false,
                "where /metrics and /health are, on this machine"),
            RelaySetting("token", .secret, "", "what a device must show to make a space"),
            RelaySetting("token-file", .path, "", "a file with that token"),
            RelaySetting("plain-spaces", .flag, "no", "take spaces without encryption"),
            RelaySetting(
                "insecure", .flag, "no", isReloadable: false, "let other machines come in plain TCP"
            ),
            RelaySetting("log-level", .level, "info", "debug, info, warning or error"),
            RelaySetting(
                "space-bytes", .bytes(1024...(1 << 50)), "\(limits.spaceByteCountMax >> 20)M",
                "most bytes of a space"),
            number("space-records", limits.spaceRecordCountMax, "most records of a space"),
            number(
                "space-connections", limits.spaceSessionCountMax, "most devices of a space at once"),
            number(
                "device-connections", limits.deviceSessionCountMax,
                "most connections of one device of a space at once"),
            RelaySetting(
                "device-bytes", .bytes(1024...(1 << 50)), "\(limits.deviceByteCountMax >> 20)M",
                "most bytes that one device adds to a space in 24 hours"),
            number(
                "record-versions", limits.recordVersionCountMax,
                "most concurrent versions of a record"),
            number("spaces", limits.spaceCountMax, "most spaces"),
            number("open-spaces", limits.openSpaceCountMax, "most files of spaces open at once"),
            number("connections", limits.sessionCountMax, "most connections"),
            number(
                "connections-per-address", 256,
                "most connections from one IPv4 address or IPv6 /64"),
            RelaySetting(
                "unproved-per-address", .number(count),
                "\(RelayServerOptions.networkUnprovedCountMax)", isReloadable: false,
                "most of them that have not proved access yet"),
            RelaySetting(
                "proxies", .networks, "", isReloadable: false,
                "the balancers before it, which say for whom each connection is"),
            RelaySetting(
                "expire-days", .number(0...36_500), "0",
                "delete a space that no device has visited for so many days; 0 for never"),
            RelaySetting(
                "held-bytes", .bytes(1 << 20...(1 << 50)), "\(limits.heldByteCountMax >> 20)M",
                "most bytes of half-received uploads, over all connections"),
            number(
                "failed-proofs-per-minute", limits.failedProofsPerMinuteMax,
                "most failed proofs from one address for one space in a minute"),

            number(
                "silence-seconds", Int(limits.silenceTimeoutMilliseconds / 1000),
                "longest silence of a device"),
            number(
                "slow-seconds", Int(limits.slowConsumerMilliseconds / 1000),
                "longest wait for a device that takes nothing"),
            RelaySetting(
                "drain-seconds", .number(0...3600), "10", "longest wait for devices at the end"),
        ]
    }()

    /// The one of that name.
    package static func named(_ name: String) -> RelaySetting? { all.first { $0.name == name } }
}
