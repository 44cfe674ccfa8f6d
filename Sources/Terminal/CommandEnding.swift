/// The number a program ends with: one of sysexits(3) where that has one, else the program's own.
package struct ExitCode: RawRepresentable, Hashable, Sendable {
    /// The number.
    package let rawValue: Int32

    /// The exit code of that number.
    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// The command succeeded.
    package static let ok = ExitCode(rawValue: 0)
    /// The command line is wrong.
    package static let usage = ExitCode(rawValue: 64)
    /// The input is malformed.
    package static let badData = ExitCode(rawValue: 65)
    /// The input file does not exist or cannot be read.
    package static let noInput = ExitCode(rawValue: 66)
    /// The other device or relay is unreachable.
    package static let unavailable = ExitCode(rawValue: 69)
    /// A defect of this program.
    package static let software = ExitCode(rawValue: 70)
    /// A file cannot be created.
    package static let cannotCreate = ExitCode(rawValue: 73)
    /// Reading or writing failed.
    package static let inputOutput = ExitCode(rawValue: 74)
    /// Another process is in the way; a later try may succeed.
    package static let retryLater = ExitCode(rawValue: 75)
    /// The action was refused.
    package static let refused = ExitCode(rawValue: 77)
    /// A setting is wrong, or a file of the program is missing or does not fit.
    package static let configuration = ExitCode(rawValue: 78)
}

/// A refusal or failure of a command: the message and the exit code.
package struct CommandFailure: Error, Equatable {
    /// The number the program ends with.
    package let code: ExitCode
    /// Object, reason and next step.
    package let message: String

    /// A failure with its exit code.
    package init(_ code: ExitCode, _ message: String) {
        self.code = code
        self.message = message
    }
}
