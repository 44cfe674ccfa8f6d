import Devices
import Glibc
import JSON
import Terminal
import ToDo

/// Makes a code that lets one more device in, and waits with it.
enum InviteCommand: Command {
    static let name = "invite"
    static let summary = "Create a code that adds one device to your space"
    static let help = """
          tandem invite
          tandem invite --relay relay://example.org:7718#5f0c-…
          tandem invite --address desk.local:7717

        Shows a code and waits. On the other device, type, paste or scan it after
        `tandem join`, or pipe it to `tandem join -`. That device shows six digits;
        type them here. The code admits one device; used, refused or expired it is
        worth nothing, and it never holds the space's secret. Ctrl-C ends it.

        With --json each line is an object: first the `code`, then an `event` for all
        that happens. A `warning` and an `error` have a `message`, and as `code` the
        exit code (tandem help exit).

        --relay ADDRESS   the relay where the devices meet; it is remembered
        --token TOKEN     the password of that relay for new spaces
        --address HOST:PORT
                          the address of this device, if there is no relay
        --for TIME        expire after this time (default 10m, at most 1h)
        --yes             admit whoever comes first with the code; type no digits
        --qr              draw the code as a QR code even if this is not a screen
        """
    static let values = ["relay", "token", "address", "for"]
    static let flags = ["qr"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        do {
            return try invite(arguments)
        } catch {
            let error = Tandem.explained(error, of: Self.self, arguments)
            if arguments.has("json") {
                let failure = Tandem.failure(error)
                tell("error", code: failure.code, failure.message)
            }
            throw error
        }
    }

    /// Tells a program of a failure: the exit code, and words.
    private static func tell(_ name: String, code: ExitCode, _ message: String) {
        let failure = JSONOutput.object([
            ("code", .number(code.rawValue)), ("message", JSONOutput.text(message)),
        ])
        Screen.line(JSONOutput.object([(name, failure)]))
        Screen.flush()
    }

    private static func invite(_ arguments: Arguments) throws -> ExitCode {
        try arguments.refuseWords()
        let seconds = try arguments["for"].map {
            try TimeSpan.read($0, max: WaitingInvitation.secondsMax, taker: "--for")
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
            seconds: seconds ?? WaitingInvitation.secondsStandard,
            admitsFirst: arguments.has("yes"))
        let isJSON = arguments.has("json")
        if !isJSON { tellUnmet(invitation, isJSON: false) }
        invitation.notice = { tell($0, arguments) }
        try invitation.loop.watchSignals([SIGTERM, SIGINT]) { _ in invitation.stop() }
        try invitation.open()
        show(invitation, arguments)
        // Programs read the code in the first line.
        if isJSON { tellUnmet(invitation, isJSON: true) }
        let digits = try arguments.has("yes") ? nil : DigitsInput(invitation)
        defer { digits?.stop() }
        return conclude(try invitation.run(), arguments)
    }

    /// Tells of relays that were not reached.
    private static func tellUnmet(_ invitation: WaitingInvitation, isJSON: Bool) {
        for (relay, why) in invitation.unmet where relay != invitation.code.meeting {
            let failure = CommandFailure(why)
            let words =
                "the code is good, but a relay was not reached just now: \(failure.message)"
            if isJSON {
                tell("warning", code: failure.code, words)
            } else {
                Screen.error("tandem: \(words)\n")
            }
        }
    }

    // MARK: The code

    private static func show(_ invitation: WaitingInvitation, _ arguments: Arguments) {
        let (code, seconds) = (invitation.code, invitation.seconds)
        defer { Screen.flush() }
        if arguments.has("json") {
            return Screen.line(
                JSONOutput.object([
                    ("code", JSONOutput.text(code.text)), ("seconds", .number(seconds)),
                    ("encrypted", .bool(invitation.isEncrypted)),
                ]))
        }
        let wantsDrawing = Screen.isInteractive || arguments.has("qr")
        if wantsDrawing, let drawn = QRCode(code.drawnText) {
            let lines = QRDrawing.lines(
                drawn, columnMax: Screen.width ?? 200, isColoured: Screen.hasColour)
            for line in lines ?? [] { Screen.line(Screen.inked(line)) }
            if lines == nil { Screen.error("tandem: the screen is too narrow for a QR code\n") }
        }
        Screen.line("On the other device type `tandem join`; it asks for this code")
        Screen.line("(from a file or a pipe: `tandem join -`):")
        Screen.line("")
        Screen.line("  \(code.text)")
        Screen.line("")
        Screen.line("Good for one device and for \(TimeSpan.words(seconds)), while this waits.")
        if !invitation.isEncrypted {
            Screen.line("The space is plain: its relay and whoever runs it can read everything.")
        }
        Screen.line(
            arguments.has("yes")
                ? "Whoever comes first with this code is admitted: show it to nobody else."
                : "The other device shows six digits: type them here.")
    }

