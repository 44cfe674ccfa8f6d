/// One command of the program.
protocol Command: SendableMetatype {
    /// Its name.
    static var name: String { get }
    /// Its summary, in a line.
    static var summary: String { get }
    /// Examples, the options and an explanation.
    static var help: String { get }
    /// The options that take a value.
    static var values: [String] { get }
    /// The options that take none.
    static var flags: [String] { get }
    /// Runs the command; returns the exit code.
    static func run(_ arguments: Arguments) throws -> Int32
}

extension Command {
    static var values: [String] { [] }
    static var flags: [String] { [] }
}
