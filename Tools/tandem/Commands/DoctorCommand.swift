import Devices
import JSON
import Terminal
import ToDo

/// Looks for damage.
enum DoctorCommand: Command {
    static let name = "doctor"
    static let summary = "Check the store; --fix repairs it"
    static let help = """
          tandem doctor
          tandem doctor --fix
          tandem doctor --json

        Shows versions and paths. Checks the file, every record, the stored checksums,
        the modes of the store's files, whether others may write in its folder, and
        leftovers of killed programs. Lists deferred changes (unreadable for now),
        former identities of this store, duplicates and parts whose parent is gone.
        Exits with 1 if it found damage.

        If the store is damaged or does not open, it reports which parts are readable.
        --fix then repairs it. Damage in indexes alone loses nothing. Otherwise the
        newest intact snapshot receives every to-do that is still readable, and the
        device continues as a new one. Unreadable to-dos are as old as the snapshot, and
        deleted ones may return: sync afterwards to fetch the current state. The damaged
        files are kept in a folder beside the store.

        With --json, `codes` has a code for each of the `findings`, and `repairs` one
        for each of the `repairable`; each reason has a `code` beside it.

        --fix             repair indexes, checksums, modes and leftovers at once; repair
                          to-dos and damaged files after a question (--yes: do not ask);
                          makes a snapshot first: tandem restore --list
        """
    static let flags = ["fix"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        try arguments.refuseWords()
        let damaged = try DamagedStore(arguments)
        let (schema, now) = (ToDoSchema.collections, SystemTime.now)
        let opening: RepairOpening
        do {
            opening = try damaged.folder.openForRepair(
                schema: schema, now: now, opened: CommandContext.tellSuspicion)
        } catch let fault as StoreFault {
            guard case .readOnly = fault, !arguments.has("fix") else { throw fault }
            do {
                let context = try CommandContext.openCopy(arguments, as: fault)
                let found = try Findings(context.device.repair.examine(now: now), context)
                return finish(found, context, damaged, arguments)
            } catch let damage as StoreFault where damaged.folder.isConcerned(by: damage) {
                throw unwritable(damaged.folder, damage, fault)
            }
        }
        switch opening {
        case .open(let device, let examination):
            let context = try CommandContext(device)
            do {
                var findings = try Findings(examination, context)
                if arguments.has("fix") {
                    try repair(findings.items, context, arguments)
                    findings = try Findings(device.repair.examine(now: now), context)
                }
                return finish(findings, context, damaged, arguments)
            } catch let fault as StoreFault where damaged.folder.isConcerned(by: fault) {
                // A damaged store is read by nobody else while it is rescued.
                device.close()
                return try Rescuing(damaged, arguments, fault).run()
            }
        case .damaged(let fault): return try Rescuing(damaged, arguments, fault).run()
        case .replacementUnfinished:
            guard arguments.has("fix") else {
                throw CommandFailure(
                    .configuration,
                    "a program ended while it put another store in the place of a damaged one; to "
                        + "finish that: \(damaged.rescueCommand)")
            }
            try damaged.folder.finishReplacing()
            return try run(arguments)
        }
    }

    /// The failure of a store that is damaged where nothing can be written: what is left of it is read in its folder.
    private static func unwritable(
        _ folder: DeviceFolder, _ damage: StoreFault, _ fault: StoreFault
    ) -> CommandFailure {
        CommandFailure(
            CommandFailure(damage).code,
            "\(folder.paths.database) is damaged (\(DamagedStore.reason(damage))), and \(fault.words); to see what can be "
                + "read of it, and rescue that, in a copy: cp -r \(folder.path.shellQuoted) COPY && chmod -R u+w COPY, then "
                + "tandem --store COPY doctor")
    }

    private static func finish(
        _ findings: Findings, _ context: CommandContext, _ damaged: DamagedStore,
        _ arguments: Arguments
    ) -> ExitCode {
        if arguments.has("json") {
            Screen.line(json(findings, context, damaged))
        } else {
            write(findings, context, damaged)
        }
        return findings.examination.isClean ? .ok : .nothing
    }

    /// The problems found in the store and among the to-dos.
    private struct Findings {
        let examination: Examination
        let items: [RepairItem]

