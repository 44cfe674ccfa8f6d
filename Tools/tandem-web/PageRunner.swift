import Devices
import Glibc
import HTTP
import Page
import ToDo
import Transport

/// The page of a store on a port of this machine.
final class PageRunner {
    private let options: PageOptions
    private let device: Device
    private let loop: EventLoop
    private let security: PageSecurity
    private let service: PageService
    private let files: PageFiles
    private let watch: RecordWatch
    private var isLookDue = false

    /// How often pages are pinged.
    private static let pingInterval = Duration.seconds(15)
    /// How long after a sign of a change it is looked for, so that the files of one commit are seen together.
    private static let settlingTime = Duration.milliseconds(4)
    /// How often it is looked for changes of which no sign came.
    private static let lookInterval = Duration.seconds(1)

    init(_ options: PageOptions, _ files: PageFiles) throws {
        self.options = options
        self.files = files
        device = try Device.open(in: options.folder, schema: ToDoSchema.collections)
        loop = try EventLoop()
        security = PageSecurity(
            port: Int(options.port), sessions: files.sessions,
            isOwnAccount: {
                ClientAccount.isOwn($0, connectedTo: Int(options.port))
            })
        service = PageService(
            device, security, try Self.settings(),
            zone: try TimeZoneLoader.system.zone(variable: Self.environment("TZ")),
            commands: [
                .invite: "tandem invite", .join: "tandem join", .sync: "tandem sync",
                .status: "tandem status", .web: "tandem web", .doctor: "tandem doctor",
                .daemon: "tandem daemon --install", .resume: "tandem resume",
                .acceptDeletes: "tandem accept-deletes", .refuseDeletes: "tandem refuse-deletes",
            ])
        watch = try RecordWatch(device)
    }

    /// Serves the page of a store, or opens the one that another process serves.
    static func run(_ options: PageOptions) throws {
        let files = PageFiles(folder: options.folder, port: options.port)
        if files.takeLock() { return try PageRunner(options, files).run() }
        if options.isChild {
            throw ServerFailure(
                PagePort.servedElsewhereCode, "another process serves the page of this store")
        }
        guard let address = files.runningAddress else {
            throw ServerFailure(EX_TEMPFAIL, "tandem web is starting or ending already; try again")
        }
        WebOutput.line("The page runs already: \(address)")
        files.offer(opens: options.opens)
    }

    private static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    private static func settings() throws -> PageSettings {
        let file = UserSettingsFile(environment: environment)
        var user = UserSettings()
        do throws(UserSettingsFault) {
            let text = try file?.text()
            user = try UserSettings(
                file: file.flatMap { file in text.map { (file.path, $0) } },
                environment: environment, split: ShellWords.split)
        } catch {
            WebOutput.error(
                "tandem: the settings cannot be read, so the defaults hold; see: tandem config\n")
        }
        let context = environment("TANDEM_CONTEXT")
        return PageSettings(
            user, weekStart: user.weekStart ?? SystemLocale.weekStart(environment) ?? .monday,
            contextName: context.flatMap { $0.isEmpty ? nil : $0 })
    }

    /// Serves until a signal comes.
    func run() throws {
        // A process that has ended hears nothing, which is no reason to end.
        signal(SIGPIPE, SIG_IGN)
        try StoreServer.awaitEnd(on: loop, isChild: options.isChild)
        let server = try listen()
        security.changed = { [files, security] in
            files.write(login: security.secret)
            files.write(sessions: security.sessionsText)
        }
        files.write(login: security.secret)
        try watchFiles()
        let inviter = InvitationRunner(options.folder, on: loop) { [service] in
            service.events.tell([])
        }
        service.inviter = inviter
        device.changed = { [weak self] in self?.lookSoon() }
        tick(Self.lookInterval) { [weak self] in self?.look() }
        tick(Self.pingInterval) { [service] in service.events.ping() }
        if options.isChild {
            WebOutput.text(PagePort.readyLine)
        } else {
            WebOutput.line("The page: \(files.address)")
            files.offer(opens: options.opens)
            WebOutput.line("Ctrl-C ends it.")
        }
        try loop.run()
        service.events.close()
        server.close()
        try inviter.end()
        files.remove()
        device.close()
    }

    private func listen() throws -> HTTPServer {
        if options.isChild {
            return try StoreServer.handedOn(to: loop, limits: PageService.limits, service: service)
        }
        let address = HostAndPort(host: "127.0.0.1", port: options.port)
        do {
            return try HTTPServer(
                on: loop, at: address, limits: PageService.limits, service: service)
        } catch {
            guard case .failedCall(_, let code, _) = error, code == EADDRINUSE else { throw error }
            throw ServerFailure(
                EX_UNAVAILABLE,
                "port \(options.port) of this machine is taken by another program. Choose another: "
                    + "tandem web --port \(options.port &+ 1)")
        }
    }

    private func tick(_ interval: Duration, _ operation: @escaping () -> Void) {
        loop.schedule(after: interval) { [weak self] in
            operation()
            self?.tick(interval, operation)
        }
    }

    // MARK: Changes

    /// Watches the store's files, which every process that writes to it changes.
    private func watchFiles() throws {
        let descriptor = inotify_init1(CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC))
        guard descriptor >= 0,
            inotify_add_watch(descriptor, options.folder, UInt32(IN_MODIFY | IN_CREATE)) >= 0
        else { return }
        _ = try loop.add(descriptor, .readable) { [weak self] _ in
            var buffer = [UInt8](repeating: 0, count: 1 << 14)
            while read(descriptor, &buffer, buffer.count) > 0 {}
            self?.lookSoon()
        }
    }

    private func lookSoon() {
        if isLookDue { return }
        isLookDue = true
        loop.schedule(after: Self.settlingTime) { [weak self] in
            self?.isLookDue = false
            self?.look()
        }
    }

    private func look() {
        // A store that cannot be read right now is looked at again.
        guard let ids = try? watch.next(), !ids.isEmpty else { return }
        service.events.tell(ids)
    }
}
