import Devices
import Glibc
import HTTP
import Transport

/// Why a server does not run, with the exit code.
struct ServerFailure: Error {
    let code: Int32
    let words: String

    init(_ code: Int32, _ words: String) {
        self.code = code
        self.words = words
    }
}

/// The life of a server of a store, whatever it serves.
enum StoreServer {
    /// Runs one, and ends the process with it; a fault is told, and its kind is the exit code.
    ///
    /// - Parameter subject: the thing that it serves, as people say it.
    static func run(_ subject: String, _ serve: () throws -> Void) {
        do {
            #if !Web
                throw ServerFailure(
                    EX_UNAVAILABLE,
                    "this build has no HTTP, so it cannot serve \(subject). Build it with the trait Web, or install "
                        + "the Debian package")
            #else
                try serve()
                exit(0)
            #endif
        } catch let failure as ServerFailure {
            WebOutput.error("tandem: \(failure.words)\n")
            exit(failure.code)
        } catch let fault as StoreFault {
            WebOutput.error("tandem: \(fault)\n")
            exit(EX_CONFIG)
        } catch {
            WebOutput.error("tandem: \(error)\n")
            exit(EX_SOFTWARE)
        }
    }

    /// Stops the loop at a signal; as a daemon's child at the end of its input, which is the daemon's end.
    static func awaitEnd(on loop: EventLoop, isChild: Bool) throws {
        guard isChild else {
            return try loop.watchSignals { [loop] _ in loop.stop() }
        }
        // The keys of a terminal reach the daemon as well: it says when to end.
        for number in [SIGTERM, SIGINT, SIGHUP] { signal(number, SIG_IGN) }
        _ = try loop.add(STDIN_FILENO, .readable) { [loop] _ in
            var buffer = [UInt8](repeating: 0, count: 256)
            if read(STDIN_FILENO, &buffer, buffer.count) == 0 { loop.stop() }
        }
    }

    /// The server on the socket that a daemon hands on to its child.
    static func handedOn(
        to loop: EventLoop, limits: HTTPLimits, service: any HTTPService
    ) throws -> HTTPServer {
        // Programs that this one starts must not keep the port.
        _ = fcntl(KeptProgram.socketNumber, F_SETFD, FD_CLOEXEC)
        return try HTTPServer(
            on: loop, listening: KeptProgram.socketNumber, limits: limits, service: service)
    }
}

/// The file beside a store whose lock shows that a process serves something of it, and where.
final class ServerLock {
    private let path: String
    private var descriptor: CInt = -1

    init(_ path: String) { self.path = path }

    /// Whether no other process holds the lock; this one does from now on, and ends it with itself.
    func take(_ address: String) -> Bool {
        // Without a store the folder is missing, which opening it tells. A file of another account is left alone.
        descriptor = PrivateFile.openLock(path)
        guard descriptor >= 0 else { return true }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return false }
        ftruncate(descriptor, 0)
        let bytes = Array(address.utf8)
        _ = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
        return true
    }

    /// Where the process that holds the lock serves; nil if it has not said so.
    var holder: String? {
        var buffer = [UInt8](repeating: 0, count: 300)
        let count = descriptor >= 0 ? pread(descriptor, &buffer, buffer.count, 0) : 0
        return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
    }
}
