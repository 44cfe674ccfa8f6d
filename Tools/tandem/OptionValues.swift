import Devices
import Terminal
import ToDo

/// The name of a device.
enum DeviceName {
    /// The name that was given, else that of the host.
    static func read(_ arguments: Arguments) throws -> String {
        if let name = arguments["name"] { return try check(name, "--name kitchen") }
        return Device.suggestedName
    }

    /// Refuses what nobody could tell from nothing.
    static func check(_ name: String, _ example: String) throws -> String {
        guard Device.isName(name) else {
            throw failure(example)
        }
        return name
    }

    /// Makes the failure for a name that cannot be used.
    static func failure(_ example: String) -> CommandFailure {
        CommandFailure(
            .usage,
            "a device name has 1 to \(Device.nameByteCountMax) bytes, and not only blanks: \(example)"
        )
    }

    /// Returns a warning that another device has this one's name, too, with the next step; nil if
    /// none has.
    static func advice(_ context: CommandContext) throws -> String? {
        guard try context.device.ownNamesake() != nil else { return nil }
        let name = try context.device.summary().deviceName
        return "another device is called \(name.shownInLine), too; to call this one otherwise: "
            + "\(AdvisedLine.program) rename NAME"
    }
}

/// The delete policy as it is typed.
enum DeletePolicyWord {
    /// The default policy of a space.
    static let standard = DeletePolicy.deletesWin

    /// All policies.
    static let all = ["deletes-win", "edits-win"]

    /// The policy of that name.
    static func read(_ word: String) throws -> DeletePolicy {
        guard let policy = DeletePolicy(name: word) else {
            throw CommandFailure(.usage, "the policy is deletes-win or edits-win, not '\(word)'")
        }
        return policy
    }
}

/// How many results are wanted.
enum Limit {
    /// A greater number is no limit: no store has so many to-dos.
    private static let countMax = 1_000_000_000

    /// Reads `--limit`; nil for no limit.
    static func read(_ word: String?, standard: Int?) throws -> Int? {
        guard let word else { return standard }
        guard let number = Int(word), number >= 0 else {
            throw CommandFailure(.usage, "--limit takes a number, not '\(word)'")
        }
        return number == 0 || number > countMax ? nil : number
    }
}
