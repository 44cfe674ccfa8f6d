import Devices
import JSON
import Terminal
import ToDo

/// Serves the to-dos to calendar apps, and makes the passwords of these.
enum CaldavCommand: Command {
    static let name = "caldav"
    static let summary = "Show your to-dos in phone and calendar apps (CalDAV)"
    static let help = """
          tandem caldav --add-client phone
          tandem caldav
          tandem caldav --clients
          tandem caldav --remove-client phone

        Serves all to-dos to apps that speak CalDAV, such as Reminders of iOS,
        Tasks.org, Thunderbird and GNOME's, until Ctrl-C. Each top-level project is a
        list, and so is the inbox. What apps change merges with all other edits; where
        both changed one field, you see a conflict. To have the daemon serve it from
        its next start on: tandem config caldav on

        Each app has a name and a password of its own, which --add-client makes and
        shows once. The gateway answers on this machine only and encrypts nothing: for
        a phone, put a proxy with TLS in front (docs/caldav.md).

        --add-client NAME      let an app in: show its name and password, once
        --clients              list the apps, and what of theirs is held
        --remove-client NAME   let an app in no more
        --port N               the port (default: the setting caldav.port, else \(UserSetting.standardGatewayPort))
        --listen HOST:PORT     the address, in place of 127.0.0.1 and a port
        --insecure-listen      allow an address that other machines reach: passwords and
                               to-dos then cross the network for all to read
        """
    static let values = ["add-client", "remove-client", "port", "listen"]
    static let flags = ["clients", "insecure-listen"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        try arguments.refuseWords()
        let asked = ["add-client", "remove-client"].filter { arguments[$0] != nil }
        guard asked.count + (arguments.has("clients") ? 1 : 0) <= 1 else {
            throw CommandFailure(
                .usage, "say one of --add-client, --remove-client and --clients")
        }
        do throws(GatewayClientFault) {
            if let name = arguments["add-client"] { return try add(name, arguments) }
            if let name = arguments["remove-client"] { return try remove(name, arguments) }
        } catch {
            throw failure(error)
        }
        if arguments.has("clients") { return try list(arguments) }
        let address = try address(arguments)
        // A store that cannot be opened is told as other commands tell it.
        let context = try CommandContext.open(arguments)
        context.device.close()
        try WebProgram.run(
            words(try CommandContext.folder(arguments), address)
                + (arguments.has("insecure-listen") ? ["insecure"] : []))
    }

    /// The words by which `tandem-web` serves the calendars of a store.
    static func words(_ folder: String, _ address: String) -> [String] {
        ["caldav", folder, address]
    }

    /// The address of a port of this machine.
    static func address(port: UInt16) -> String { "127.0.0.1:\(port)" }

    private static func address(_ arguments: Arguments) throws -> String {
        if let text = arguments["listen"] {
            guard arguments["port"] == nil else {
                throw CommandFailure(.usage, "say either --listen or --port")
            }
            return try HostAndPort(parsing: text).description
        }
        let port =
            try arguments["port"].map { try WebCommand.port($0, option: "--port") }
            ?? UserConfiguration.current.gatewayPort
        return address(port: port)
    }

    // MARK: Clients

    private static func open(
        _ arguments: Arguments
    ) throws(GatewayClientFault) -> CommandContext {
        do {
            return try CommandContext.open(arguments)
        } catch let fault as StoreFault {
            throw .store(fault)
        } catch {
            throw .other(error)
        }
    }

    private static func add(
        _ name: String, _ arguments: Arguments
    ) throws(GatewayClientFault) -> ExitCode {
        let context = try open(arguments)
        let (client, password) = try context.device.gatewayClients.add(
            named: name, now: context.now)
        if arguments.has("json") {
            Screen.line(
                JSONOutput.object([
                    ("name", JSONOutput.text(client.name)), ("password", JSONOutput.text(password)),
                ]).compactText)
            return .ok
        }
        Screen.line("name      \(client.name.shownInLine)")
        Screen.line("password  \(password)")
        Screen.line(
            "The password is shown this once. Server: where `tandem caldav` or your proxy answers.")
        return .ok
    }

    private static func remove(
        _ name: String, _ arguments: Arguments
    ) throws(GatewayClientFault) -> ExitCode {
        let context = try open(arguments)
        let client = try context.device.gatewayClients.remove(named: name)
        do throws(StoreFault) {
            try ServedToDos(
                context.todos, for: ServedClient(identifier: client.identifier, name: client.name)
            ).forget()
        } catch {
            throw .store(error)
        }
        Screen.line("\(client.name.shownInLine) is let in no more.")
        return .ok
    }

    private static func list(_ arguments: Arguments) throws -> ExitCode {
        let context = try CommandContext.openToRead(arguments)
        let clients = try context.device.gatewayClients.all()
        let held = try context.device.gatewayClients.heldDeletes()
        func heldCount(_ client: GatewayClient) -> Int {
            held.first { $0.client == client }?.held.deletedCount ?? 0
        }
        if arguments.has("json") {
            let lines = clients.map { client in
                JSONOutput.object([
                    ("name", JSONOutput.text(client.name)), ("added", .number(client.added)),
                    ("lastUsed", client.lastUsed.map { .number($0) } ?? .null),
                    ("heldDeletes", .number(heldCount(client))),
                ])
            }
            Screen.line(JSONValue.array(lines).compactText)
            return .ok
        }
        if clients.isEmpty {
            Screen.line("No client. Add one: \(AdvisedLine.program) caldav --add-client NAME")
            return .ok
        }
        func day(_ time: Int64) -> String {
            DatePhrase.describe(
                .day(Int32(clamping: context.zone.localTime(at: time).day)), now: context.now,
                zone: context.zone)
        }
        for client in clients {
            let used = client.lastUsed.map { "last used \(day($0))" } ?? "never used"
            Screen.line("\(client.name.shownInLine): added \(day(client.added)), \(used)")
            let count = heldCount(client)
            if count > 0 {
                Screen.line(
                    "  \(EditMessages.count(count, "delete")) held. If meant: \(AdvisedLine.program) accept-deletes, then delete again there"
                )
            }
        }
        return .ok
    }

    private static func failure(_ fault: GatewayClientFault) -> any Error {
        switch fault {
        case .badName:
            CommandFailure(
                .usage,
                "a client's name has 1 to \(GatewayClients.nameByteCountMax) bytes, without colons and control characters"
            )
        case .nameTaken:
            CommandFailure(
                .usage,
                "there is a client of that name already; choose another, or remove that one: \(AdvisedLine.program) caldav --remove-client NAME"
            )
        case .tooMany:
            CommandFailure(
                .refused,
                "there are \(GatewayClients.countMax) clients, as many as there may be; remove one: \(AdvisedLine.program) caldav --clients"
            )
        case .noSuchClient:
            CommandFailure(
                .usage,
                "there is no client of that name; run: \(AdvisedLine.program) caldav --clients")
        case .noEncryption:
            CommandFailure(
                .unavailable,
                "this build has no encryption, so it can make no passwords. Build it with the trait Encryption"
            )
        case .seal:
            CommandFailure(.unavailable, "libcrypto failed; see: \(AdvisedLine.program) doctor")
        case .store(let fault): fault
        case .other(let error): error
        }
    }
}