        init(_ examination: Examination, _ context: CommandContext) throws {
            self.examination = examination
            items = try RepairItem.all(examination, context)
        }
    }

    /// Repairs what can be, after a snapshot, and says so.
    private static func repair(
        _ items: [RepairItem], _ context: CommandContext, _ arguments: Arguments
    ) throws {
        if items.isEmpty { return }
        Screen.error("tandem: a snapshot was made: \(try context.device.copies.takeSnapshot())\n")
        for item in items {
            if let question = item.question, !arguments.has("yes") {
                Screen.error("\(item.words)\n")
                guard Screen.canAsk, !arguments.has("no-input"), Screen.confirm(question)
                else {
                    Screen.error(
                        "tandem: left as it is; to do it without the question: \(AdvisedLine.program) doctor --fix "
                            + "--yes\n")
                    continue
                }
            }
            Screen.error("tandem: \(try item.perform())\n")
        }
    }

    private static func write(_ text: String) { Screen.line(text) }

    private static func write(
        _ findings: Findings, _ context: CommandContext, _ damaged: DamagedStore
    ) {
        let examination = findings.examination
        let summary = examination.summary
        write("tandem \(Tandem.version), store \(context.device.folder)")
        write("device \(summary.deviceName.shownInLine), replica \(summary.replica)")
        write("space \(summary.space), \(summary.policy.name)")
        for deferred in examination.deferred {
            write("deferred: a change of \(deferred.change.name): \(deferred.reason)")
        }
        if !examination.deferred.isEmpty {
            write("Deferred changes are kept, passed on, and tried again by newer versions.")
        }
        for change in examination.identityChanges {
            let time = DatePhrase.absolute(.instant(change.time), zone: context.zone)
            write("new identity on \(time): \(change.reason)")
        }
        for folder in damaged.folder.asideFolders {
            write("put aside as damaged, until you remove it: \(folder.shownInLine)")
        }
        for item in findings.items where item.isDamage { write("DAMAGE: \(item.words)") }
        for item in findings.items where !item.isDamage { write(item.words) }
        // A finding among to-dos, which has a question, says itself what to do.
        if findings.items.contains(where: { $0.question == nil }) {
            write("To repair: \(AdvisedLine.program) doctor --fix")
        }
        if examination.isClean, !findings.items.contains(where: \.isDamage) {
            write(findings.items.isEmpty ? "All is well." : "The store has no damage.")
        }
    }

    private static func json(
        _ findings: Findings, _ context: CommandContext, _ damaged: DamagedStore
    ) -> JSONValue {
        let examination = findings.examination
        let summary = examination.summary
        let changes = examination.identityChanges.map {
            JSONOutput.object([
                ("old", JSONOutput.text($0.old.uuidText)),
                ("new", JSONOutput.text($0.new.uuidText)),
                ("code", JSONOutput.text($0.reason.rawValue)),
                ("reason", JSONOutput.text("\($0.reason)")),
                ("time", JSONOutput.text(TimestampText.rfc3339($0.time))),
            ])
        }
        let deferred = examination.deferred.map {
            JSONOutput.object([
                ("id", JSONOutput.text($0.change.name.id.uuidText)),
                ("code", JSONOutput.text($0.reason.code)),
                ("reason", JSONOutput.text("\($0.reason)")),
            ])
        }
        return JSONOutput.object([
            ("version", JSONOutput.text(Tandem.version)),
            ("store", JSONOutput.text(context.device.folder)),
            ("device", JSONOutput.text(summary.deviceName)),
            ("replica", JSONOutput.text(summary.replica.uuidText)),
            ("space", JSONOutput.text(summary.space.uuidText)),
            ("policy", JSONOutput.text(summary.policy.name)),
            ("newIdentities", .array(changes)),
            ("findings", .texts(examination.findings.map(\.description))),
            ("codes", .texts(examination.findings.map(\.code))),
            ("repairable", .texts(findings.items.map(\.words))),
            ("repairs", .array(findings.items.map(\.json))),
            ("deferred", .array(deferred)),
            ("putAside", .texts(damaged.folder.asideFolders)),
        ])
    }
}