    // MARK: What happens

    private static func tell(_ notice: PairingNotice, _ arguments: Arguments) {
        defer { Screen.flush() }
        guard arguments.has("json") else { return Screen.line(words(notice)) }
        Screen.line(
            JSONOutput.object([
                ("event", JSONOutput.text(InvitationEvent(notice).rawValue)),
                ("device", notice.applicant.map { JSONOutput.text($0.name) } ?? .null),
                (
                    "fingerprint",
                    notice.applicant.map { JSONOutput.text("\($0.fingerprint)") } ?? .null
                ),
            ]))
    }

    private static func words(_ notice: PairingNotice) -> String {
        func name(_ applicant: PairingApplicant) -> String {
            "\(applicant.name.shownInLine) (\(applicant.fingerprint.short))"
        }
        return switch notice {
        case .asks(let applicant): "\(name(applicant)) asks to join"
        case .tooMany: "more devices ask than may; this one is not answered"
        case .wrongDigits(let count):
            "no device that asks shows these digits; tries left: \(count)"
        case .admitted(let applicant): "Admitted: \(name(applicant)), not yet seen"
        case .notAdmitted(let applicant, .used):
            "Not admitted: \(name(applicant)), which came with the same code; revoke nothing, it got nothing"
        case .notAdmitted(let applicant, .revoked):
            "Not admitted: \(name(applicant)), whose key was revoked"
        case .notAdmitted(let applicant, _): "Not admitted: \(name(applicant))"
        case .late(let applicant):
            "\(name(applicant)) came with the code after that, and got nothing"
        case .over(.time): "The code has ended; nobody was admitted"
        case .over(.wrongDigits): "The digits were wrong too often: the code has ended"
        case .over(.stopped): "Stopped: the code is worth nothing any more"
        case .over(.disk):
            "The keyring cannot be written: nobody was admitted, and the code has ended"
        }
    }

    private static func conclude(
        _ result: WaitingInvitation.Result, _ arguments: Arguments
    ) -> ExitCode {
        switch result {
        case .joined(let applicant):
            if arguments.has("json") {
                Screen.line(
                    JSONOutput.object([
                        ("event", JSONOutput.text(InvitationEvent.joined.rawValue)),
                        ("device", JSONOutput.text(applicant.name)),
                    ]))
            } else {
                Screen.line("Joined: \(applicant.name.shownInLine)")
            }
            return .ok
        case .admitted(let applicant):
            if !arguments.has("json") {
                Screen.line(
                    "\(applicant.name.shownInLine) is admitted and was not seen yet: \(AdvisedLine.program) devices"
                )
            }
            return .ok
        case .over(.disk): return .inputOutput
        case .over(.wrongDigits): return .refused
        case .over(.time), .over(.stopped): return .nothing
        }
    }
}

/// The digits that the person types while an invitation waits, line by line.
private final class DigitsInput {
    private let invitation: WaitingInvitation
    private var registration: EventLoop.Registration?
    private var line: [UInt8] = []

    /// Reads the standard input in the invitation's loop.
    init(_ invitation: WaitingInvitation) throws {
        self.invitation = invitation
        registration = try invitation.loop.add(STDIN_FILENO, .readable) { [unowned self] _ in
            read()
        }
    }

    /// Reads no more.
    func stop() {
        if let registration { invitation.loop.remove(registration) }
        registration = nil
    }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: 1024)
        let count = Glibc.read(STDIN_FILENO, &buffer, buffer.count)
        if count < 0, errno == EINTR || errno == EAGAIN { return }
        guard count > 0 else {
            stop()
            Screen.error(
                "tandem: the input has ended, so nobody can type the digits; --yes admits whoever comes "
                    + "first with the code\n")
            return invitation.stop()
        }
        for byte in buffer[..<count] {
            guard byte == 0x0a else {
                // Longer than any digits: the rest of it counts for nothing.
                if line.count < 64 { line.append(byte) }
                continue
            }
            let text = String(decoding: line, as: UTF8.self)
            line = []
            if text.contains(where: { !$0.isWhitespace }), !invitation.enter(digits: text) {
                Screen.error(
                    "tandem: the other device shows \(WaitingInvitation.digitCount) digits; what was typed counts as no try\n"
                )
            }
        }
    }
}
