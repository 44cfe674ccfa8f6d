import Core
import Crypto
import Devices
import Session
import Storage
import ToDo
import Transport

/// Keeps this device in sync for as long as it runs.
enum DaemonCommand: Command {
    static let name = "daemon"
    static let summary = "keeps this device in sync until it is stopped"
    static let help = """
          tandem daemon
          tandem daemon --peer desk:7717 --relay relay://home:7718#5f0c-…
          tandem daemon --listen 0.0.0.0:7717

        Stays in touch with every relay and device that is known here (`tandem join`,
        `tandem invite`) and with those named, all at once; comes back by itself when a
        connection breaks, and tries everything again every 20 minutes or so.
        What other commands change leaves at once.

        What was deleted on this device 180 days ago is purged by itself, once the
        device has run on 30 days since.

        --peer ADDRESS      a device to stay in touch with, beside those known
        --relay ADDRESS     a relay to stay in touch with, beside those known
        --listen HOST:PORT  answer other devices there as well (default: none)
        --insecure          allow plain TCP with other machines
        """
    static let values = ["peer", "relay", "listen"]
    static let flags = ["insecure"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        try arguments.refuseWords()
        let place = try Workplace.open(arguments)
        let others = try [arguments["relay"], arguments["peer"]].compactMap(\.self).map {
            try PeerAddress(parsing: $0)
        }
        let listening = try arguments["listen"].flatMap { text in
            text == "none"
                ? nil
                : Daemon.Listening(
                    try HostAndPort(parsing: text), allowInsecure: arguments.has("insecure"))
        }
        let daemon: Daemon
        do {
            daemon = try place.device.daemon(
                with: others, isListening: listening != nil,
                allowInsecure: arguments.has("insecure"), log)
        } catch DeviceFault.nobodyKnown {
            throw CommandFailure(
                .usage,
                "no relay and no device is known; pair first (tandem invite), or name one: "
                    + "tandem daemon --peer desk:7717")
        }
        for contact in daemon.status.contacts {
            Terminal.error("tandem: staying in touch with \(contact.address)\n")
        }
        try daemon.run(listening: listening)
        return .ok
    }

    private static var log: SyncServer.Log {
        SyncServer.Log(
            listening: { Terminal.error("tandem: listening on \($0)\n") }, connected: { _ in },
            fault: { Terminal.error("tandem: \($0): \($1)\n") },
            refused: { Terminal.error("tandem: \($1)\n") },
            introduced: { peer, shown, refusal in
                let words = refusal.map { "refused: \($0.message)" } ?? "joined with a code"
                Terminal.error("tandem: \(peer) (\(shown.short)): \(words)\n")
            }, ended: { _, _, _, _ in })
    }
}
