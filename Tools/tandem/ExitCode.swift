/// How a command ends; the numbers of sysexits(3) where it has one.
enum ExitCode: Int32, CaseIterable {
    /// Well.
    case ok = 0
    /// Nothing matched, or the answer is no.
    case nothing = 1
    /// Conflicts await a decision; only with `--exit-code`.
    case conflictsAwait = 3
    /// The command line is wrong.
    case usage = 64
    /// The data is wrong.
    case badData = 65
    /// There is no such input.
    case noInput = 66
    /// The peer is not to be had.
    case unavailable = 69
    /// A fault of this program.
    case software = 70
    /// A file cannot be made.
    case cannotCreate = 73
    /// Reading or writing failed.
    case inputOutput = 74
    /// Try again later.
    case retryLater = 75
    /// It was refused.
    case refused = 77
    /// There is no store, or it does not fit.
    case configuration = 78

    /// What it says, in a line.
    var meaning: String {
        switch self {
        case .ok: "well"
        case .nothing: "nothing matched, or the answer is no"
        case .conflictsAwait: "conflicts await a decision; only with --exit-code"
        case .usage: "the command line is wrong"
        case .badData: "the data is wrong"
        case .noInput: "there is no such input"
        case .unavailable: "the other side is not to be had"
        case .software: "a fault of this program: please report it"
        case .cannotCreate: "a file cannot be made"
        case .inputOutput: "reading or writing failed"
        case .retryLater: "try again later"
        case .refused: "it was refused"
        case .configuration: "there is no store, or it does not fit, or a setting is wrong"
        }
    }
}
