import Core
import DeviceTestSupport
import Devices
import Glibc
import HTTP
import Page
import Storage
import Testing
import ToDo

/// A device with its page, and a browser that was let in.
final class PageWorld {
    let folder: String
    let device: Device
    let security: PageSecurity
    let page: PageService
    private(set) var cookie = ""
    private(set) var token = ""
    /// Milliseconds since 1970-01-01 UTC: Sun 22 Nov 2026, 10:00.
    var now: Int64 = 1_795_341_600_000
    static let port = 7719
    static let host = "127.0.0.1:7719"

    init(entersBrowser: Bool = true) throws {
        var template = Array("/tmp/tandem-page-XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
        }
        folder = try #require(made)
        var bits: UInt64 = 1
        func draw() -> UInt64 {
            bits = bits &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return bits ^ bits >> 29
        }
        device = Device(
            try Store.create(
                folder: folder + "/laptop", schema: ToDoSchema.collections,
                space: SpaceID(value: 7), deviceName: "laptop",
                environment: StoreEnvironment(
                    wallMilliseconds: { 1_795_341_600_000 }, drawBits: draw, machine: "m",
                    boot: "b")))
        security = PageSecurity(port: Self.port, draw: draw)
        page = PageService(
            device, security, PageSettings(UserSettings(), weekStart: .monday), zone: .utc,
            clock: { 1_795_341_600_000 })
        if entersBrowser { try enter() }
    }

    deinit {
        device.close()
        var identifier = pid_t()
        let command: [String] = ["rm", "-rf", folder]
        var words: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) }
        words.append(nil)
        if posix_spawnp(&identifier, "rm", nil, nil, &words, nil) == 0 {
            waitpid(identifier, nil, 0)
        }
        for word in words { free(word) }
    }

    var todos: ToDoStore { ToDoStore(store: device.store, now: now, zone: .utc) }

    /// Sends the secret, as the file of the login does.
    @discardableResult
    func login(_ secret: String) -> HTTPResponse {
        page.respond(
            to: HTTPRequest(
                "POST", "/login",
                headers: [
                    HTTPHeader("host", Self.host), HTTPHeader("origin", "null"),
                    HTTPHeader("content-type", HTTPForm.type),
                ], body: Array("secret=\(secret)".utf8)))
    }

    private func enter() throws {
        let response = login(security.secret)
        #expect(response.status == 200)
        let header = try #require(response.headers.first { $0.name == "set-cookie" })
        cookie = String(header.value.prefix { $0 != ";" })
        token = try #require(Self.value(of: "token", in: get("/").text))
    }

    func get(_ path: String, _ query: [(String, String)] = []) -> Answer {
        Answer(
            page.respond(
                to: HTTPRequest(
                    "GET", path, query: query.map { (name: $0.0, value: $0.1) },
                    headers: [HTTPHeader("host", Self.host), HTTPHeader("cookie", cookie)])))
    }

    /// Sends a form as the page's own browser does.
    @discardableResult
    func post(_ path: String, _ fields: [(String, String)]) -> Answer {
        let all = fields + [("token", token)]
        let text = all.map { "\(PercentCoding.encoded($0.0))=\(PercentCoding.encoded($0.1))" }
            .joined(separator: "&")
        return Answer(
            page.respond(
                to: HTTPRequest(
                    "POST", path,
                    headers: [
                        HTTPHeader("host", Self.host), HTTPHeader("cookie", cookie),
                        HTTPHeader("origin", "http://\(Self.host)"),
                        HTTPHeader("sec-fetch-site", "same-origin"),
                        HTTPHeader("content-type", HTTPForm.type),
                    ], body: Array(text.utf8))))
    }

    /// Sends a body of another kind as the page's own browser does.
    func post(_ path: String, type: String, body: String) -> Answer {
        Answer(
            page.respond(
                to: HTTPRequest(
                    "POST", path,
                    headers: [
                        HTTPHeader("host", Self.host), HTTPHeader("cookie", cookie),
                        HTTPHeader("origin", "http://\(Self.host)"),
                        HTTPHeader("content-type", type),
                    ], body: Array(body.utf8))))
    }

    func add(_ title: String, _ change: (inout ToDoItem) -> Void = { _ in }) throws -> RecordID {
        var item = ToDoItem(title: title)
        change(&item)
        return try todos.add(item)
    }

    func stored(_ id: RecordID) throws -> Record { try #require(try todos.stored(id)) }

    func item(_ id: RecordID) throws -> ToDoItem { ToDoMapping.item(try stored(id)) }

    /// The value of a button for a to-do, as a list shows it now.
    func button(_ id: RecordID) throws -> String {
        "\(id.uuidText) \(try stored(id).record.clock.seenText)"
    }

    /// The hidden fields of the form that edits a to-do, as they are shown now.
    func form(_ id: RecordID) throws -> [(String, String)] {
        let text = get("/todo/\(id.uuidText)").text
        return [
            ("base", try #require(Self.value(of: "base", in: text))),
            ("seen", try #require(Self.value(of: "seen", in: text))),
        ]
    }

    func change(_ id: RecordID, _ body: (inout ToDoItem) -> Void) throws {
        let old = try item(id)
        var new = old
        body(&new)
        #expect(try todos.edit(id, from: old, to: new))
    }

    /// The value of the first hidden field of a name.
    static func value(of name: String, in text: String) -> String? {
        guard let start = text.firstRange(of: "name=\"\(name)\" value=\"")?.upperBound else {
            return nil
        }
        return String(text[start...].prefix { $0 != "\"" }).replacing("&quot;", with: "\"")
            .replacing("&#39;", with: "'").replacing("&lt;", with: "<").replacing("&gt;", with: ">")
            .replacing("&amp;", with: "&")
    }
}

/// A response as a test looks at it.
struct Answer {
    let response: HTTPResponse

    init(_ response: HTTPResponse) { self.response = response }

    var status: Int { response.status }

    var text: String {
        if case .bytes(let bytes) = response.body { return String(decoding: bytes, as: UTF8.self) }
        return ""
    }

    func header(_ name: String) -> String? { response.headers.first { $0.name == name }?.value }

    /// Why it was refused; nil if it was not.
    var refusal: String? { header("x-tandem-refusal") }
}
