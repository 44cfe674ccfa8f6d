/// Looks whether the commands that have a budget of time keep it, by instructions: those are the same in every run, also on a
/// machine with much to do.
///
/// Instructions of the kernel are not counted, so a command that asks more of it is not noticed.
extension CommandBenchmarks {
    /// The results of a check.
    struct Check {
        /// The figures as JSON.
        let text: String
        /// The names of the measurements beyond their budgets.
        let beyond: [String]
    }

    /// Counts the instructions of each command that has a budget.
    func check() throws -> Check {
        var measurements = Measurements()
        var beyond: [String] = []
        for count in itemCounts {
            let store = "\(scratch.path)/store-\(count)"
            let words = try prepare(store, count)
            for command in BenchCommand.ofOneDevice {
                guard let most = command.megaInstructionsMax else { continue }
                // The first run makes some things once, as the index of a search.
                try run(command, words)
                let line = words.words(of: command.line)
                // A run that fails takes few.
                guard let took = try instructions(line, command.goodStatuses) else {
                    throw BenchError.failed("valgrind counted nothing of `\(command.line)`")
                }
                let name = "\(command.name) among \(count)"
                let figures = [
                    ("megaInstructions", took / 1e6), ("megaInstructionsMax", most),
                    ("ofBudget", took / 1e6 / most),
                ]
                measurements.note(name, figures)
                if took > most * 1e6 { beyond.append(name) }
            }
        }
        return Check(text: measurements.text, beyond: beyond)
    }
}
