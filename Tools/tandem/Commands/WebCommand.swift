import Devices
import Terminal
import ToDo

/// Shows the to-dos in a browser.
enum WebCommand: Command {
    static let name = "web"
    static let summary = "Show your to-dos on a page in your browser"
    static let help = """
          tandem web --open
          tandem web --port 8080

        Serves a page with lists, to-dos, conflicts, devices and status on this machine
        alone, until Ctrl-C. Changes made elsewhere appear at once. To have the daemon
        serve it from its next start on: tandem config web on

        Only a browser of your own account is let in: --open has it read a file of yours
        that holds a secret for one use. Another account of this machine gets nothing.
        If the page runs already, --open opens it once more.

        --port N          the port (default: the setting web.port, else \(UserSetting.standardWebPort))
        --open            open the page in your browser
        """
    static let values = ["port"]
    static let flags = ["open"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        try arguments.refuseWords()
        let port =
            try arguments["port"].map { try Self.port($0, option: "--port") }
            ?? UserConfiguration.current.webPort
        // Faults of the store are told as other commands tell it.
        let context = try CommandContext.open(arguments)
        context.device.close()
        try WebProgram.run(
            words(try CommandContext.folder(arguments), port)
                + (arguments.has("open") ? ["open"] : []))
    }

    /// The words by which `tandem-web` serves the page of a store.
    static func words(_ folder: String, _ port: UInt16) -> [String] {
        ["page", folder, String(port)]
    }

    /// The port that an option names.
    static func port(_ text: String, option: String) throws -> UInt16 {
        guard let number = UInt16(text), number > 0 else {
            throw CommandFailure(
                .usage, "\(option) takes a number from 1 to 65535, not '\(text.shownInLine)'")
        }
        return number
    }
}
