import Simulation
import Storage
import Terminal

/// The manual page of this program, made from its help.
enum Manual {
    /// The page.
    static var page: ManualPage {
        let commands = CommandTable.commands.flatMap { command -> [HelpBlock] in
            [.prose("`simulate \(command.name)`: \(command.summary).")]
                + HelpBlock.blocks(of: command.help)
        }
        return ManualPage(
            "simulate", 1, "test the sync engine of Tandem in a simulated environment",
            calls: ["simulate COMMAND [OPTION...] [FILE...]"],
            sections: [
                .init("EXAMPLES", HelpBlock.blocks(of: CommandTable.examples)),
                .init(
                    "DESCRIPTION",
                    [
                        .prose(
                            "Runs scenarios of several devices with the real engine. Disks, networks "
                                + "and clocks are simulated and fail at random. Each run ends with a "
                                + "verdict: every promise was kept, or the first that was broken. "
                                + "`simulate help language` lists the steps of a scenario.")
                    ]),
                .init("COMMANDS", commands),
                .init(
                    "OPTIONS",
                    [
                        .definitions([
                            .init("--json", "print the result as JSON"),
                            .init("--help", "explain the command"),
                        ])
                    ]),
                .init("EXIT STATUS", HelpBlock.blocks(of: ExitCode.text)),
            ], others: [("tandem", 1)])
    }
}
