import Devices
import Terminal
import ToDo

/// Keeps this device in sync for as long as it runs.
enum DaemonCommand: Command {
    static let name = "daemon"
    static let summary = "Sync continuously with all known devices and relays"
    static let help = """
          tandem daemon
          tandem daemon --peer desk:7717 --relay relay://home:7718#5f0c-…
          tandem daemon --listen 0.0.0.0:7717
          tandem daemon --install
          tandem daemon --uninstall

        Connects to every relay and device known from `tandem join` and `tandem invite`,
        and to those named, at the same time. Changes by other commands are sent at
        once. A lost connection is opened again; all addresses are retried about every
        20 minutes. What `tandem invite` adds while it runs is connected, too. With
        nobody to sync with yet, it runs if it serves the page or calendars.

        A to-do that was deleted here is purged after 180 days, once the device has run
        on 30 days since.

        --peer ADDRESS      connect to this device as well
        --relay ADDRESS     connect to this relay as well
        --listen ADDRESS    accept other devices there as well: HOST:PORT, or unix:
                            (default: none)
        --web PORT          serve the page of `tandem web` on this port of this machine,
                            too; none for no page (default: none, or the port of the
                            settings after: tandem config web on)
        --caldav PORT       serve calendar apps on this port of this machine, as
                            `tandem caldav` does; none for not doing so (default: none,
                            or the port of the settings after: tandem config caldav on)
        --metrics ADDRESS   serve /metrics (for Prometheus) and /health there, on this
                            machine only: PORT, or HOST:PORT (default: none)
        --insecure          allow plain TCP with other machines (spaces made with
                            --plain only)
        --notify COMMAND    the program that tells reminders (tandem help remind); none
                            for no reminders (default: TANDEM_NOTIFY, else notify-send)
        --install           start it now and at each login, for this store and with
                            these options, as the unit tandem.service of systemd's
                            user manager; without systemd, say what to put where
        --uninstall         stop it, and start it no more at login
        """
    static let values = ["peer", "relay", "listen", "metrics", "web", "caldav", "notify"]
    static let flags = ["insecure", "install", "uninstall"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        try arguments.refuseWords()
        if arguments.has("uninstall") {
            if arguments.has("install") {
                throw CommandFailure(.usage, "say either --install or --uninstall")
            }
            return try LoginServiceOutput.uninstall(arguments)
        }
        let ports = try ports(arguments)
        let context = try CommandContext.open(arguments)
        if arguments.has("install") { return try LoginServiceOutput.install(context, arguments) }
        if ControlClient.isAnswered(in: context.device.folder) { throw runsAlready }
        let (daemon, listening) = try prepare(
            context, arguments, waitsForOthers: ports.serves)
        if let metrics = try metricsAddress(arguments) {
            try daemon.serveMetrics(at: metrics, log: ending(of: "metrics"))
        }
        if let page = ports.page { servePage(on: page, daemon, context) }
        if let calendars = ports.calendars { serveCalendars(on: calendars, daemon, context) }
        let reminders = try reminders(context, daemon, arguments)
        defer { reminders?.end() }
        for served in [daemon.status.page?.servedWords, daemon.status.gateway?.servedGatewayWords] {
            if let served { Screen.error("tandem: \(served)\n") }
        }
        for contact in daemon.status.contacts {
            Screen.error("tandem: staying in touch with \(contact.address)\n")
        }
        if daemon.status.contacts.isEmpty {
            Screen.error(
                "tandem: no relay and no device is known yet; one that `\(AdvisedLine.program) invite` adds is synced with at once\n"
            )
        }
        do throws(TransportError) {
            try daemon.run(listening: listening)
        } catch {
            guard error.isAddressInUse, ControlClient.isAnswered(in: context.device.folder) else {
                throw error
            }
            // Another one was faster: another address would make two daemons of one store.
            throw runsAlready
        }
        return .ok
    }

    /// A daemon as the options say, which does nothing yet, and where it is to listen.
    ///
    /// - Parameter waitsForOthers: whether it runs also if there is nobody yet to be in touch with.
    static func prepare(
        _ context: CommandContext, _ arguments: Arguments, waitsForOthers: Bool = false
    ) throws -> (daemon: Daemon, listening: Endpoint?) {
        let others = try [arguments["relay"], arguments["peer"]].compactMap(\.self).map {
            try PeerAddress(parsing: $0)
        }
        if let metrics = try metricsAddress(arguments), !MonitorPort.isInstalled {
            throw TransportError.noWebProgram(address: metrics.description)
        }
        let listening = try arguments["listen"].flatMap { text in
            text == "none" ? nil : try Endpoint(parsing: text)
        }
        do {
            let daemon = try context.device.daemon(
                with: others, isListening: listening != nil,
                allowInsecure: arguments.has("insecure"), waitsForOthers: waitsForOthers, log)
            return (daemon, listening)
        } catch DeviceFault.nobodyKnown {
            throw CommandFailure(
                .usage,
                "no relay and no device is known; pair first (\(AdvisedLine.program) invite), or name one: "
                    + "\(AdvisedLine.program) daemon --peer desk:7717")
        }
    }

