import Glibc
import Transport

/// The life of a relay's program.
extension RelayServer {
    /// Listens, and serves until a signal ends it; SIGHUP has the settings read again.
    ///
    /// - Parameters:
    ///   - read: reads the settings anew.
    ///   - words: an error of `read`, for the log.
    ///   - tell: is called once it listens.
    package func run(
        _ setup: RelaySetup, log: RelayLog, read: @escaping () throws -> RelaySetup,
        words: @escaping (any Error) -> String, tell: (RelayServer) throws -> Void
    ) throws {
        try listen()
        var current = setup.settings
        try watchSignals { server in
            do {
                let next = try read()
                // A warning is written at the level that was set when it arose.
                server.warnOfRestart(next, startedWith: setup.settings)
                log.level = next.settings.logLevel
                server.reload(next, after: current)
                current = next.settings
            } catch {
                for line in words(error).split(separator: "\n") {
                    log.write(LogLine(.error, "not-reloaded", ["message": String(line)]))
                }
            }
        }
        logStart()
        try tell(self)
        try serve()
    }

    /// The message by which a program tells where it listens: names and texts, in order.
    ///
    /// Empty before `listen`.
    package var announcement: [(name: String, text: String)] {
        guard let address, let relayAddress else { return [] }
        return [
            ("event", "listening"), ("address", "\(address)"),
            ("fingerprint", fingerprint.map { "\($0)" } ?? ""), ("relay", "\(relayAddress)"),
            ("metrics", metricsAddress.map { "\($0)" } ?? ""),
        ]
    }

    /// The same for people, in lines.
    package var announcementLines: [String] {
        guard let relayAddress else { return [] }
        return (fingerprint.map { ["This relay is \($0)"] } ?? []) + ["\(relayAddress)"]
    }

    /// Writes the address for devices to a file, so that a reader sees all of it or nothing.
    ///
    /// - Throws: `unwritable` if that is not possible.
    package func writeAddress(to path: String) throws(RelaySetupFault) {
        guard let relayAddress else { return }
        let temporary = path + ".new"
        // A link that another account may have put there is not followed.
        unlink(temporary)
        guard let file = fopen(temporary, "wxe") else {
            throw .unwritable(path: path, errno: errno)
        }
        fputs("\(relayAddress)\n", file)
        fclose(file)
        rename(temporary, path)
    }
}
