import Core
import Crypto
import Devices
import Storage
import ToDo
import Transport

/// Makes a store: of a new space, or joining one.
enum InitCommand: Command {
    static let name = "init"
    static let summary = "makes a store, or joins the space of another device"
    static let help = """
          tandem init --name laptop
          tandem init --name laptop --policy edits-win
          tandem init --name phone --from localhost:7717

        To come into the space of another device with its code, without --from: tandem
        join. A store of your own may be there already.

        --name NAME       what your other devices call this one (default: the host's
                          name)
        --policy POLICY   when one device deletes what another edits: deletes-win
                          (default; the edit is kept and listed as a conflict) or
                          edits-win; fixed for the space
        --plain           without encryption: a relay of this space can read everything
        --from ADDRESS    join the space of the device that serves there; sync
                          afterwards
        --insecure        allow plain TCP to another machine
        """
    static let values = ["name", "policy", "from"]
    static let flags = ["insecure", "plain"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        try arguments.refuseWords()
        let folder = try Workplace.folder(arguments)
        let name = try DeviceName.read(arguments)
        var policy = DeletePolicyWord.standard
        if let word = arguments["policy"] { policy = try DeletePolicyWord.read(word) }
        try DamagedStore.refuseToReplace(arguments)
        let store: Store
        if let address = arguments["from"] {
            if arguments["policy"] != nil {
                throw CommandFailure(.usage, "a space that is joined has its policy already")
            }
            if RelayAddress.isMeant(by: address) { throw relayIsNoDevice }
            let endpoint = try Endpoint(parsing: address)
            let answer = try SpaceProbe.ask(
                endpoint, security: try security(for: endpoint, folder),
                allowInsecure: arguments.has("insecure"))
            switch answer {
            case .space(let space, let rule):
                store = try Store.create(
                    folder: folder, schema: ToDoSchema.collections, space: space, policy: rule,
                    deviceName: name, environment: SystemWorld.environment())
            case .refused(let error): throw CommandFailure(.refused, "\(address) says: \(error)")
            case .nonsense(let text): throw CommandFailure(.unavailable, "\(address): \(text)")
            }
        } else {
            store = try Store.create(
                folder: folder, schema: ToDoSchema.collections, policy: policy, deviceName: name,
                environment: SystemWorld.environment())
        }
        let own = try Workplace.security(in: folder)
        // Who joins without a code has no secret; one of another device would be its own.
        if let own, arguments["from"] == nil {
            try makeKeys(store, own.certificate.fingerprint, isPlain: arguments.has("plain"))
        }
        try tell(store, own, name, arguments)
        return .ok
    }

    private static var relayIsNoDevice: CommandFailure {
        CommandFailure(
            .usage,
            """
            that is the address of a relay, and --from takes that of a device; through a relay one comes \
            with a code: `tandem invite --relay ADDRESS` on a device of the space, then `tandem join` here
            """)
    }

    /// The space's first secret, unless it is to have none, and what others know of this device.
    private static func makeKeys(
        _ store: Store, _ own: Fingerprint, isPlain: Bool
    ) throws {
        let secret = SpaceSecret(
            bytes: Keyring.random(byteCount: SpaceSecret.byteCount),
            generation: SpaceSecret.firstGeneration)
        let member = try Membership(store, own) { keyring in
            keyring.isPlain = isPlain
            if let secret, !isPlain { keyring.add(secret) }
        }
        try member.refresh()
    }

    /// The device's key is made before the store, so that the other device can be told whom to
    /// trust even if it refuses now.
    private static func security(
        for endpoint: Endpoint, _ folder: String
    ) throws -> SyncSecurity? {
        guard endpoint.isTCP else { return nil }
        try SystemWorld.environment().disk.makeFolder(folder)
        return try Workplace.security(in: folder)
    }

    private static func tell(
        _ store: Store, _ security: SyncSecurity?, _ name: String, _ arguments: Arguments
    ) throws {
        let summary = try store.summary()
        if arguments.has("json") {
            Terminal.line(
                JSONOutput.object([
                    ("store", JSONOutput.text(store.paths.folder)),
                    ("device", JSONOutput.text(name)),
                    ("space", JSONOutput.text(summary.space.uuidText)),
                    ("replica", JSONOutput.text(summary.replica.uuidText)),
                    ("policy", JSONOutput.text(summary.policy.name)),
                    (
                        "fingerprint",
                        JSONOutput.text(security?.certificate.fingerprint.description ?? "")
                    ),
                ]))
        } else if let address = arguments["from"] {
            Terminal.paragraph(
                "\(name.shownInLine) joined the space; next: tandem sync \(address)", hanging: 2)
        } else {
            Terminal.paragraph(
                "\(name.shownInLine) has a store in \(store.paths.folder); next: tandem add Buy milk",
                hanging: 2)
            if arguments.has("plain") {
                Terminal.paragraph(
                    "The space is plain: whoever runs a relay for it can read everything and must be "
                        + "trusted", hanging: 2)
            }
        }
    }
}
