import CalDAV
import Core
import Devices
import Glibc
import HTTP
import Storage
import Testing
import ToDo

/// A device with its gateway, and a client that is let in.
final class GatewayWorld {
    let folder: String
    let device: Device
    let gateway: CalendarGateway
    private(set) var password = ""
    /// Milliseconds since 1970-01-01 UTC: Sun 22 Nov 2026, 10:00.
    static let now: Int64 = 1_795_341_600_000
    /// The gateway's steady clock; milliseconds.
    var steady: Int64 { clock.milliseconds }
    private let clock: Clock

    /// A clock that tests move.
    final class Clock {
        var milliseconds: Int64 = 0
    }

    init() throws {
        var template = Array("/tmp/tandem-caldav-XXXXXX".utf8CString)
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
                    wallMilliseconds: { Self.now }, drawBits: draw, machine: "m", boot: "b")))
        let clock = Clock()
        self.clock = clock
        gateway = CalendarGateway(
            device, zone: .utc, clock: { Self.now }, steady: { clock.milliseconds })
        password = try device.gatewayClients.add(named: "phone", now: Self.now).password
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

    var todos: ToDoStore { ToDoStore(store: device.store, now: Self.now, zone: .utc) }

    /// Lets the gateway's steady clock go on.
    func pass(milliseconds: Int64) { clock.milliseconds += milliseconds }

    /// Makes a to-do.
    @discardableResult
    func add(_ title: String, project: String = "") throws -> RecordID {
        var item = ToDoItem(title: title)
        item.project = project
        return try todos.add(item)
    }

    /// Gives a to-do another project, as an edit on this device does.
    func move(_ id: RecordID, to project: String) throws {
        let old = try todos.item(try #require(try todos.stored(id)))
        var new = old
        new.project = project
        _ = try todos.edit(id, from: old, to: new)
    }

    /// The header field of the client's name and password.
    func authorization(_ name: String = "phone", _ password: String? = nil) -> HTTPHeader {
        HTTPHeader(
            "authorization", "Basic " + Self.base64("\(name):\(password ?? self.password)"))
    }

    /// A request as the client sends it.
    func ask(
        _ method: String, _ path: String, _ body: String = "", headers: [HTTPHeader] = [],
        authorization: HTTPHeader? = nil, network: String? = nil
    ) -> Answer {
        // As the server hands it on.
        var request = HTTPRequest(
            method == "HEAD" ? "GET" : method, path,
            headers: [authorization ?? self.authorization()] + headers, body: Array(body.utf8))
        request.isForHeadAlone = method == "HEAD"
        request.clientNetwork = network
        return Answer(gateway.respond(to: request))
    }

    /// A response, as far as tests look at it.
    struct Answer {
        let status: Int
        let text: String
        let headers: [HTTPHeader]

        init(_ response: HTTPResponse) {
            status = response.status
            headers = response.headers
            if case .bytes(let bytes) = response.body {
                text = String(decoding: bytes, as: UTF8.self)
            } else {
                text = ""
            }
        }

        func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
    }

    /// RFC 4648, section 4.
    static func base64(_ text: String) -> String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let part = Array(bytes[start..<min(start + 3, bytes.count)])
            let bits = part.reduce(0) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - part.count))
            for index in 0..<4 {
                result.append(
                    index <= part.count
                        ? digits[Int(bits >> UInt32(18 - 6 * index) & 63)] : UInt8(ascii: "="))
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
