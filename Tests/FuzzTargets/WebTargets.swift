import HTTP
import Transport

extension FuzzTargets {
    /// Bytes from clients of the servers of HTTP, as far as the library does not take them apart, and those between
    /// programs over the pipes of a port for monitoring.
    static let web = [forms, uploads, heads, monitorFrames, xml, dav]

    /// The fields of a form or a query, and the parts of a path.
    private static let forms = FuzzTarget(
        "forms", byteCountMax: 512,
        decoders: ["Sources/HTTP/FormCoding.swift", "Sources/HTTP/PercentCoding.swift"]
    ) { bytes in
        if let path = text(bytes), let segments = HTTPRequest("GET", "/" + path).segments {
            for part in segments {
                try promise(
                    !part.isEmpty && part != "." && part != ".." && !part.utf8.contains(0x2f),
                    "a part '\(part)' that leads elsewhere")
            }
            let again = "/" + segments.map(PercentCoding.encoded).joined(separator: "/")
            try promise(
                HTTPRequest("GET", again).segments == segments, "parts that are not read again")
        }
        guard let fields = FormCoding.fields(of: bytes) else { return }
        try promise(fields.count <= FormCoding.fieldCountMax, "too many fields")
        let again = FormCoding.fields(of: FormCoding.encoded(fields).utf8) ?? []
        try promise(
            again.map(\.name) == fields.map(\.name) && again.map(\.value) == fields.map(\.value),
            "fields that are not read again")
    }

    /// The body of a form that carries a file; its boundary is an x, unless a line feed and a line with the content type
    /// stand before it.
    private static let uploads = FuzzTarget(
        "uploads", byteCountMax: 2048, decoders: ["Sources/HTTP/HTTPUpload.swift"]
    ) { bytes in
        var (type, body) = (Optional("\(HTTPUpload.type); boundary=x"), bytes)
        if bytes.first == 0x0a {
            let line = bytes.dropFirst().prefix { $0 != 0x0a }
            type = line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
            body = Array(bytes.dropFirst(line.count + 2))
        }
        let headers = type.map { [HTTPHeader("content-type", $0)] } ?? []
        guard let upload = HTTPUpload(HTTPRequest("POST", "/", headers: headers, body: body)) else {
            return
        }
        try promise(upload.fields.count <= HTTPUpload.partCountMax, "too many parts")
        let kept = upload.fields.reduce(upload.file?.bytes.count ?? 0) {
            $0 + $1.value.utf8.count
        }
        try promise(kept <= bytes.count, "more than came")
        try promise(upload.file?.bytes.isEmpty != true, "a file of nothing")
    }

    /// The head of a request: method, target and version are a line each, and so are a field's name and value.
    private static let heads = FuzzTarget(
        "heads", byteCountMax: 512,
        decoders: ["Sources/HTTP/HTTPHead.swift", "Sources/HTTP/HTTPTarget.swift"]
    ) { bytes in
        let lines = bytes.split(separator: 0x0a, omittingEmptySubsequences: false).map { Array($0) }
        guard lines.count >= 3 else { return }
        let fields = stride(from: 3, to: lines.count - 1, by: 2).map { (lines[$0], lines[$0 + 1]) }
        var limits = HTTPLimits()
        limits.fieldCountMax = 8
        limits.bodyByteCountMax = 1000
        let head = HTTPHead(
            method: String(decoding: lines[0], as: UTF8.self), target: lines[1],
            version: String(decoding: lines[2], as: UTF8.self), fields: fields,
            byteCount: bytes.count)
        guard let (request, bodyByteCount) = try? head.request(within: limits) else { return }
        try promise(request.path.first == "/" || request.path == "*", "a path from elsewhere")
        let hosts = request.headers.count { $0.name == "host" }
        try promise(hosts == 1 || hosts == 0 && head.version == "HTTP/1.0", "\(hosts) hosts")
        let lengths = request.headers.filter { $0.name == "content-length" }
        let codings = request.headers.filter { $0.name == "transfer-encoding" }
        try promise(lengths.count + codings.count <= 1, "a length that can be read in two ways")
        try promise((bodyByteCount == nil) == !codings.isEmpty, "a chunked body of known length")
        try promise(bodyByteCount ?? 0 <= limits.bodyByteCountMax, "a body over the limit")
    }

    /// Frames from either end of the pipes: the first byte is the length of the pieces in which they come.
    private static let monitorFrames = FuzzTarget(
        "monitor-frames", byteCountMax: 2048,
        decoders: ["Sources/Transport/MonitorExchange.swift"]
    ) { bytes in
        var input = FuzzInput(bytes)
        let pieceByteCount = 1 + Int(input.byte())
        var frames = MonitorFrames(byteCountMax: MonitorExchange.questionByteCountMax)
        while !input.isEmpty {
            frames.receive(input.take(pieceByteCount))
            while let frame = frames.next() {
                try promise(
                    frame.count <= MonitorExchange.questionByteCountMax, "a frame over the limit")
                if let question = MonitorExchange.Question(frame) {
                    try promise(
                        question.frame.dropFirst(4).elementsEqual(frame), "another question")
                }
                if let answer = MonitorExchange.Answer(frame) {
                    try promise(
                        answer.frame?.dropFirst(4).elementsEqual(frame) == true, "another answer")
                }
            }
        }
        _ = frames.isBroken
    }
}
