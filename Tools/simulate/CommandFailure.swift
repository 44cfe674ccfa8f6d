/// A refusal or failure of a command: the message and the exit code.
struct CommandFailure: Error {
    let code: Int32
    let message: String

    init(_ code: Int32, _ message: String) {
        self.code = code
        self.message = message
    }
}
