import Devices
import Glibc
import HTTP
import Page
import ToDo
import Transport

/// Runs `tandem-web page`: the local page of a store, until it is stopped.
enum PageProgram {
    static func run(_ words: [String]) {
        StoreServer.run("the page") { try PageRunner.run(try PageOptions(words)) }
    }
}

/// The words that `tandem web` hands on.
struct PageOptions {
    let folder: String
    let port: UInt16
    let opens: Bool
    /// Whether a daemon runs it: the socket is there already, and the end of the input ends it.
    let isChild: Bool

    /// Reads the folder, the port and perhaps `open` or `child`.
    init(_ words: [String]) throws(ServerFailure) {
        guard words.count >= 2, words[0].hasPrefix("/"), let port = UInt16(words[1]), port > 0
        else {
            throw ServerFailure(EX_USAGE, "tandem-web page is run by tandem web")
        }
        folder = words[0]
        self.port = port
        opens = words.dropFirst(2).contains("open")
        isChild = words.dropFirst(2).contains("child")
    }
}

/// Lines of the servers.
enum WebOutput {
    static func line(_ text: String) { self.text(text + "\n") }

    static func text(_ text: String) { write(text, to: STDOUT_FILENO) }

    static func error(_ text: String) { write(text, to: STDERR_FILENO) }

    private static func write(_ text: String, to descriptor: CInt) {
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    }
}
