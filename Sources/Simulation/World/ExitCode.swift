/// How a program that runs stories ends: as the story ended, or with a number of sysexits(3) where no
/// story decides it.
package enum ExitCode {
    /// Well.
    package static let ok: Int32 = 0
    /// What was asked is not so.
    package static let no: Int32 = 1
    /// The command line is wrong.
    package static let usage: Int32 = 64
    /// There is no such input.
    package static let noInput: Int32 = 66
    /// A fault of the program.
    package static let software: Int32 = 70
    /// A file cannot be made.
    package static let cannotCreate: Int32 = 73
    /// Reading or writing failed.
    package static let inputOutput: Int32 = 74

    /// Every number that a program ends with, in order, for whoever reads about it.
    package static let table: [(code: Int32, word: String, meaning: String)] =
        (Verdict.allCases.map { ($0.rawValue, $0.word, $0.meaning) } + [
            (usage, "usage", "the command line is wrong"),
            (noInput, "no input", "a file is missing or cannot be read"),
            (software, "software", "this program failed: please report it"),
            (cannotCreate, "cannot create", "a file cannot be written"),
            (inputOutput, "input or output", "the results cannot be written"),
        ]).sorted { $0.0 < $1.0 }

    /// The table as lines of text.
    package static var text: String {
        let width = table.map(\.word.count).max() ?? 0
        return table.map { row in
            let code = String(repeating: " ", count: row.code < 10 ? 1 : 0) + "\(row.code)"
            let padding = String(repeating: " ", count: width - row.word.count)
            return "  \(code)  \(row.word)\(padding)  \(row.meaning)\n"
        }.joined()
    }
}
