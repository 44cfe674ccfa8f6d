import Devices
import Glibc
import JSON
import Terminal
import ToDo

/// Tells what can be read of a damaged store, and goes on with that.
struct Rescuing {
    private let damaged: DamagedStore
    private let arguments: Arguments
    /// The problem with the store.
    private let fault: StoreFault
    /// The problem in words.
    private var reason: String { DamagedStore.reason(fault) }

    init(_ damaged: DamagedStore, _ arguments: Arguments, _ fault: StoreFault) {
        self.damaged = damaged
        self.arguments = arguments
        self.fault = fault
    }

    /// Looks; with `--fix` puts what can be read in the place of the store, after a question.
    func run() throws -> ExitCode {
        let looked: RescueReport
        do throws(StoreFault) {
            switch try damaged.folder.lookForRescue(schema: ToDoSchema.collections) {
            case .readable(let report): looked = report
            case .nothing(let fault): return tellNothing(fault)
            }
        } catch {
            if !arguments.has("json") { tellDamage([reason]) }
            Screen.flush()
            throw error
        }
        if !arguments.has("json") { tell(looked) }
        guard arguments.has("fix") else {
            if arguments.has("json") { tellJSON(looked, isClean: false) }
            return .nothing
        }
        Screen.flush()
        if !looked.keepsIdentity {
            try CommandContext.confirm(
                "Put the damaged store aside, and go on with what can be read?", arguments)
        }
        let report = try damaged.folder.rescue(
            schema: ToDoSchema.collections, isDry: false)
        let context = try CommandContext.open(arguments)
        defer { context.device.close() }
        let isClean = try context.device.repair.findings().isEmpty
        if arguments.has("json") {
            tellJSON(report, isClean: isClean)
        } else {
            try tellDone(report, context)
        }
        return isClean ? .ok : .nothing
    }

    // MARK: For people

    private func tellDamage(_ findings: [String]) {
        Screen.line("tandem \(Tandem.version), store \(damaged.folder.path.shownInLine)")
        for finding in findings { Screen.line("DAMAGE: \(finding.shownInLine)") }
    }

    private func tell(_ report: RescueReport) {
        tellDamage([reason] + report.findings.map(\.description))
        if report.isWhole {
            Screen.line(
                "No record is damaged: all \(EditMessages.count(report.readCount)) can be read, and fit."
            )
        } else {
            Screen.line(
                "\(EditMessages.count(report.readCount)) can be read, with those in the trash; \(lost(report))"
            )
            if let snapshot = report.snapshot {
                Screen.line(
                    "It goes on from the snapshot of \(DamagedStore.words(ofSnapshot: snapshot.time)), with "
                        + "\(report.newCount) that are newer\(older(report, "come back"))")
            }
        }
        if arguments.has("fix") { return }
        Screen.line("To go on with that: \(damaged.rescueCommand)")
        if !report.isWhole, damaged.folder.snapshots.last != nil {
            Screen.line("Or from the snapshot alone: \(damaged.command)")
        }
        if !report.isWhole { Screen.line(DamagedStore.otherWays) }
    }

    private func lost(_ report: RescueReport) -> String {
        let words =
            switch (report.lostCount, report.isLostCountExact) {
            case (0, true) where report.isAltered:
                "none is missing, but they do not fit the sum that the store kept: damage may have changed what one of them says"
            case (0, true) where report.outdatedCount + report.uncertainCount > 0: "none is gone"
            case (0, true) where report.isUnchecked: "none is missing"
            case (0, true): "none is lost"
            case (0, false): "if there were more, the file does not tell"
            case (let count, true): "\(count) cannot"
            case (let count, false): "\(count) or more cannot"
            }
        return words + dated(report)
    }

    /// Returns the counts of to-dos that are out of date, or may be.
    private func dated(_ report: RescueReport) -> String {
        var words = ""
        if report.outdatedCount > 0 {
            words +=
                "; of \(report.outdatedCount) the last change cannot be read, only what was before"
        }
        if report.uncertainCount > 0 {
            words += "; \(report.uncertainCount) may be as they were before a later change"
        }
        return words
    }

    private func older(_ report: RescueReport, _ verb: String) -> String {
        report.olderCount == 0
            ? ""
            : "; \(report.olderCount) that cannot be read \(verb) as they were then, also what was "
                + "deleted since"
    }

    private func tellDone(_ report: RescueReport, _ context: CommandContext) throws {
        if report.isWhole {
            Screen.line(
                "All \(EditMessages.count(report.readCount)) are there; indexes were made anew")
        } else {
            Screen.line(
                "Rescued \(EditMessages.count(report.readCount)); \(lost(report))\(older(report, "are there"))"
            )
        }
        if report.isPolicyGuessed {
            Screen.line(
                "The rule of the space could not be read: taken for \(try context.device.summary().policy.name)"
            )
        }
        if let aside = report.aside {
            let why = report.lostCount > 0 ? ": what could not be read is there alone, keep it" : ""
            Screen.line("The damaged store is in \(aside.shownInLine)\(why)")
        }
        if report.keepsIdentity { return }
        Screen.line("This device goes on under a new replica id.")
        Screen.line("To fetch to-dos that only other devices have: \(AdvisedLine.program) sync")
    }

    /// Nothing can be read, and there is no snapshot to go on from.
    private func tellNothing(_ rescueFault: StoreFault) -> ExitCode {
        let findings = [reason, DamagedStore.reason(rescueFault)]
        if arguments.has("json") {
            Screen.line(JSONOutput.object(head(findings, [fault.code, rescueFault.code])))
        } else {
            tellDamage(findings)
            Screen.line(DamagedStore.otherWays)
        }
        return .nothing
    }

    // MARK: For programs

    private func head(_ findings: [String], _ codes: [String]) -> [(String, JSONValue)] {
        let paths = damaged.folder.paths
        return [
            ("version", JSONOutput.text(Tandem.version)),
            ("store", JSONOutput.text(damaged.folder.path)),
            ("findings", .texts(findings)), ("codes", .texts(codes)),
            ("snapshots", .texts(damaged.folder.snapshots.map { paths.path(of: $0) })),
        ]
    }

    private func tellJSON(_ report: RescueReport, isClean: Bool) {
        let paths = damaged.folder.paths
        let rescue = JSONOutput.object([
            ("whole", .bool(report.isWhole)),
            ("readable", .number(report.readCount)), ("newer", .number(report.newCount)),
            ("lost", .number(report.lostCount)),
            ("lostMayBeMore", .bool(!report.isLostCountExact)),
            ("altered", .bool(report.isAltered)),
            ("outdated", .number(report.outdatedCount)),
            ("mayBeOutdated", .number(report.uncertainCount)),
            ("older", .number(report.olderCount)),
            ("snapshot", report.snapshot.map { JSONOutput.text(paths.path(of: $0)) } ?? .null),
            ("sameReplica", .bool(report.keepsIdentity)),
            ("aside", report.aside.map(JSONOutput.text) ?? .null),
            ("done", .bool(report.aside != nil && isClean)),
        ])
        Screen.line(
            JSONOutput.object(
                head(
                    [reason] + report.findings.map(\.description),
                    [fault.code] + report.findings.map(\.code)) + [("rescue", rescue)]))
    }
}
