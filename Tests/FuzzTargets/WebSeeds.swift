import Transport

extension FuzzSeeds {
    /// Heads, forms and frames of each kind.
    static let web: [FuzzSeed] = forms + uploads + heads + frames + calendars

    private static let forms: [FuzzSeed] = [
        ("form", "a=1&b=x+y%2b&c&=d&&e=f=g"), ("form-cut-escape", "a=%4"),
        ("form-no-escape", "a=%zz"), ("form-no-text", "a=%ff"), ("form-path", "a%20b//c%c3%a4"),
        ("form-path-up", "a/%2e%2E"), ("form-path-slash", "a%2fb"), ("form-path-zero", "%00"),
        ("form-many", String(repeating: "&a", count: 200)),
    ].map { FuzzSeed("forms", $0, $1) }

    private static let uploads: [FuzzSeed] =
        [
            ("upload", part("name=\"a\"", "b") + file + "--x--\r\n"),
            ("upload-two-files", file + file + "--x--"), ("upload-cut", part("name=\"a\"", "b")),
            ("upload-no-name", part("", "b") + "--x--"),
            ("upload-no-quote", part("name=\"a", "b") + "--x--"),
            ("upload-no-head", "--x\r\n\r\nb\r\n--x--"), ("upload-no-text", "--x--"),
            ("upload-other-head", "--x\r\nA: b\r\n\r\nc\r\n--x--"),
            ("upload-other-boundary", "--y--"),
            ("upload-many", String(repeating: part("name=\"a\"", ""), count: 40) + "--x--"),
            ("upload-no-type", "\n\n--x--"),
            ("upload-other-type", "\ntext/plain; boundary=x\n--x--"),
            ("upload-no-boundary", "\nmultipart/form-data; charset=utf-8\n--x--"),
            ("upload-empty-boundary", "\nmultipart/form-data; boundary=\"\"\n--x--"),
            ("upload-long-boundary", "\nmultipart/form-data; boundary=\(longBoundary)\n--x--"),
            ("upload-quoted-boundary", "\nMultipart/Form-Data; Boundary=\"y\"\n--y--"),
            ("upload-no-disposition", "--x\r\nA: b\r\nC: d\r\n\r\nc\r\n--x--"),
            ("upload-other-end", "--x-\r\n"), ("upload-no-break", "--xa\r\n--x--"),
            ("upload-too-many", String(repeating: "--x\r\n" + shortest, count: 65) + "--x--"),
            ("upload-empty-file", part("name=\"f\"; filename=\"a\"", "") + "--x--"),
        ].map { FuzzSeed("uploads", $0, $1) } + [
            FuzzSeed(
                "uploads", "upload-value-no-text",
                Array(part("name=\"a\"", "").utf8.dropLast(2)) + [0xff] + "\r\n--x--".utf8),
            FuzzSeed(
                "uploads", "upload-head-no-text",
                "--x\r\n".utf8 + [0xff] + "\r\n\r\nb\r\n--x--".utf8),
        ]

    /// A byte more than a boundary may have.
    private static let longBoundary = String(repeating: "y", count: 71)
    /// The head of a part, as short as it can be, and an empty value.
    private static let shortest = "content-disposition:; name=\"\"\r\n\r\n\r\n"

    private static func part(_ parameters: String, _ value: String) -> String {
        "--x\r\nContent-Disposition: form-data; \(parameters)\r\n\r\n\(value)\r\n"
    }

    private static let file = part("name=\"file\"; filename=\"a.txt\"", "x Milk\r\n--xy\r\n")

    private static let heads: [FuzzSeed] =
        [
            ("head", "GET", "/a?b=c", ["Host", "a:80"]),
            ("head-of-head", "HEAD", "/", ["Host", "a"]),
            ("head-absolute", "GET", "HTTP://b:1/c?d", ["Host", "a"]),
            ("head-absolute-query", "GET", "https://[::1]?d", ["Host", "a"]),
            ("head-absolute-bare", "GET", "http://b", ["Host", "a"]),
            ("head-absolute-user", "GET", "http://u@b/", ["Host", "a"]),
            ("head-other-scheme", "GET", "ftp://b/", ["Host", "a"]),
            ("head-options", "OPTIONS", "*", ["Host", "a"]),
            ("head-star", "GET", "*", ["Host", "a"]),
            ("head-fragment", "GET", "/#a", ["Host", "a"]),
            ("head-bad-escape", "GET", "/%", ["Host", "a"]),
            ("head-bad-query", "GET", "/?%", ["Host", "a"]),
            ("head-bad-method", "G T", "/", ["Host", "a"]),
            ("head-no-method", "", "/", ["Host", "a"]),
            ("head-no-host", "GET", "/", []),
            ("head-two-hosts", "GET", "/", ["Host", "a", "host", "a"]),
            ("head-bad-host", "GET", "/", ["Host", "a b"]),
            ("head-empty-host", "GET", "/", ["Host", ""]),
            ("head-length", "PUT", "/", ["Host", "a", "Content-Length", "12"]),
            ("head-long-body", "PUT", "/", ["Host", "a", "Content-Length", "1001"]),
            (
                "head-longest-body", "PUT", "/",
                ["Host", "a", "Content-Length", "99999999999999999999"]
            ),
            ("head-bad-length", "PUT", "/", ["Host", "a", "Content-Length", "1, 1"]),
            (
                "head-two-lengths", "PUT", "/",
                ["Host", "a", "Content-Length", "1", "content-length", "1"]
            ),
            ("head-chunked", "PUT", "/", ["Host", "a", "Transfer-Encoding", "Chunked"]),
            ("head-other-coding", "PUT", "/", ["Host", "a", "Transfer-Encoding", "gzip"]),
            (
                "head-length-and-chunked", "PUT", "/",
                ["Host", "a", "Transfer-Encoding", "chunked", "Content-Length", "1"]
            ),
            ("head-bad-name", "GET", "/", ["Host", "a", "b c", "d"]),
            ("head-bad-value", "GET", "/", ["Host", "a", "b", "\u{1}"]),
            ("head-many", "GET", "/", Array(repeating: "a", count: 18)),
        ].map { (name: String, method: String, target: String, fields: [String]) in
            FuzzSeed(
                "heads", name,
                ([method, target, "HTTP/1.1"] + fields).joined(separator: "\n") + "\n")
        } + [FuzzSeed("heads", "head-old", "GET\n/\nHTTP/1.0\n")]

    private static let frames: [FuzzSeed] = [
        ("frame-question", MonitorExchange.Question(number: 7, path: "/metrics").frame),
        ("frame-answer-none", MonitorExchange.Answer(number: 7, page: nil).frame ?? []),
        (
            "frame-answer",
            MonitorExchange.Answer(number: 7, page: .health(isWell: true, "ok")).frame ?? []
        ),
        ("frame-short", [0, 0, 0, 2, 1, 2]), ("frame-no-text", [0, 0, 0, 5, 0, 0, 0, 1, 0xff]),
        ("frame-answer-cut", [0, 0, 0, 8, 0, 0, 0, 1, 0, 200, 3, 0x61]),
        ("frame-answer-status", [0, 0, 0, 7, 0, 0, 0, 1, 0, 1, 0]),
        ("frame-answer-short", [0, 0, 0, 5, 0, 0, 0, 1, 0]),
        ("frame-long", [0xff, 0, 0, 0, 1, 2, 3]),
    ].flatMap { (name: String, bytes: [UInt8]) in
        [
            FuzzSeed("monitor-frames", name, [255] + bytes + bytes),
            FuzzSeed("monitor-frames", name + "-in-pieces", [2] + bytes),
        ]
    }
}
