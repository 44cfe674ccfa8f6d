import Glibc
import Transport

/// The pages for monitoring of another program, which is asked for each over a pipe: the child's end of `MonitorPort`.
package final class MonitorPages: HTTPService {
    /// The limits of a port for monitoring.
    package static var limits: HTTPLimits {
        var limits = HTTPLimits()
        limits.headByteCountMax = 8 << 10
        limits.bodyByteCountMax = 8 << 10
        limits.connectionCountMax = 64
        limits.addressConnectionCountMax = 48
        limits.spareConnectionCount = 24
        limits.requestMax = .seconds(10)
        limits.idleMax = .seconds(10)
        return limits
    }
    /// How long the other program may take for its answer.
    package static let answerMax = Duration.seconds(5)

    private let loop: EventLoop
    private let input: CInt
    private let output: CInt
    private var frames = MonitorFrames(byteCountMax: MonitorExchange.answerByteCountMax)
    private var number: UInt32 = 0

    /// Pages of the program at the other end of two pipes; the loop stops when that program has ended.
    package init(on loop: EventLoop, input: CInt, output: CInt) throws(TransportError) {
        self.loop = loop
        self.input = input
        self.output = output
        _ = try loop.add(input, .readable) { [unowned self] _ in
            // Outside of a question only the end comes, or an answer that is too late.
            _ = read(until: .now)
            while frames.next() != nil {}
        }
    }

    /// The page at the path; only GET is answered.
    package func respond(to request: HTTPRequest) -> HTTPResponse {
        let noStore = HTTPHeader("cache-control", "no-store")
        guard request.method == "GET" else {
            return .plain(
                405, headers: [noStore, HTTPHeader("allow", "GET, HEAD")], "only GET is answered")
        }
        let noPage = HTTPResponse.plain(
            404, headers: [noStore], "there is no such page; there is /metrics")
        guard request.path.utf8.count <= MonitorExchange.pathByteCountMax else { return noPage }
        guard let answer = ask(request.path) else {
            return .plain(503, headers: [noStore], "the program does not answer")
        }
        guard let page = answer.page else { return noPage }
        return HTTPResponse(page.status, type: page.type, headers: [noStore], page.body)
    }

    /// Asks, and waits for the answer; nil if none comes in time.
    private func ask(_ path: String) -> MonitorExchange.Answer? {
        number &+= 1
        let deadline = MonotonicTime.now + Self.answerMax
        guard write(MonitorExchange.Question(number: number, path: path).frame, until: deadline)
        else {
            return nil
        }
        while true {
            while let frame = frames.next() {
                guard let answer = MonitorExchange.Answer(frame) else { return stop() }
                // One to an earlier question comes too late.
                if answer.number == number { return answer }
            }
            guard !frames.isBroken else { return stop() }
            guard read(until: deadline) else { return nil }
        }
    }

    private func stop() -> MonitorExchange.Answer? {
        loop.stop()
        return nil
    }

    /// Takes what comes next; false if nothing comes in time or ever.
    private func read(until deadline: MonotonicTime) -> Bool {
        guard Self.await(input, POLLIN, deadline) else { return false }
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let count = Glibc.read(input, &buffer, buffer.count)
        if count > 0 {
            frames.receive(buffer[..<count])
            return true
        }
        if count < 0 && (errno == EINTR || errno == EAGAIN) { return true }
        // The other program has ended.
        loop.stop()
        return false
    }

    private func write(_ bytes: [UInt8], until deadline: MonotonicTime) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            guard Self.await(output, POLLOUT, deadline) else { return false }
            let count = rest.withUnsafeBytes { Glibc.write(output, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count > 0 else {
                loop.stop()
                return false
            }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Whether a descriptor is ready in time.
    private static func await(_ descriptor: CInt, _ event: CInt, _ deadline: MonotonicTime) -> Bool
    {
        var entry = pollfd(fd: descriptor, events: Int16(event), revents: 0)
        let now = MonotonicTime.now
        let milliseconds = deadline > now ? (deadline.nanoseconds - now.nanoseconds) / 1_000_000 : 0
        return poll(&entry, 1, CInt(milliseconds)) > 0
    }
}
