import Devices
import JSON
import Terminal
import ToDo

/// Exchanges what this device and another missed of each other.
enum SyncCommand: Command {
    static let name = "sync"
    static let summary = "Sync once with a device or relay, or with all known"
    static let help = """
          tandem sync
          tandem sync desk:7717         a device that runs tandem serve
          tandem sync desk:7717#5f0c-…  the same, but only with this fingerprint
          tandem sync ssh://me@desk:2222/home/me/todos
                                        over ssh; needs only the program there
          tandem sync relay://example.org:7718#5f0c-…
          tandem sync unix: --live      a store of this account, by tandem serve

        Without an address, syncs with every relay and device that is known, and exits
        with the code of the first that failed. A device that is unreachable (69) does
        not count if a relay was synced with, from where it gets the changes, or if it
        was synced with at another address. With --json, there is an object for each,
        with its `exitCode`, and one that failed has an `error`.
        Connections to a port use TLS. Without a fingerprint, any device that is trusted
        here is accepted (tandem devices).
        If a sync would delete more than half of your to-dos, and more than 20, it makes
        a snapshot and asks first. If more deletes arrive than it showed, it asks again.

        --live            stay connected and sync both ways as changes are made
        --accept-deletes  accept such deletes without asking
        --insecure        allow plain TCP to another machine (spaces made with --plain)
        --exit-code       exit with 3 if conflicts are unresolved
        """
    static let flags = ["live", "insecure", "exit-code", "accept-deletes"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        guard arguments.words.count < 2 else {
            throw CommandFailure(.usage, "say one address, or none for all that are known")
        }
        let named = try arguments.words.first.map { try PeerAddress(parsing: $0) }
        let context = try CommandContext.open(arguments)
        var sync = DeviceSync(context.device, try context.device.access())
        sync.isLive = arguments.has("live")
        sync.allowInsecure = arguments.has("insecure")
        sync.handlesSignals = true
        showProgress(of: &sync)
        sync.accepts = { hold in
            clearProgress()
            return try accepts(hold, arguments, context)
        }
        defer { clearProgress() }
        if let named {
            let outcome = try sync.sync(with: named, name: arguments.words[0])
            clearProgress()
            return try tell(outcome, arguments.words[0], arguments, context)
        }
        return try syncWithKnown(sync, arguments, context)
    }

    /// Syncs with all that are known, and tells of each.
    private static func syncWithKnown(
        _ sync: DeviceSync, _ arguments: Arguments, _ context: CommandContext
    ) throws -> ExitCode {
        var codes: [ExitCode] = []
        var (hasRelay, reached) = (false, Set<Substring>())
        let results = try sync.syncWithKnown { outcome, address in
            clearProgress()
            let code = try tell(outcome, address, arguments, context)
            if case .relay = outcome.peer, code != .incomplete { hasRelay = true }
            reached.insert(key(in: address))
            codes.append(code)
        }
        clearProgress()
        var failures: [(address: String, failure: CommandFailure)] = []
        for case (let address, .failure(let error)) in results {
            failures.append((address, CommandFailure(error)))
        }
        if arguments.has("json") {
            for (address, failure) in failures { Screen.line(json(failure, address)) }
        }
        if failures.count == results.count { throw failures[0].failure }
        for (_, failure) in failures { Screen.error("tandem: \(failure.message)\n") }
        // A device that is off gets what a relay has now; one that was reached may have been elsewhere before.
        let counted = failures.filter { address, failure in
            if failure.code != .unavailable { return true }
            let isElsewhere = !key(in: address).isEmpty && reached.contains(key(in: address))
            return !isElsewhere && (!hasRelay || RelayAddress.isMeant(by: address))
        }
        return counted.first?.failure.code ?? codes.first { $0 == .incomplete }
            ?? codes.first { $0 != .ok } ?? .ok
    }

    /// The fingerprint in an address; empty without one.
    private static func key(in address: String) -> Substring { address.drop { $0 != "#" } }

    private static func json(_ failure: CommandFailure, _ address: String) -> JSONValue {
        JSONOutput.object([
            ("device", JSONOutput.text(address)),
            ("exitCode", .number(Int(failure.code.rawValue))),
            ("error", JSONOutput.text(failure.message)),
        ])
    }

    private static func showProgress(of sync: inout DeviceSync) {
        let isLive = sync.isLive
        var wasHeld = false
        sync.report = { report in
            if isLive, report.held != nil, !wasHeld {
                Screen.error(
                    "tandem: deletes on a great scale are held here; see: \(AdvisedLine.program) accept-deletes\n"
                )
            }
            wasHeld = report.held != nil
            if (report.sentCount + report.receivedCount) % 1000 < 64 {
                Screen.progress(
                    "\(report.receivedAppRecordCount) received, \(report.sentAppRecordCount) sent ")
            }
        }
        sync.waiting = { cause, seconds in
            Screen.error("tandem: \(cause.words.shownInLine); trying again in \(seconds) s\n")
        }
    }

