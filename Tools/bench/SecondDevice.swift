import JSON

/// A second device of the space of a measured store, paired by a code as a person pairs one, which answers the first.
///
/// It answers at a socket, where a sync asks no more of a machine than the engine does, and at a port over TLS.
final class SecondDevice {
    private let servers: [Server]
    /// The words that stand for it in commands (`CommandWords`).
    let placeholders: [String: [String]]

    /// Pairs a device with the one of a store.
    ///
    /// - Parameter folder: where its store is made.
    init(_ program: String, of store: String, in folder: String) throws {
        let first = [program, "--store", store]
        let here = [program, "--store", folder]
        let meeting = try Server(first, at: "127.0.0.1:0", beside: "\(folder).meeting")
        let codePath = "\(folder).code"
        let invitation = try StartedProgram(
            first + ["invite", "--yes", "--json", "--address", meeting.address], output: codePath)
        let told = try JSONReader.read(Array(invitation.awaitLine(of: codePath).utf8))
        guard let code = told["code"]?.asText else { throw BenchError.failed("no code: \(told)") }
        let joining = here + ["join", code, "--name", "second"]
        try StartedProgram(joining, errors: "\(folder).join").wait()
        try invitation.wait()
        try meeting.end()
        let socket = try Server(
            here, at: "unix:\(folder).socket", beside: "\(folder).socket-server")
        let port = try Server(here, at: "127.0.0.1:0", beside: "\(folder).port-server")
        servers = [socket, port]
        placeholders = [
            "THERE": ["--store", folder], "SOCKET": [socket.address], "PORT": [port.address],
        ]
    }

    /// Ends its servers.
    func end() throws {
        for server in servers { try server.end() }
    }

    /// `tandem serve`.
    private struct Server {
        let program: StartedProgram
        let address: String

        /// Starts it, and waits until it listens.
        ///
        /// - Parameter device: the words with which commands of the device begin.
        init(_ device: [String], at address: String, beside path: String) throws {
            program = try StartedProgram(
                device + ["serve", "--listen", address, "--port-file", "\(path).address"],
                errors: "\(path).log")
            self.address = try program.awaitLine(of: "\(path).address")
        }

        func end() throws { try program.end() }
    }
}
