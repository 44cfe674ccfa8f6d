import Causality
import Records
import Storage
import ToDo

/// Looks for damage.
enum DoctorCommand: Command {
    static let name = "doctor"
    static let summary = "looks for damage, and tells versions and paths"
    static let help = """
          tandem doctor

        Checks the file, every record and the sums kept along; changes nothing. Ends with 1 if it
        found something.
        """

    static func run(_ arguments: Arguments) throws -> ExitCode {
        try arguments.refuseWords()
        let place = try Workplace.open(arguments)
        let summary = try place.store.summary()
        let findings = try place.store.examine()
        let parked = try place.store.parked()
        let changes = try place.store.identityChanges()
        if arguments.has("json") {
            Terminal.line(
                JSONOutput.object([
                    ("version", JSONOutput.text(CommandTable.version)),
                    ("store", JSONOutput.text(place.store.paths.folder)),
                    ("replica", JSONOutput.text(summary.replica.uuidText)),
                    ("space", JSONOutput.text(summary.space.uuidText)),
                    (
                        "newIdentities",
                        "["
                            + changes.map {
                                JSONOutput.object([
                                    ("old", JSONOutput.text($0.old.uuidText)),
                                    ("new", JSONOutput.text($0.new.uuidText)),
                                    ("reason", JSONOutput.text($0.reason)),
                                    ("time", JSONOutput.text(TimestampText.rfc3339($0.time))),
                                ])
                            }.joined(separator: ",") + "]"
                    ),
                    ("findings", JSONText.array(findings)),
                    (
                        "parked",
                        "["
                            + parked.map {
                                JSONOutput.object([
                                    ("id", JSONOutput.text($0.change.id.uuidText)),
                                    ("reason", JSONOutput.text($0.reason)),
                                ])
                            }.joined(separator: ",") + "]"
                    ),
                ]))
        } else {
            Terminal.line("tandem \(CommandTable.version), store \(place.store.paths.folder)")
            Terminal.line(
                "replica \(summary.replica), space \(summary.space), \(summary.policy.name)")
            for finding in findings { Terminal.line("DAMAGE: \(finding)") }
            for item in parked {
                Terminal.line("set aside: \(item.change.id) (\(item.reason))")
            }
            for change in changes {
                let time = DatePhrase.absolute(.instant(change.time), zone: place.zone)
                Terminal.line("new identity on \(time): \(change.reason)")
            }
            if findings.isEmpty { Terminal.line("All is well.") }
        }
        return findings.isEmpty ? .ok : .nothing
    }
}
