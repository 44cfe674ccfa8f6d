/// One command of the program.
protocol Command: SendableMetatype {
    /// Its name.
    static var name: String { get }
    /// The purpose: an imperative of at most 60 characters.
    static var summary: String { get }
    /// Examples, an explanation, and the options.
    static var help: String { get }
    /// The options that take a value.
    static var values: [String] { get }
    /// The options that take none.
    static var flags: [String] { get }
    /// Whether `--` stays among the words.
    static var keepsSeparator: Bool { get }
    /// Runs the command.
    static func run(_ arguments: Arguments) throws -> ExitCode
}

extension Command {
    static var values: [String] { [] }
    static var flags: [String] { [] }
    static var keepsSeparator: Bool { false }
}