    /// Where its metrics are to be; nil for nowhere.
    private static func metricsAddress(_ arguments: Arguments) throws -> HostAndPort? {
        guard let text = arguments["metrics"], text != "none" else { return nil }
        let isPort = text.utf8.allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
        return try HostAndPort(parsing: isPort ? "127.0.0.1:\(text)" : text)
    }

    /// The ports of the page and of calendars, by the options and the settings; nil for none.
    struct Ports {
        var page: UInt16?
        var calendars: UInt16?

        /// Whether anything is served, and can be.
        var serves: Bool {
            (page != nil || calendars != nil)
                && SiblingProgram.path(SiblingProgram.web).map(MonitorPort.serves) == true
        }
    }

    static func ports(_ arguments: Arguments) throws -> Ports {
        let settings = UserConfiguration.current
        return Ports(
            page: try port("web", arguments, else: settings.servesPage ? settings.webPort : nil),
            calendars: try port(
                "caldav", arguments, else: settings.servesCalendars ? settings.gatewayPort : nil))
    }

    /// The port that an option gives; nil for none.
    ///
    /// - Parameter setting: the port without the option; nil for none.
    private static func port(
        _ option: String, _ arguments: Arguments, else setting: UInt16?
    ) throws -> UInt16? {
        guard let text = arguments[option] else { return setting }
        return text == "none" ? nil : try WebCommand.port(text, option: "--" + option)
    }

    /// Has the page served; what keeps it away is told, and keeps nothing else away.
    private static func servePage(on port: UInt16, _ daemon: Daemon, _ context: CommandContext) {
        guard let path = SiblingProgram.path(SiblingProgram.web), MonitorPort.serves(path) else {
            daemon.missingPage = DaemonStatus.Page(port: port, state: .noProgram)
            Screen.error("tandem: no page is served: \(WebProgram.missing)\n")
            return
        }
        daemon.servePage(
            port: port,
            command: [path] + WebCommand.words(context.device.folder, port) + ["child"],
            log: ending(of: "the page"))
    }

    /// Has calendars served; what keeps them away is told, and keeps nothing else away.
    private static func serveCalendars(
        on port: UInt16, _ daemon: Daemon, _ context: CommandContext
    ) {
        guard let path = SiblingProgram.path(SiblingProgram.web), MonitorPort.serves(path) else {
            daemon.missingGateway = DaemonStatus.Page(port: port, state: .noProgram)
            Screen.error("tandem: no calendars are served: \(WebProgram.missing)\n")
            return
        }
        let words = CaldavCommand.words(
            context.device.folder, CaldavCommand.address(port: port))
        daemon.serveCalendars(
            port: port, command: [path] + words + ["child"], log: ending(of: "calendars"))
    }

    /// Tells that a program which the daemon keeps has ended by itself.
    private static func ending(of subject: String) -> (KeptProgram.Fault) -> Void {
        { fault in
            Screen.error(
                "tandem: the program for \(subject) has ended (\(fault.cause)); it is started again in "
                    + "\(fault.pause.components.seconds) s\n")
        }
    }

    /// The runner that tells reminders while the daemon runs; nil if nothing does.
    private static func reminders(
        _ context: CommandContext, _ daemon: Daemon, _ arguments: Arguments
    ) throws -> NoticeRunner<ToDoNotices>? {
        guard let notifier = try ReminderOutput.notifier(arguments) else { return nil }
        guard notifier.isThere else {
            if ReminderOutput.isNamed(arguments) {
                let program = notifier.command.first ?? ""
                Screen.error(
                    "tandem: there is no \(program.shownInLine), so no reminders are told here\n")
            }
            return nil
        }
        let runner = try NoticeRunner(
            ToDoNotices(context.device, waits: true), notifier: notifier, on: daemon.loop
        ) { Screen.error("tandem: a reminder could not be told: \($0)\n") }
        daemon.recordsChanged = { runner.look() }
        return runner
    }

    private static var runsAlready: CommandFailure {
        CommandFailure(
            .unavailable,
            "a daemon runs for this store already; what it does: \(AdvisedLine.program) status")
    }

    private static var log: SyncServer.Log {
        SyncServer.Log(
            listening: { Screen.error("tandem: listening on \($0)\n") }, connected: { _ in },
            fault: { Screen.error("tandem: \($0): \($1.words.shownInLine)\n") },
            refused: { Screen.error("tandem: \($1.words.shownInLine)\n") },
            rejected: { peer, refusal in
                Screen.error("tandem: \(peer): refused: \(refusal.message.shownInLine)\n")
            }, ended: { _, _, _, _ in },
            leftOut: { Screen.error("tandem: \($0) more lines about strangers were left out\n") })
    }
}