    private static func clearProgress() {
        Screen.progress("")
    }

    /// Asks whether deletes are meant that are held.
    private static func accepts(
        _ held: DeleteHold, _ arguments: Arguments, _ context: CommandContext
    ) throws -> Bool {
        Screen.error("tandem: \(held.words); as they are now: \(held.snapshotWords)\n")
        if let detail = try held.detailWords(context.todos) { Screen.error("  \(detail)\n") }
        if arguments.has("accept-deletes") || arguments.has("yes") { return true }
        guard Screen.canAsk, !arguments.has("no-input") else {
            throw CommandFailure(
                .refused,
                "\(held.takenWords), and what was changed here has left; if it is meant, type here: "
                    + "\(AdvisedLine.program) accept-deletes (or sync with --accept-deletes); if not, type here: "
                    + "\(AdvisedLine.program) refuse-deletes \(held.argument)")
        }
        return Screen.confirm("Accept these deletes?")
    }

    private static func tell(
        _ outcome: DeviceSync.Outcome, _ address: String, _ arguments: Arguments,
        _ context: CommandContext
    ) throws -> ExitCode {
        let report = outcome.report
        var peer = outcome.device ?? address
        if case .relay(let relay) = outcome.peer { peer = "the relay at \(relay.hostAndPort)" }
        let conflicted =
            try context.todos.openConflictCount()
        let missing = report.isWithheld ? try MissingEntry.all(of: context.device) : []
        let code: ExitCode =
            report.lacksSomething
            ? .incomplete
            : arguments.has("exit-code") && conflicted > 0 ? .conflictsAwait : .ok
        if arguments.has("json") {
            Screen.line(
                JSONOutput.object([
                    ("peer", JSONOutput.text(report.peer?.uuidText ?? "")),
                    ("device", JSONOutput.text(peer)),
                    ("received", .number(report.receivedAppRecordCount)),
                    ("sent", .number(report.sentAppRecordCount)),
                    ("changed", .number(report.changedCount)),
                    ("deferred", .number(report.deferredCount)), ("conflicts", .number(conflicted)),
                    ("withheld", .bool(report.isWithheld)),
                    ("incomplete", .bool(report.isIncomplete)),
                    ("repaired", .bool(report.isRepaired)),
                    ("unreadable", .number(report.unreadableCount)),
                    ("missing", .array(missing.map(\.json))),
                    ("exitCode", .number(Int(code.rawValue))),
                ]))
        } else {
            let beginning = report.lacksSomething ? "Synced, not all, with" : "In sync with"
            Screen.line(
                "\(beginning) \(peer): \(report.receivedAppRecordCount) received, \(report.sentAppRecordCount) sent"
            )
            for address in outcome.formerAddresses {
                Screen.line(
                    "  the relay has another address now; forgotten: \(address.shownInLine)")
            }
            if report.deferredCount > 0 {
                Screen.line(
                    "  \(report.deferredCount) deferred, as this version cannot read them: \(AdvisedLine.program) doctor"
                )
            }
            if report.isWithheld {
                tellWithheld(by: peer, outcome.peer, missing)
            } else if report.isIncomplete {
                Screen.line(
                    "  \(IncompleteMessages.missing) Run again: \(AdvisedLine.program) sync")
            }
            if report.unreadableCount > 0 {
                Screen.line("  \(IncompleteMessages.unreadable(report.unreadableCount))")
            }
            if report.isRepaired { Screen.line("  contents differed and were repaired") }
            if conflicted > 0 {
                Screen.line("  \(conflicted) in conflict: \(AdvisedLine.program) conflicts")
            }
        }
        return code
    }
}

extension SyncCommand {
    /// Tells what was stated and did not come, and the next step.
    private static func tellWithheld(
        by peer: String, _ address: PeerAddress, _ missing: [MissingEntry]
    ) {
        guard case .relay = address else {
            return Screen.line(
                "  \(peer) says it has writes that it does not send. On \(peer): tandem doctor")
        }
        for entry in missing { Screen.line("  \(entry.words)") }
        if missing.isEmpty {
            Screen.line(
                "  \(peer) keeps back what devices have stated there. On the other devices, then here: tandem sync. "
                    + "If it stays, sync with them another way")
        }
    }
}

extension MissingEntry {
    /// For programs.
    fileprivate var json: JSONValue {
        JSONOutput.object([
            ("speaker", JSONOutput.text(speaker)), ("author", JSONOutput.text(author)),
            ("code", JSONOutput.text(code)),
        ])
    }
}

/// The words about changes that are missing here after a sync.
enum IncompleteMessages {
    /// Changes that devices state and a relay did not send.
    static let missing = "the other devices have changes that the relay did not send."

    /// Changes at a relay that could not be opened.
    static func unreadable(_ count: Int) -> String {
        "\(EditMessages.count(count, "change")) at the relay could not be opened: damaged there, or not made by a "
            + "device of this space. Run on a device that has them: tandem sync"
    }
}
