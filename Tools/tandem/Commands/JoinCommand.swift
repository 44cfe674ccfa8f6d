import Core
import Crypto
import Devices
import JSON
import Session
import Storage
import ToDo
import Transport

/// Joins the space of another device with its code.
enum JoinCommand: Command {
    static let name = "join"
    static let summary = "joins the space of another device with its code"
    static let help = """
          tandem join
          tandem join 04Z9K-…
          tandem join - < FILE

        The code is what `tandem invite` shows on the other device. Without it you are
        asked, and `-` takes it from the standard input: neither the shell's history nor
        a list of processes has it then. To-dos that are here already stay, and go to
        the other devices as well.

        --name NAME       what the other devices call this one (default: the host's
                          name)
        --merge           bring a store that other devices share into the new space
                          without being asked
        """
    static let values = ["name"]
    static let flags = ["merge"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        let code = try code(arguments)
        try code.check(now: SystemWorld.wallMilliseconds())
        _ = try DeviceName.read(arguments)
        let folder = try Workplace.folder(arguments)
        try DamagedStore.refuseToReplace(arguments)
        let traces = JoiningTraces(before: folder)
        try SystemWorld.environment().disk.makeFolder(folder)
        guard let security = try Workplace.security(in: folder) else { throw Space.notBuiltIn }
        if DaemonStatus.ask(in: folder) != nil {
            throw CommandFailure(
                .retryLater,
                "a daemon runs for this store, with the keys of before; end it, join, and start it again"
            )
        }
        let before = try? Workplace.open(arguments)
        if before == nil, SystemWorld.environment().disk.exists(StorePaths(folder: folder).database)
        {
            // It is there and cannot be opened: the words why.
            _ = try Workplace.open(arguments)
        }
        if let before { try ask(code, before, arguments) }
        // Asked first: who is refused has changed nothing here.
        let joining = JoiningDevice(code)
        let direct: PairingCode.Address?
        var new: Workplace?
        do {
            let making = { () throws -> Store in
                let place = try made(code, folder, arguments)
                new = place
                return place.store
            }
            direct = try joining.introduce(
                security, in: folder, making: before == nil ? making : nil)
        } catch let fault as JoiningFault {
            if let new { throw try takenBack(new, fault, traces) }
            if before == nil { traces.remove() }
            throw fault
        }
        // What a relay had is in a new store already, as it was read before anything was shown there.
        let fetched = try new?.store.count(FetchRequest(ToDoSchema.collection)) ?? 0
        let place = try before ?? new ?? made(code, folder, arguments)
        let member = try joining.enter(place.store, security.certificate.fingerprint)
        return try syncAll(
            code, direct, member, place, fetched: before == nil ? fetched : nil, arguments
        ) {
            try checkUse(joining, member, place, before == nil ? traces : nil)
        }
    }

    private static func code(_ arguments: Arguments) throws -> PairingCode {
        let canAsk = Terminal.canAsk && !arguments.has("no-input")
        switch arguments.words {
        case ["-"] where !canAsk: return try CodePrompt.read()
        case [] where !canAsk:
            throw CommandFailure(
                .usage,
                """
                say the code that `tandem invite` shows on the other device: tandem join CODE, or from a \
                file or pipe: tandem join - < FILE
                """)
        case ["-"], []: return try CodePrompt.ask()
        case let words: return try PairingCode(parsing: words.joined(separator: " "))
        }
    }

    /// A store that belongs elsewhere is not moved without a word.
    private static func ask(
        _ code: PairingCode, _ place: Workplace, _ arguments: Arguments
    ) throws {
        let summary = try place.store.summary()
        if summary.space == code.space || arguments.has("merge") { return }
        let others = try DeviceBook(place.store).devices.filter { device in
            !device.replicas.contains(place.store.replica) && !device.isRevoked
        }
        if others.isEmpty { return }
        let names = others.prefix(4).map { $0.name.shownInLine }.joined(separator: ", ")
        let more = others.count > 4 ? " and others" : ""
        try Workplace.confirm(
            "This store belongs to a space with \(names)\(more) already. Joining takes it and all its "
                + "to-dos into the new space; those devices stay behind until they join as well. Go on?",
            arguments)
    }

