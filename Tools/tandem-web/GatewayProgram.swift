import CalDAV
import Devices
import Glibc
import HTTP
import ToDo
import Transport

/// Runs `tandem-web caldav`: the gateway for calendars of a store, until it is stopped.
enum GatewayProgram {
    static func run(_ words: [String]) {
        StoreServer.run("calendars") { try GatewayRunner(try GatewayOptions(words)).run() }
    }
}

/// The words that `tandem caldav` hands on.
struct GatewayOptions {
    let folder: String
    let address: HostAndPort
    /// Whether other machines may connect, without encryption.
    let isInsecure: Bool
    /// Whether a daemon runs it: the socket is there already, and the end of the input ends it.
    let isChild: Bool

    /// Reads the folder, the address and perhaps `insecure` or `child`.
    init(_ words: [String]) throws {
        guard words.count >= 2, words[0].hasPrefix("/") else {
            throw ServerFailure(EX_USAGE, "tandem-web caldav is run by tandem caldav")
        }
        folder = words[0]
        address = try HostAndPort(parsing: words[1])
        isInsecure = words.dropFirst(2).contains("insecure")
        isChild = words.dropFirst(2).contains("child")
    }
}

/// The gateway of a store on a port.
final class GatewayRunner {
    private let options: GatewayOptions
    private let device: Device
    private let loop: EventLoop
    private let gateway: CalendarGateway
    private let lock: ServerLock

    init(_ options: GatewayOptions) throws {
        self.options = options
        lock = ServerLock(options.folder + "/caldav-lock")
        guard lock.take(options.address.description) else {
            throw ServerFailure(
                options.isChild ? PagePort.servedElsewhereCode : EX_TEMPFAIL,
                "another process serves the calendars of this store"
                    + (lock.holder.map { ": http://\($0)/" } ?? ""))
        }
        device = try Device.open(in: options.folder, schema: ToDoSchema.collections)
        loop = try EventLoop()
        let variable = getenv("TZ").map { String(cString: $0) }
        gateway = CalendarGateway(
            device, zone: try TimeZoneLoader.system.zone(variable: variable),
            commands: [
                .addClient: "tandem caldav --add-client NAME",
                .acceptDeletes: "tandem accept-deletes",
            ])
    }

    /// Serves until a signal comes, or as a daemon's child until the end of its input.
    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        try StoreServer.awaitEnd(on: loop, isChild: options.isChild)
        let server = try listen()
        if options.isChild {
            WebOutput.text(PagePort.readyLine)
        } else {
            WebOutput.line("Calendars: http://\(server.address)/")
            if try device.gatewayClients.all().isEmpty {
                WebOutput.line("No client may use it yet. Add one: tandem caldav --add-client NAME")
            }
            WebOutput.line("Ctrl-C ends it.")
        }
        try loop.run()
        server.close()
        device.close()
    }

    private func listen() throws -> HTTPServer {
        let limits = CalendarGateway.limits
        if options.isChild {
            return try StoreServer.handedOn(to: loop, limits: limits, service: gateway)
        }
        do {
            return try HTTPServer(
                on: loop, at: options.address, plain: options.isInsecure ? .anywhere : .thisMachine,
                limits: limits, service: gateway)
        } catch {
            switch error {
            case .insecureListen:
                throw ServerFailure(
                    EX_USAGE,
                    "\(options.address) can be reached by other machines, and nothing would be encrypted, not even "
                        + "the passwords. Put a proxy with TLS in front (docs/caldav.md), or say --insecure-listen"
                )
            case .failedCall(_, let code, _) where code == EADDRINUSE:
                throw ServerFailure(
                    EX_UNAVAILABLE,
                    "\(options.address) is taken by another program. Choose another port: "
                        + "tandem caldav --port \(options.address.port &+ 1)")
            default: throw error
            }
        }
    }
}
