import Glibc
import Synchronization
import Transport

/// The floor of a live edit: two plain tables, a blocking socket between them, and nothing else.
///
/// The writer's commit is flushed before the edit leaves; the reader commits, and answers once that is flushed too.
final class PlainLiveEdit: Sendable {
    private let reader: Int32
    private let path: String
    private let arrivedAt = Mutex(0.0)

    private init(reader: Int32, path: String) {
        self.reader = reader
        self.path = path
    }

    /// Edits the first to-do again and again.
    ///
    /// - Parameter paths: two new files.
    static func time(
        _ count: Int, items: [SampleToDo], in paths: (writer: String, reader: String)
    ) throws -> [Caller.LiveEdit] {
        let sockets = try pair()
        let peer = PlainLiveEdit(reader: sockets.reader, path: paths.reader)
        let table = try make(paths.writer, items)
        try table.execute("PRAGMA synchronous = FULL")
        _ = try make(paths.reader, items)
        defer { close(sockets.writer) }
        guard DetachedThread.start({ try? peer.serve() }) == nil else {
            close(sockets.reader)
            throw BenchError.failed("thread")
        }
        var times: [Caller.LiveEdit] = []
        var answer: UInt8 = 0
        for number in 0..<count {
            usleep(1000)
            let start = Cost.wall
            let title = "live \(number) \(start)"
            try table.rename(items[0], title)
            let message = Array(title.utf8)
            guard send(sockets.writer, message, message.count, 0) == message.count,
                recv(sockets.writer, &answer, 1, 0) == 1
            else { throw BenchError.failed("the floor's reader is gone") }
            times.append(
                Caller.LiveEdit(
                    visible: peer.arrivedAt.withLock { $0 } - start,
                    acknowledged: Cost.wall - start))
        }
        return times
    }

    private static func make(_ path: String, _ items: [SampleToDo]) throws -> PlainTable {
        let table = try PlainTable(path: path)
        try table.execute("BEGIN")
        for item in items { try table.add(item) }
        try table.execute("COMMIT")
        return table
    }

    /// Until the writer is gone.
    private func serve() throws {
        defer { close(reader) }
        let table = try PlainTable(incarnation: path)
        let item = SampleToDo(0)
        var bytes = [UInt8](repeating: 0, count: 256)
        while true {
            let count = recv(reader, &bytes, bytes.count, 0)
            guard count > 0 else { return }
            try table.rename(item, String(decoding: bytes[..<count], as: UTF8.self))
            arrivedAt.withLock { $0 = Cost.wall }
            try table.flush()
            guard send(reader, bytes, 1, 0) == 1 else { return }
        }
    }

    /// Two ends of a TCP connection over loopback.
    private static func pair() throws -> (writer: Int32, reader: Int32) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let writer = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let reader = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { general in
                guard bind(listener, general, size) == 0, listen(listener, 1) == 0,
                    getsockname(listener, general, &size) == 0,
                    connect(writer, general, size) == 0
                else { return Int32(-1) }
                return accept(listener, nil, nil)
            }
        }
        guard reader >= 0 else { throw BenchError.failed("a connection over loopback") }
        var one: Int32 = 1
        for end in [writer, reader] {
            setsockopt(
                end, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        }
        return (writer, reader)
    }
}
