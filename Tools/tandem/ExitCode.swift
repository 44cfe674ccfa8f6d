/// How a command ends; the numbers of sysexits(3) where it has one.
enum ExitCode: Int32, CaseIterable {
    /// The command succeeded.
    case ok = 0
    /// Nothing matched, or the answer is no.
    case nothing = 1
    /// Conflicts are unresolved; only with `--exit-code`.
    case conflictsAwait = 3
    /// The command line is wrong.
    case usage = 64
    /// The input is malformed.
    case badData = 65
    /// The input file does not exist or cannot be read.
    case noInput = 66
    /// The other device or relay is unreachable.
    case unavailable = 69
    /// A defect of this program.
    case software = 70
    /// A file cannot be created.
    case cannotCreate = 73
    /// Reading or writing failed.
    case inputOutput = 74
    /// Another process is in the way; a later try may succeed.
    case retryLater = 75
    /// The action was refused.
    case refused = 77
    /// The store is missing or does not fit, or a setting is wrong.
    case configuration = 78

    /// The meaning in a line of help.
    var meaning: String {
        switch self {
        case .ok: "success"
        case .nothing: "nothing matched, or the answer is no"
        case .conflictsAwait: "conflicts are unresolved; only with --exit-code"
        case .usage: "the command line is wrong"
        case .badData: "the input is malformed"
        case .noInput: "the input file is missing or unreadable"
        case .unavailable: "the other device or relay is unreachable"
        case .software: "a defect of this program: please report it"
        case .cannotCreate: "a file cannot be created"
        case .inputOutput: "reading or writing failed"
        case .retryLater: "another process is in the way: try again later"
        case .refused: "the action was refused"
        case .configuration: "no store, a store that does not fit, or a wrong setting"
        }
    }
}
