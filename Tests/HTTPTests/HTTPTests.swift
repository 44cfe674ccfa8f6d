import HTTP
import Testing
import Transport

/// Whatever needs no socket: escapes, forms, targets and heads.
@Suite("HTTP texts")
struct HTTPTests {
    @Test("parts of a path are decoded, and none leads elsewhere")
    func segments() {
        #expect(HTTPRequest("GET", "/a%20b//c").segments == ["a b", "c"])
        #expect(HTTPRequest("GET", "/").segments == [])
        for path in ["/a%2Fb", "/../a", "/%2e%2E", "/.", "/%00", "/%ff", "/%"] {
            #expect(HTTPRequest("GET", path).segments == nil)
        }
    }

    @Test("any text survives being encoded", arguments: ["", "a b+c", "ä€😀", "%2F/?&=#", "\r\n\0"])
    func escapes(_ text: String) throws {
        let encoded = PercentCoding.encoded(text)
        #expect(PercentCoding.decoded(encoded.utf8) == Array(text.utf8))
        let fields = try #require(FormCoding.fields(of: FormCoding.encoded([(text, text)]).utf8))
        #expect(fields.map(\.name) == [text] && fields.map(\.value) == [text])
    }

    private func form(_ body: String, type: String? = HTTPForm.type) -> HTTPForm? {
        let headers = type.map { [HTTPHeader("Content-Type", $0)] } ?? []
        return HTTPForm(HTTPRequest("POST", "/", headers: headers, body: Array(body.utf8)))
    }

    @Test("a form's fields come decoded and in their order")
    func forms() throws {
        let form = try #require(self.form("a=1&b=x+y%2B&a=2&c&=d&&e=f=g"))
        #expect(form.fields.map(\.name) == ["a", "b", "a", "c", "", "e"])
        #expect(form.value("a") == "1" && form.values("a") == ["1", "2"])
        #expect(form.value("b") == "x y+" && form.value("c") == "" && form.value("e") == "f=g")
        #expect(form.value("z") == nil)
        #expect(
            self.form("", type: "Application/X-www-Form-urlencoded; charset=UTF-8")?.fields.count
                == 0)
    }

    @Test("a malformed form, or a body that is none, is nothing")
    func noForms() {
        for body in ["a=%", "a=%f", "a=%ff", "%zz=1"] { #expect(form(body) == nil) }
        #expect(form("a=1", type: nil) == nil)
        #expect(form("a=1", type: "text/plain") == nil)
        #expect(form("a=1", type: "multipart/form-data; boundary=x") == nil)
    }

    @Test("a form has at most fieldCountMax fields and byteCountMax bytes")
    func formLimits() {
        let most = FormCoding.fieldCountMax
        #expect(form(String(repeating: "a=1&", count: most))?.fields.count == most)
        #expect(form(String(repeating: "a=1&", count: most + 1)) == nil)
        let value = String(repeating: "x", count: HTTPForm.byteCountMax - 2)
        #expect(form("a=" + value)?.fields.count == 1)
        #expect(form("a=x" + value) == nil)
    }

    @Test("a method longer than methodByteCountMax is malformed")
    func methods() {
        func refusal(_ method: String) -> HTTPRefusal? {
            let head = HTTPHead(
                method: method, target: Array("/".utf8),
                fields: [(Array("Host".utf8), Array("a".utf8))])
            do throws(HTTPRefusal) {
                _ = try head.request(within: HTTPLimits())
                return nil
            } catch {
                return error
            }
        }
        #expect(refusal(String(repeating: "A", count: HTTPHead.methodByteCountMax)) == nil)
        #expect(
            refusal(String(repeating: "A", count: HTTPHead.methodByteCountMax + 1))
                == .malformedMethod)
        #expect(refusal("A B") == .malformedMethod)
    }

    @Test("each refusal closes the connection and has a status of its kind")
    func refusals() {
        for refusal in HTTPRefusal.allCases {
            #expect(refusal.response.closes)
            #expect(
                refusal.response.status == refusal.status && (400...503).contains(refusal.status))
        }
    }

    @Test("a stream keeps its bytes in their order until they are taken")
    func streams() {
        let stream = HTTPStream()
        #expect(stream.send([1, 2, 3]))
        #expect(stream.take(2) == [1, 2] && stream.take(2) == [3] && stream.take(2) == [])
        stream.send([UInt8](repeating: 0, count: HTTPStream.waitingByteCountMax))
        #expect(!stream.isClosed)
        #expect(!stream.send([1]))
        #expect(stream.isClosed && stream.isOverrun)
    }
}

#if !Web
    /// The refusal of a build without the trait `Web` says.
    @Suite("Without HTTP")
    struct WithoutHTTPTests {
        @Test("a server is refused with the code for that")
        func refuses() throws {
            let loop = try EventLoop()
            let service = NoService()
            #expect(throws: TransportError.noWebProgram(address: "127.0.0.1:0")) {
                _ = try HTTPServer(
                    on: loop, at: HostAndPort(host: "127.0.0.1", port: 0), service: service)
            }
        }
    }

    private final class NoService: HTTPService {
        func respond(to request: HTTPRequest) -> HTTPResponse { .plain(404, "nothing") }
    }
#endif
