import Devices
import JSON
import Terminal
import ToDo

/// Makes a code that lets one more device in.
enum InviteCommand: Command {
    static let name = "invite"
    static let summary = "Create a code that adds one device to your space"
    static let help = """
          tandem invite
          tandem invite --relay relay://example.org:7718#5f0c-…
          tandem invite --address desk.local:7717 --for 1h

        On the other device, type, paste or scan the code after `tandem join`, or pipe
        it to `tandem join -`. The code works once. Anyone who reads it before it is
        used or expires can read all to-dos.

        --relay ADDRESS   the relay where the devices meet; it is remembered
        --token TOKEN     the password of that relay for new spaces
        --address HOST:PORT
                          the address of this device (tandem serve --listen …)
        --for TIME        expire after this time (default 15m, at most 7 days)
        --qr              draw the code as a QR code even if this is not a screen
        """
    static let values = ["relay", "token", "address", "for"]
    static let flags = ["qr"]

    private static let secondsMax = 7 * 86_400

    static func run(_ arguments: Arguments) throws -> ExitCode {
        try arguments.refuseWords()
        let seconds = try arguments["for"].map {
            try TimeSpan.read($0, max: secondsMax, taker: "--for")
        }
        let context = try CommandContext.open(arguments)
        var addresses: [DevicePairing.Address] = []
        if let address = arguments["address"] {
            addresses.append(.device(try HostAndPort(parsing: address)))
        }
        if let relay = arguments["relay"] {
            addresses.append(.relay(try RelayAddress(parsing: relay)))
        }
        let invitation = try context.device.pairing.invite(
            at: addresses, token: arguments["token"],
            seconds: seconds ?? DevicePairing.invitationSeconds, now: context.now)
        for (_, why) in invitation.unmet {
            Screen.error(
                "tandem: the code is good, but the relay was not reached just now: "
                    + "\(CommandFailure(why).message)\n")
        }
        tell(invitation.code, seconds ?? DevicePairing.invitationSeconds, arguments)
        return .ok
    }

    private static func tell(
        _ code: PairingCode, _ seconds: Int, _ arguments: Arguments
    ) {
        if arguments.has("json") {
            return Screen.line(
                JSONOutput.object([
                    ("code", JSONOutput.text(code.text)), ("seconds", .number(seconds)),
                    ("encrypted", .bool(code.secret != nil)),
                ]))
        }
        let wantsDrawing = Screen.isInteractive || arguments.has("qr")
        if wantsDrawing, let drawn = QRCode(code.text) {
            let lines = QRDrawing.lines(
                drawn, columnMax: Screen.width ?? 200, isColoured: Screen.hasColour)
            for line in lines ?? [] { Screen.line(Screen.inked(line)) }
            if lines == nil { Screen.error("tandem: the screen is too narrow for a QR code\n") }
        }
        Screen.line("On the other device type `tandem join`; it asks for this code")
        Screen.line("(from a file or a pipe: `tandem join -`):")
        Screen.line("")
        for line in CodeText.lines(code.text) { Screen.line("  \(line)") }
        Screen.line("")
        Screen.line("Good for one device and for \(TimeSpan.words(seconds)).")
        if code.addresses.contains(where: { $0.kind == .device }) {
            Screen.line("This device must answer meanwhile: tandem serve --listen 0.0.0.0:7717")
        }
        if code.secret == nil {
            Screen.line("The space is plain: its relay and whoever runs it can read everything.")
        } else {
            Screen.line(
                """
                Whoever reads this code while it is good can read the whole space. If anybody
                did: tandem devices, and tandem revoke DEVICE for one that you do not know, or
                tandem revoke --nobody. Either changes the secret.
                """)
        }
    }
}
