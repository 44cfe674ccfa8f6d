/// How a command ends; the numbers of sysexits(3) where it has one.
enum ExitCode: Int32 {
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
}
