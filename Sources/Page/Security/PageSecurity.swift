import Devices
import HTTP

/// The door of the page: a browser that came with the one-time secret of this account.
///
/// Another account of the machine can connect to the port, and gets nothing: the kernel tells whose socket it is, and
/// it can neither read the secret's file nor make up a session. A page of another site can make the browser send requests, and gets nothing
/// either: they lack the cookie, the origin and the token of the form.
package final class PageSecurity {
    /// The most browsers that are let in at once; the one that came first goes.
    package static let sessionCountMax = 16
    /// The name of the field and of the head's field with the token of a session.
    package static let tokenField = "token"
    /// The same in the head of a request by a script.
    package static let tokenHeader = "x-tandem-token"
    /// The path that the one-time secret is sent to.
    package static let loginPath = "/login"

    /// The result of a look at a request.
    enum Verdict {
        /// It comes from a session's page.
        case allowed(PageSession)
        /// It came with the secret: a new session.
        case entered(PageSession)
        /// It is refused.
        case refused(PageRefusal)
    }

    /// The port; browsers keep cookies for all ports of a host, so that its name has the number.
    package let port: Int
    private let hosts: Set<String>
    private var sessions: [PageSession] = []
    private let draw: () -> UInt64
    private let isOwnAccount: (UInt16?) -> Bool
    /// The secret that lets the next browser in.
    package private(set) var secret: String
    /// Called when a browser was let in: the secret is another one from then on.
    package var changed: () -> Void = {}

    /// Nobody is let in yet but browsers of an earlier run.
    ///
    /// - Parameters:
    ///   - sessions: what ``sessionsText`` was then.
    ///   - isOwnAccount: whether the socket at a port of this machine is of this account.
    ///   - draw: gives 64 bits that nobody can guess.
    package init(
        port: Int, sessions: String = "",
        isOwnAccount: @escaping (UInt16?) -> Bool = { _ in true },
        draw: @escaping () -> UInt64 = SystemEnvironment.random
    ) {
        self.isOwnAccount = isOwnAccount
        self.port = port
        self.draw = draw
        self.sessions = sessions.split(separator: "\n").suffix(Self.sessionCountMax).compactMap {
            let words = $0.split(separator: " ")
            guard words.count == 2, words.allSatisfy({ $0.utf8.count == Self.tokenLength }) else {
                return nil
            }
            return PageSession(name: String(words[0]), token: String(words[1]))
        }
        hosts = ["127.0.0.1:\(port)", "localhost:\(port)"]
        secret = Self.token(draw)
    }

    /// The browsers that are let in, for the next run: a restart asks none of them again.
    package var sessionsText: String {
        sessions.map { "\($0.name) \($0.token)\n" }.joined()
    }

    /// The characters of a secret.
    private static let tokenLength = 64

    /// 256 bits as text.
    private static func token(_ draw: () -> UInt64) -> String {
        (0..<4).map { _ in Hexadecimal.text(draw()) }.joined()
    }

    /// The name of the cookie.
    var cookieName: String { "tandem-\(port)" }

    /// The field of the head that gives a browser its session.
    func cookie(of session: PageSession) -> HTTPHeader {
        HTTPHeader(
            "set-cookie", "\(cookieName)=\(session.name); Path=/; HttpOnly; SameSite=Strict")
    }

    /// Decides on a request.
    ///
    /// - Parameter form: the fields of its body; nil if that is none of a form.
    func judge(_ request: HTTPRequest, _ form: PageForm?) -> Verdict {
        guard let host = request.header("host"), hosts.contains(host) else {
            return .refused(.wrongHost)
        }
        guard admits(request.clientPort) else { return .refused(.foreignAccount) }
        if request.path == Self.loginPath, request.method == "POST" { return enter(form) }
        guard let session = session(of: request) else { return .refused(.noSession) }
        let sites = request.headers.filter { $0.name == "sec-fetch-site" }.map(\.value)
        let isOwnSite = sites.allSatisfy { $0 == "same-origin" }
        switch request.method {
        case "GET", "HEAD":
            // Another port of this machine is the same site, which has the cookie sent: it may lead here, and no more.
            let isLook = sites.contains("none") || request.header("sec-fetch-mode") == "navigate"
            return isOwnSite || isLook ? .allowed(session) : .refused(.foreignOrigin)
        case "POST": break
        default: return .refused(.wrongMethod)
        }
        guard isOwnSite, request.header("origin") == "http://\(host)" else {
            return .refused(.foreignOrigin)
        }
        guard let form else { return .refused(.noForm) }
        let token = request.header(Self.tokenHeader) ?? form[Self.tokenField]
        guard let token, token.isSameSecret(session.token) else { return .refused(.wrongToken) }
        return .allowed(session)
    }

    /// Whether a client at a port of this machine is of this account.
    func admits(_ clientPort: UInt16?) -> Bool { isOwnAccount(clientPort) }

    private func enter(_ form: PageForm?) -> Verdict {
        guard let given = form?["secret"], given.isSameSecret(secret) else {
            return .refused(.wrongSecret)
        }
        let session = PageSession(name: Self.token(draw), token: Self.token(draw))
        sessions.append(session)
        if sessions.count > Self.sessionCountMax { sessions.removeFirst() }
        secret = Self.token(draw)
        changed()
        return .entered(session)
    }

    private func session(of request: HTTPRequest) -> PageSession? {
        guard let cookies = request.header("cookie") else { return nil }
        for pair in cookies.split(separator: ";") {
            let parts = pair.drop { $0 == " " }.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0] == cookieName else { continue }
            return sessions.first { $0.name.isSameSecret(parts[1]) }
        }
        return nil
    }

    /// The fields of the head that every response has.
    package static let headers = [
        HTTPHeader(
            "content-security-policy",
            """
            default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
            connect-src 'self'; worker-src 'self'; manifest-src 'self'; form-action 'self'; \
            frame-ancestors 'none'; base-uri 'none'
            """),
        HTTPHeader("x-content-type-options", "nosniff"),
        HTTPHeader("x-frame-options", "DENY"),
        // A form of this page has to say where it comes from; nobody else hears it.
        HTTPHeader("referrer-policy", "same-origin"),
        HTTPHeader("cross-origin-opener-policy", "same-origin"),
        HTTPHeader("cross-origin-resource-policy", "same-origin"),
    ]
}

