import Devices
import JSON
import Terminal
import ToDo

/// Makes a store: of a new space, or joining one.
enum InitCommand: Command {
    static let name = "init"
    static let summary = "Create a store, or join the space of a serving device"
    static let help = """
          tandem init --name laptop
          tandem init --name laptop --policy edits-win
          tandem init --name phone --from unix:

        To join with a code (`tandem invite` shows one), use `tandem join` instead; it
        needs no init.

        --name NAME       this device's name for your other devices (default: the host
                          name)
        --policy POLICY   the result if one device deletes a to-do that another edits:
                          deletes-win (default; the edit is kept and listed as a
                          conflict) or edits-win; cannot be changed later
        --plain           no encryption: a relay can read everything, and on this
                          machine every account that connects
        --from ADDRESS    join the space of the device that serves there (unix:, ssh://…
                          or a port), and bring its list
        --insecure        with --plain: allow plain TCP to another machine
        """
    static let values = ["name", "policy", "from"]
    static let flags = ["insecure", "plain"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        try arguments.refuseWords()
        let folder = try CommandContext.folder(arguments)
        let name = try DeviceName.read(arguments)
        var policy = DeletePolicyWord.standard
        if let word = arguments["policy"] { policy = try DeletePolicyWord.read(word) }
        let joining = DeviceJoining(in: folder, schema: ToDoSchema.collections, name: name)
        let device: Device
        if let address = arguments["from"] {
            if arguments["policy"] != nil {
                throw CommandFailure(.usage, "a space that is joined has its policy already")
            }
            if RelayAddress.isMeant(by: address) { throw relayIsNoDevice }
            do {
                device = try joining.enterSpace(
                    of: try Endpoint(parsing: address), isPlain: arguments.has("plain"),
                    allowInsecure: arguments.has("insecure"))
            } catch DeviceFault.refused(let error, _) {
                throw CommandFailure(DeviceFault.refused(error, peer: address))
            } catch DeviceFault.notADevice(_, let words) {
                throw CommandFailure(DeviceFault.notADevice(peer: address, words))
            }
        } else {
            device = try joining.makeSpace(policy: policy, isPlain: arguments.has("plain"))
        }
        var brought: DeviceSync.Outcome?
        if let address = arguments["from"] { brought = try bring(device, from: address, arguments) }
        try tell(device, name, brought, arguments)
        FolderHint.tell(of: device)
        return brought?.report.lacksSomething ?? false ? .incomplete : .ok
    }

    /// Syncs for the first time: whoever joins wants to see the list.
    private static func bring(
        _ device: Device, from address: String, _ arguments: Arguments
    ) throws -> DeviceSync.Outcome {
        do {
            var sync = DeviceSync(device, try device.access())
            sync.allowInsecure = arguments.has("insecure")
            return try sync.sync(with: try PeerAddress(parsing: address), name: address)
        } catch {
            let why = CommandFailure(error)
            throw CommandFailure(
                why.code,
                "this device has a store of the space now, but could not sync yet: \(why.message); "
                    + "next: \(AdvisedLine.program) sync \(address)")
        }
    }

    private static var relayIsNoDevice: CommandFailure {
        CommandFailure(
            .usage,
            """
            that is the address of a relay, and --from takes that of a device; through a relay one comes \
            with a code: `tandem invite --relay ADDRESS` on a device of the space, then `\(AdvisedLine.program) join` here
            """)
    }

    private static func tell(
        _ device: Device, _ name: String, _ brought: DeviceSync.Outcome?, _ arguments: Arguments
    ) throws {
        let summary = try device.summary()
        if arguments.has("json") {
            Screen.line(
                JSONOutput.object([
                    ("store", JSONOutput.text(device.folder)),
                    ("device", JSONOutput.text(name)),
                    ("space", JSONOutput.text(summary.space.uuidText)),
                    ("replica", JSONOutput.text(summary.replica.uuidText)),
                    ("policy", JSONOutput.text(summary.policy.name)),
                    (
                        "fingerprint",
                        JSONOutput.text(
                            try DeviceAccess.certificate(in: device.folder)?.fingerprint.description
                                ?? "")
                    ),
                    ("received", .number(brought?.report.receivedAppRecordCount ?? 0)),
                ]))
        } else if let address = arguments["from"], let brought {
            let count = try CommandContext(device).todos.counts().pending
            Screen.paragraph(
                """
                \(name.shownInLine) joined the space of \(brought.device ?? address): \
                \(EditMessages.count(count)) pending; next: \(AdvisedLine.program) list, from now on: \(AdvisedLine.program) sync \(address)
                """, hanging: 2)
            if brought.report.lacksSomething {
                Screen.paragraph(
                    "Not all is here: run again: \(AdvisedLine.program) sync \(address)", hanging: 0
                )
            }
        } else {
            Screen.paragraph(
                "\(name.shownInLine) has a store in \(device.folder); next: \(AdvisedLine.program) add Buy milk",
                hanging: 2)
            if arguments.has("plain") {
                Screen.paragraph(
                    "The space is plain: whoever runs a relay for it can read everything and must be "
                        + "trusted", hanging: 2)
            }
        }
    }
}

/// The hint for a store in a folder that is not its owner's alone.
enum FolderHint {
    /// Says who else may reach into the folder of a device's store, if anybody may.
    static func tell(of device: Device) { tell(device.folder, device.modes) }

    /// Says who else may reach into the folder of a copy of a store, if anybody may.
    static func tell(of paths: StorePaths) { tell(paths.folder, StoreModes(of: paths)) }

    private static func tell(_ folder: String, _ modes: StoreModes) {
        let next = "to close it: chmod 700 \(folder.shellQuoted)"
        switch modes.others {
        case .nobody: break
        case .mayRead:
            Screen.error(
                "tandem: others can see which files are in \(folder); they cannot read them; \(next)\n"
            )
        case .mayWrite:
            Screen.error(
                "tandem: others can remove and replace files in \(folder), the store too; \(next)\n"
            )
        }
    }
}
