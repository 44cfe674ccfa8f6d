import Devices
import HTTP
import ToDo

/// The local page: requests in, responses out.
///
/// Belongs to the thread of the event loop.
package final class PageService: HTTPService {
    let device: Device
    let security: PageSecurity
    let settings: PageSettings
    let commands: [PageCommand: String]
    /// The events that open pages hear.
    package let events = PageEvents()
    /// Runs invitations; nil where nothing can.
    package var inviter: (any PageInviter)?
    private let clock: () -> Int64
    private let zone: LocalTimeZone

    /// The page of a device.
    ///
    /// - Parameters:
    ///   - zone: the zone in which days begin.
    ///   - commands: the next steps that are commands of a program; the page itself knows none.
    ///   - clock: the wall clock; milliseconds since 1970-01-01 UTC.
    package init(
        _ device: Device, _ security: PageSecurity, _ settings: PageSettings, zone: LocalTimeZone,
        commands: [PageCommand: String] = [:],
        clock: @escaping () -> Int64 = SystemEnvironment.wallMilliseconds
    ) {
        self.device = device
        self.security = security
        self.settings = settings
        self.commands = commands
        self.zone = zone
        self.clock = clock
    }

    /// The limits of the page's port.
    ///
    /// Browsers come from one address; some places are left for others of this machine's, which are answered as well.
    package static var limits: HTTPLimits {
        var limits = HTTPLimits()
        limits.connectionCountMax = 256
        limits.addressConnectionCountMax = 192
        limits.spareConnectionCount = 32
        return limits
    }

    /// The response to a request, with the head's fields that keep other sites out.
    package func respond(to request: HTTPRequest) -> HTTPResponse {
        let form = request.method == "POST" ? PageForm(request) : nil
        var response: HTTPResponse
        switch security.judge(request, form) {
        case .refused(let refusal): response = Self.response(refusal)
        case .entered(let session):
            response = Self.response(200, PageLayout.entering())
            response.headers.append(security.cookie(of: session))
            response.isOfKnownClient = true
        case .allowed(let session):
            let context = PageContext(
                self, session, request, form ?? PageForm(), now: clock(), zone: zone)
            response = answer(context)
            response.isOfKnownClient = true
        }
        response.headers += PageSecurity.headers
        if !response.headers.contains(where: { $0.name == "cache-control" }) {
            response.headers.append(HTTPHeader("cache-control", "no-store"))
        }
        return response
    }

    /// Whether a client is of this account: a crowd of another one must not take the places of a browser.
    package func admits(clientPort: UInt16?) -> Bool { security.admits(clientPort) }

    private func answer(_ context: PageContext) -> HTTPResponse {
        do {
            return try PageRoutes.answer(context)
        } catch let refusal as PageRefusalError {
            return Self.response(refusal.refusal, token: context.session.token)
        } catch {
            return Self.response(500, PageLayout.failure(PageFaultWords.words(error), context))
        }
    }

    /// A response with a page.
    static func response(_ status: Int, _ page: HTML) -> HTTPResponse {
        HTTPResponse(
            status, headers: [HTTPHeader("content-type", "text/html; charset=utf-8")],
            body: .bytes(Array(page.source.utf8)))
    }

    private static func response(
        _ refusal: PageRefusal, token: String? = nil
    ) -> HTTPResponse {
        var response = response(refusal.status, PageLayout.refusal(refusal, token: token))
        response.headers.append(HTTPHeader("x-tandem-refusal", refusal.rawValue))
        if refusal == .wrongMethod {
            response.headers.append(HTTPHeader("allow", "GET, HEAD, POST"))
        }
        return response
    }
}

/// The settings of a person, as far as the page goes by them.
package struct PageSettings: Sendable {
    let user: UserSettings
    let weekStart: Weekday
    /// The context of the environment; nil for the one that was chosen.
    let contextName: String?

    /// Settings of a person.
    package init(_ user: UserSettings, weekStart: Weekday, contextName: String? = nil) {
        self.user = user
        self.weekStart = weekStart
        self.contextName = contextName
    }
}

/// A next step that is a command of the program which runs the page.
package enum PageCommand: Hashable, Sendable {
    case invite, join, sync, status, web, doctor, daemon, resume, acceptDeletes, refuseDeletes
}

/// Ends a request with a refusal.
struct PageRefusalError: Error {
    let refusal: PageRefusal

    init(_ refusal: PageRefusal) { self.refusal = refusal }
}