    // MARK: The store

    private static func made(
        _ code: PairingCode, _ folder: String, _ arguments: Arguments
    ) throws -> Workplace {
        let name = try DeviceName.read(arguments)
        return try Workplace(
            try Store.create(
                folder: folder, schema: ToDoSchema.collections, space: code.space,
                policy: code.policy, deviceName: name, environment: SystemWorld.environment()))
    }

    // MARK: The first sync

    /// - Parameter fetched: how many to-dos a store that was made for it has already; nil if it was there before.
    private static func syncAll(
        _ code: PairingCode, _ direct: PairingCode.Address?, _ member: Membership,
        _ place: Workplace, fetched: Int?, _ arguments: Arguments, checkUse: () throws -> Void
    ) throws -> ExitCode {
        let sync = PeerSync(place: place, member: member)
        var received = fetched ?? 0
        var sent = 0
        var failures: [CommandFailure] = []
        var doneCount = 0
        for address in code.addresses {
            let peer: PeerSync.Peer
            switch address.kind {
            case .device:
                guard direct == address else { continue }
                peer = .device(.tls(address.place, address.fingerprint))
            case .relay:
                peer = .relay(RelayAddress(address.place, fingerprint: address.fingerprint))
            }
            do {
                let (end, report) = try sync.run(peer)
                try PeerSync.check(end, with: "\(address.place)")
                received += report.receivedCount
                sent += report.sentCount
                doneCount += 1
            } catch {
                failures.append(CommandFailure(error))
            }
        }
        try checkUse()
        for failure in failures where doneCount > 0 {
            Terminal.error("tandem: \(failure.message)\n")
        }
        if doneCount == 0 {
            let why = failures.first
            throw CommandFailure(
                why?.code ?? .unavailable,
                "this device has the keys of the space now, but could not sync yet: "
                    + "\(why?.message ?? "nobody was reached"); next: tandem sync")
        }
        let count = try place.todos.counts().pending
        if arguments.has("json") {
            Terminal.line(
                JSONOutput.object([
                    ("space", JSONOutput.text(place.store.space.uuidText)),
                    ("received", .number(received)), ("sent", .number(sent)),
                    ("pending", .number(count)),
                ]))
        } else {
            let names = try DeviceBook(place.store).devices.filter {
                !$0.replicas.contains(place.store.replica) && !$0.isRevoked && $0.fingerprint != nil
            }.map { $0.name.shownInLine }
            let whom = names.isEmpty ? "the space" : "the space of \(names.joined(separator: ", "))"
            // A new store has nothing of its own to give: how many records went about tells nobody anything.
            let counts = fetched == nil ? "\(received) received, \(sent) sent, " : ""
            Terminal.paragraph(
                "Joined \(whom): \(counts)\(Echo.count(count)) pending", hanging: 2)
            if let advice = try DeviceName.advice(place) {
                Terminal.paragraph("Note: \(advice)", hanging: 0)
            }
            Terminal.line("Next: tandem list; from now on: tandem sync")
        }
        return .ok
    }

    /// Two devices that come with one code at one moment do not see each other before; the one that came first
    /// stays.
    private static func checkUse(
        _ joining: JoiningDevice, _ member: Membership, _ place: Workplace,
        _ traces: JoiningTraces?
    ) throws {
        guard let own = try DeviceBook(place.store)[member.fingerprint], own.isLateUser else {
            return
        }
        do {
            try joining.check(place.store, member.fingerprint, at: "the space")
        } catch let fault as JoiningFault {
            throw try takenBack(place, fault, traces)
        }
    }

    /// Takes a store away that was made for a code that was refused; what to say then.
    private static func takenBack(
        _ place: Workplace, _ fault: JoiningFault, _ traces: JoiningTraces?
    ) throws -> CommandFailure {
        let (replica, counter) = (place.store.replica, try place.store.summary().counter)
        place.store.close()
        let folder = place.store.paths.folder
        let left =
            traces?.removeStore(replica: replica, counter: counter) == true
            ? "; nothing was kept here" : "; the store in \(folder) stays, and goes nowhere"
        let failure = CommandFailure(fault)
        return CommandFailure(failure.code, failure.message + left)
    }
}
