/// Why a word about columns was refused.
package enum CSVColumnMapFault: Error, Equatable, Sendable {
    /// It has not the form of a name, an equals sign and a name.
    case noPair(String)
    /// There is no such column of ours; the second is the nearest one.
    case unknownField(String, String?)
    /// Two pairs are about one column.
    case twice(String)
}

extension CSVColumnMapFault: CustomStringConvertible {
    /// What was refused and what to write, for the user.
    package var description: String {
        switch self {
        case .noPair(let text):
            return
                "--map takes pairs such as 'Due Date=due,Name=title', not '\(FormatLoss.beginning(of: text))'"
        case .unknownField(let field, let nearest):
            let guess = nearest.map { ", did you mean '\($0)'?" } ?? ";"
            let known = CSVColumn.allCases.map(\.rawValue).joined(separator: ", ")
            return
                "--map knows no '\(FormatLoss.beginning(of: field))'\(guess) there are \(known), and "
                + "x.NAME for a field of your own"
        case .twice(let name):
            return "--map names the column '\(FormatLoss.beginning(of: name))' twice"
        }
    }
}
