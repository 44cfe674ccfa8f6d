/// One command of the program.
protocol Command: SendableMetatype {
    /// Its name.
    static var name: String { get }
    /// What it does, in a line.
    static var summary: String { get }
    /// How it is called: examples first, then the options.
    static var help: String { get }
    /// The options that take a value.
    static var values: [String] { get }
    /// The options that take none.
    static var flags: [String] { get }
    /// Whether the words tell where `--` stood.
    static var keepsSeparator: Bool { get }
    /// Whether it is for other programs, and left out where people are told of commands.
    static var isHidden: Bool { get }
    /// Does it.
    static func run(_ arguments: Arguments) throws -> ExitCode
}

extension Command {
    static var values: [String] { [] }
    static var flags: [String] { [] }
    static var keepsSeparator: Bool { false }
    static var isHidden: Bool { false }
}
