import Devices
import HTTP
import ToDo

/// A next step that is a command of the program that runs the gateway.
package enum GatewayCommand: Hashable, Sendable {
    case addClient, acceptDeletes
}

/// The gateway for calendars: requests of CalDAV in, answers out (RFC 4791, RFC 4918, RFC 5689, RFC 6578).
///
/// Belongs to the thread of the event loop.
package final class CalendarGateway: HTTPService {
    /// The limits of the gateway's port.
    ///
    /// Behind a proxy all clients come from one address, so one address has most places, and yet not all.
    package static var limits: HTTPLimits {
        var limits = HTTPLimits()
        limits.bodyByteCountMax = 4 << 20
        limits.connectionCountMax = 512
        limits.addressConnectionCountMax = 384
        limits.spareConnectionCount = 32
        return limits
    }

    let device: Device
    let zone: LocalTimeZone
    let commands: [GatewayCommand: String]
    let clock: () -> Int64
    let entrance: GatewayEntrance
    let catalog = ListCatalog()
    let tags = DocumentTags()

    /// The gateway of a device.
    ///
    /// - Parameters:
    ///   - zone: the zone in which days begin.
    ///   - clock: the wall clock; milliseconds since 1970-01-01 UTC.
    ///   - commands: the next steps that are commands of a program; the gateway itself knows none.
    ///   - steady: milliseconds since any time, which only rise.
    package init(
        _ device: Device, zone: LocalTimeZone, commands: [GatewayCommand: String] = [:],
        clock: @escaping () -> Int64 = SystemEnvironment.wallMilliseconds,
        steady: @escaping () -> Int64 = { Int64(MonotonicTime.now.nanoseconds / 1_000_000) }
    ) {
        self.device = device
        self.zone = zone
        self.commands = commands
        self.clock = clock
        entrance = GatewayEntrance(device.gatewayClients, clock: steady)
    }

    /// The methods, by what they are about.
    private static let methods: [String: Set<Kind>] = [
        "OPTIONS": [.root, .principal, .home, .list, .toDo],
        "PROPFIND": [.root, .principal, .home, .list, .toDo],
        "PROPPATCH": [.root, .principal, .home, .list, .toDo],
        "GET": [.root, .principal, .home, .list, .toDo],
        "REPORT": [.root, .principal, .home, .list, .toDo],
        "PUT": [.toDo], "DELETE": [.root, .principal, .home, .list, .toDo],
        "MOVE": [.toDo], "MKCOL": [.list], "MKCALENDAR": [.list],
    ]
    /// The methods of HTTP and WebDAV that no resource has.
    private static let otherMethods: Set<String> = [
        "POST", "PATCH", "COPY", "LOCK", "UNLOCK", "ACL", "TRACE", "CONNECT", "SEARCH",
    ]

    private enum Kind { case root, principal, home, list, toDo }

    private static func kind(of resource: GatewayResource) -> Kind {
        switch resource {
        case .root: .root
        case .principal: .principal
        case .home: .home
        case .list: .list
        case .toDo: .toDo
        }
    }

    /// The methods that a resource has.
    static func methods(of resource: GatewayResource) -> [String] {
        let kind = kind(of: resource)
        return methods.filter { $0.value.contains(kind) }.keys
            .flatMap { $0 == "GET" ? ["GET", "HEAD"] : [$0] }.sorted()
    }

    /// The response to a request.
    package func respond(to request: HTTPRequest) -> HTTPResponse {
        do {
            return try answer(request)
        } catch let refusal as GatewayRefusal {
            return refusal.response(commands)
        } catch let fault as StoreFault {
            return .plain(
                503, headers: [HTTPHeader("retry-after", "5")],
                "The store cannot be used now: \(fault)")
        } catch {
            return .plain(500, "The gateway failed.")
        }
    }

    private func answer(_ request: HTTPRequest) throws -> HTTPResponse {
        if Self.isForeign(request) { throw GatewayRefusal.foreignOrigin }
        if request.path == GatewayResource.wellKnownPath
            || request.path == GatewayResource.wellKnownPath + "/"
        {
            return HTTPResponse(
                301, headers: [HTTPHeader("location", GatewayResource.root.path)])
        }
        let client = try entrance.client(request)
        var response: HTTPResponse
        do throws(GatewayRefusal) {
            response = try known(client, request)
        } catch {
            response = error.response(commands)
        }
        response.isOfKnownClient = true
        return response
    }

    /// The response to a client that was let in.
    private func known(
        _ client: GatewayClient, _ request: HTTPRequest
    ) throws(GatewayRefusal) -> HTTPResponse {
        // The server as a whole, which only OPTIONS can ask for.
        let path = request.path == "*" ? GatewayResource.root.path : request.path
        guard let resource = GatewayResource(path: path) else { throw .noResource }
        guard let kinds = Self.methods[request.method] else {
            guard Self.otherMethods.contains(request.method) else { throw .unknownMethod }
            throw .wrongMethod(allowed: Self.methods(of: resource))
        }
        let kind = Self.kind(of: resource)
        guard kinds.contains(kind) else {
            if request.method.hasPrefix("MK"), kind == .toDo { throw .notInHome }
            if request.method == "MKCALENDAR" { throw .exists }
            throw .wrongMethod(allowed: Self.methods(of: resource))
        }
        do {
            let context = GatewayContext(self, client, request, resource)
            try catalog.refresh(context.todos)
            try device.gatewayClients.noteUse(of: client, now: clock())
            let back = try catalog.renamedBack(context.served)
            for settings in back { try context.served.keep(settings) }
            if !back.isEmpty { try catalog.refresh(context.todos) }
            return try dispatch(context)
        } catch let refusal as GatewayRefusal {
            throw refusal
        } catch {
            return Self.failed(error)
        }
    }

    private static func failed(_ error: any Error) -> HTTPResponse {
        guard let fault = error as? StoreFault else { return .plain(500, "The gateway failed.") }
        return .plain(
            503, headers: [HTTPHeader("retry-after", "5")],
            "The store cannot be used now: \(fault)")
    }

    private func dispatch(_ context: GatewayContext) throws -> HTTPResponse {
        let request = context.request
        let reads = ["OPTIONS", "PROPFIND", "GET", "REPORT"].contains(request.method)
        if !reads {
            guard request.query.isEmpty else { throw GatewayRefusal.strayQuery }
            // Conditions about locks, of which there are none.
            if request.headers.contains(where: { $0.name == "if" }) {
                throw GatewayRefusal.conditionFailed
            }
        }
        switch request.method {
        case "OPTIONS":
            return HTTPResponse(
                200,
                headers: [
                    HTTPHeader("dav", "1, 3, calendar-access, extended-mkcol"),
                    HTTPHeader("allow", Self.methods(of: context.resource).joined(separator: ", ")),
                ])
        case "PROPFIND": return try PropertyMethods.find(context)
        case "PROPPATCH": return try PropertyMethods.patch(context)
        case "REPORT": return try ReportMethods.report(context)
        case "GET": return try ToDoMethods.get(context)
        case "PUT": return try ToDoMethods.put(context)
        case "MOVE": return try ToDoMethods.move(context)
        case "DELETE": return try ListMethods.delete(context)
        case "MKCOL", "MKCALENDAR": return try ListMethods.make(context)
        default: throw GatewayRefusal.unknownMethod
        }
    }

    /// Whether a page of another site sent the request by a browser.
    ///
    /// Programs that are made of a browser's parts, such as Thunderbird, name the server's own origin (RFC 6454, section 7).
    /// Its scheme is the proxy's, which the gateway does not know, so the host and port decide.
    private static func isForeign(_ request: HTTPRequest) -> Bool {
        let sites = request.headers.filter { $0.name == "sec-fetch-site" }.map(\.value)
        if !sites.allSatisfy({ ownSites.contains($0) }) { return true }
        let origins = request.headers.filter { $0.name == "origin" }.map { $0.value.lowercased() }
        guard let host = request.header("host")?.lowercased(), !host.isEmpty else {
            return !origins.isEmpty
        }
        return !origins.allSatisfy { $0 == "http://" + host || $0 == "https://" + host }
    }

    /// The sites that a browser's own requests and those to one's own origin name (Fetch Metadata).
    private static let ownSites: Set<String> = ["none", "same-origin"]
}
