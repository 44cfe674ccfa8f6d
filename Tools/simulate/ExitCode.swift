/// How the program ends where no story decides it; the numbers of sysexits(3).
///
/// A story ends with the raw value of its `Verdict`.
enum ExitCode {
    /// Well.
    static let ok: Int32 = 0
    /// What was asked is not so.
    static let no: Int32 = 1
    /// The command line is wrong.
    static let usage: Int32 = 64
    /// There is no such input.
    static let noInput: Int32 = 66
    /// A fault of this program.
    static let software: Int32 = 70
    /// A file cannot be made.
    static let cannotCreate: Int32 = 73
    /// Reading or writing failed.
    static let inputOutput: Int32 = 74
}