/// A browser that was let in.
final class PageSession {
    /// The value of its cookie.
    let name: String
    /// The token that its forms carry.
    let token: String
    /// The notices that its next page shows first.
    var notices: [PageNotice] = []

    /// A browser with its cookie and its token.
    init(name: String, token: String) {
        self.name = name
        self.token = token
    }

    /// The most notices that wait for a page.
    private static let noticeCountMax = 8

    /// Tells something on the next page.
    func tell(_ notice: PageNotice) {
        notices.append(notice)
        notices = notices.suffix(Self.noticeCountMax)
    }

    /// Takes what the next page tells.
    func takeNotices() -> [PageNotice] {
        defer { notices = [] }
        return notices
    }
}

/// The result of an operation of a person, told above the next page.
struct PageNotice {
    /// How it ended.
    enum Kind: String {
        case done
        case refused
    }

    let kind: Kind
    let text: HTML
    /// The button that takes it back.
    var undo: HTML = .nothing
}

/// Why a request is refused.
enum PageRefusal: String {
    case wrongHost = "wrong-host"
    case foreignAccount = "foreign-account"
    case noSession = "no-session"
    case wrongSecret = "wrong-secret"
    case wrongMethod = "wrong-method"
    case foreignOrigin = "foreign-origin"
    case noForm = "no-form"
    case wrongToken = "wrong-token"
    case noPage = "no-page"
    case badForm = "bad-form"
    case failed

    /// The status of the response.
    var status: Int {
        switch self {
        case .wrongHost: 421
        case .foreignAccount, .noSession, .wrongSecret, .foreignOrigin, .wrongToken: 403
        case .wrongMethod: 405
        case .noForm: 415
        case .noPage: 404
        case .badForm: 400
        case .failed: 500
        }
    }

    /// The refusal in words, and the next step.
    var words: String {
        switch self {
        case .wrongHost:
            "This page answers at 127.0.0.1 only. Open it from the command line."
        case .foreignAccount:
            "Another account of this machine runs this page; it shows nothing to yours."
        case .noSession:
            "This browser was not let in, or the page was started anew. Open it from the command line."
        case .wrongSecret:
            "This way in was used before. Open the page from the command line again."
        case .wrongMethod: "The page takes no such request."
        case .foreignOrigin: "The request came from another site, so nothing was done."
        case .noForm: "The page takes forms alone."
        case .wrongToken:
            "The form is older than this start of the page, so nothing was done. Go back, load the page anew, "
                + "and send it again."
        case .noPage: "There is no such page."
        case .badForm: "The form has a field that the page cannot read, so nothing was done."
        case .failed: "The page failed."
        }
    }
}
