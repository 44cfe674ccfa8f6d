import Crypto
import Devices
import JSON
import Storage
import ToDo
import Transport

/// Makes a code that lets one more device in.
enum InviteCommand: Command {
    static let name = "invite"
    static let summary = "makes a code that lets one more device into the space"
    static let help = """
          tandem invite
          tandem invite --relay relay://example.org:7718#5f0c-…
          tandem invite --address desk.local:7717 --for 1h

        Type, paste or scan the code on the other device: tandem join asks for it, and
        tandem join - takes it from the standard input. Until it is used or has run out,
        whoever reads it can read all to-dos: show it to nobody.

        --relay ADDRESS   the relay through which devices meet; remembered
        --token TOKEN     what that relay asks for before it takes a new space
        --address HOST:PORT
                          where this device answers (tandem serve --listen …)
        --for TIME        how long the code is good (default 15m, at most 7 days)
        --qr              draw the code even if this is not a screen
        """
    static let values = ["relay", "token", "address", "for"]
    static let flags = ["qr"]

    private static let secondsMax = 7 * 86_400

    static func run(_ arguments: Arguments) throws -> ExitCode {
        try arguments.refuseWords()
        let seconds = try arguments["for"].map {
            try TimeSpan.read($0, max: secondsMax, taker: "--for")
        }
        let place = try Workplace.open(arguments)
        guard let security = try place.security() else { throw Space.notBuiltIn }
        let own = security.certificate.fingerprint
        let address = try arguments["address"].map { try HostAndPort(parsing: $0) }
        let relay = try arguments["relay"].map { try RelayAddress(parsing: $0) }
        if let relay, relay.fingerprint == nil {
            throw CommandFailure(
                .usage, "write the relay's address with its #fingerprint, as tandem relay prints it"
            )
        }
        let member = try made(place, own)
        if let relay {
            try member.update { $0.relays[relay.description] = arguments["token"] ?? "" }
        }
        let addresses = try addresses(member, relay, address, own)
        guard !addresses.isEmpty else {
            throw CommandFailure(
                .usage,
                """
                say where the other device can find this one: --relay ADDRESS for both to meet at, or \
                --address HOST:PORT while this one runs `tandem serve --listen 0.0.0.0:7717`
                """)
        }
        let now = SystemWorld.wallMilliseconds() / 1000
        let summary = try place.store.summary()
        let code = PairingCode(
            space: summary.space, policy: summary.policy, secret: member.keyring.secret,
            invite: Keyring.random(byteCount: PairingCode.inviteByteCount),
            expiry: UInt32(clamping: now + Int64(seconds ?? 900)), addresses: addresses)
        try member.update { keyring in
            keyring.invitations.removeAll { Int64($0.expiry) < now - 30 * 86_400 }
            keyring.invitations.append(
                Keyring.Invitation(id: code.invite, expiry: code.expiry))
        }
        // The relay has to know the space, and what is in it, before somebody comes with the code.
        for address in addresses where address.kind == .relay {
            try meet(RelayAddress(address.place, fingerprint: address.fingerprint), member, place)
        }
        try StatusTroubles.refuseIfRevoked(place)
        tell(code, seconds ?? 900, arguments)
        return .ok
    }

    private static func meet(
        _ relay: RelayAddress, _ member: Membership, _ place: Workplace
    ) throws {
        do {
            let (end, _) = try PeerSync(place: place, member: member).run(.relay(relay))
            try PeerSync.check(end, with: "\(relay.place)")
        } catch {
            Terminal.error(
                "tandem: the code is good, but the relay was not reached just now: "
                    + "\(CommandFailure(error).message)\n")
        }
    }

    /// The keys of this device; a store from before there were any gets them now.
    private static func made(_ place: Workplace, _ own: Fingerprint) throws -> Membership {
        if let member = try Space.member(place) { return member }
        let others = try DeviceBook(place.store).devices.filter {
            $0.generation > 0 && !$0.isRevoked && !$0.replicas.contains(place.store.replica)
        }
        if let other = others.first {
            throw CommandFailure(
                .refused,
                """
                the keys of this space are on \(other.name), not here; run `tandem invite` there and \
                `tandem join` here, then this device can invite as well
                """)
        }
        let secret = SpaceSecret(
            bytes: Keyring.random(byteCount: SpaceSecret.byteCount),
            generation: SpaceSecret.firstGeneration)
        let member = try Membership(place.store, own) { keyring in
            if let secret { keyring.add(secret) }
        }
        try member.refresh()
        return member
    }

    private static func addresses(
        _ member: Membership, _ relay: RelayAddress?, _ address: HostAndPort?, _ own: Fingerprint
    ) throws -> [PairingCode.Address] {
        var found: [PairingCode.Address] = []
        if let address { found.append(PairingCode.Address(.device, address, own)) }
        let known = try member.keyring.relays.keys.sorted().map { try RelayAddress(parsing: $0) }
        for relay in [relay].compactMap({ $0 }) + known {
            guard let fingerprint = relay.fingerprint else { continue }
            let one = PairingCode.Address(.relay, relay.place, fingerprint)
            if !found.contains(one), found.count < PairingCode.addressCountMax { found.append(one) }
        }
        return found
    }

    private static func tell(
        _ code: PairingCode, _ seconds: Int, _ arguments: Arguments
    ) {
        if arguments.has("json") {
            return Terminal.line(
                JSONOutput.object([
                    ("code", JSONOutput.text(code.text)), ("seconds", .number(seconds)),
                    ("encrypted", .bool(code.secret != nil)),
                ]))
        }
        let wantsDrawing = Terminal.isInteractive || arguments.has("qr")
        if wantsDrawing, let drawn = QRCode(code.text) {
            let lines = QRDrawing.lines(
                drawn, columnMax: Terminal.width ?? 200, isColoured: Terminal.hasColour)
            for line in lines ?? [] { Terminal.line(line) }
            if lines == nil { Terminal.error("tandem: the screen is too narrow for a QR code\n") }
        }
        Terminal.line("On the other device type `tandem join`; it asks for this code")
        Terminal.line("(from a file or a pipe: `tandem join -`):")
        Terminal.line("")
        for line in CodeText.lines(code.text) { Terminal.line("  \(line)") }
        Terminal.line("")
        Terminal.line("Good for one device and for \(TimeSpan.words(seconds)).")
        if code.addresses.contains(where: { $0.kind == .device }) {
            Terminal.line("This device must answer meanwhile: tandem serve --listen 0.0.0.0:7717")
        }
        if code.secret == nil {
            Terminal.line("The space is plain: its relay and whoever runs it can read everything.")
        } else {
            Terminal.line(
                """
                Whoever reads this code while it is good can read the whole space. If anybody
                did: tandem devices, and tandem revoke DEVICE for one that you do not know, or
                tandem revoke --nobody. Either changes the secret.
                """)
        }
    }
}
