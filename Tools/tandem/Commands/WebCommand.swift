import Devices
import Terminal

/// Shows the to-dos in a browser.
enum WebCommand: Command {
    static let name = "web"
    static let summary = "Show your to-dos on a page in your browser"
    static let help = """
          tandem web --open
          tandem web --port 8080

        Serves a page with lists, to-dos, conflicts, devices and status on this machine
        alone, until Ctrl-C. Changes made elsewhere appear at once.

        Only a browser of your own account is let in: --open has it read a file of yours
        that holds a secret for one use. Another account of this machine gets nothing.
        If the page runs already, --open opens it once more.

        --port N          the port (default \(standardPort))
        --open            open the page in your browser
        """
    static let values = ["port"]
    static let flags = ["open"]

    /// The port behind those of devices and relays.
    static let standardPort: UInt16 = 7719

    static func run(_ arguments: Arguments) throws -> ExitCode {
        try arguments.refuseWords()
        var port = standardPort
        if let text = arguments["port"] {
            guard let number = UInt16(text), number > 0 else {
                throw CommandFailure(
                    .usage, "--port takes a number from 1 to 65535, not '\(text.shownInLine)'")
            }
            port = number
        }
        // What is wrong with the store is told as other commands tell it.
        let context = try CommandContext.open(arguments)
        context.device.close()
        try WebProgram.run(
            [
                "page", try CommandContext.folder(arguments), String(port),
                SiblingProgram.ownPath ?? "/usr/bin/tandem",
            ]
                + (arguments.has("open") ? ["open"] : []))
    }
}
