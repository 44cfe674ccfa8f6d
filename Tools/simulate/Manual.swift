import Simulation
import Storage
import Terminal

/// The manual page of this program, made from its help.
enum Manual {
    /// The page.
    static var page: ManualPage {
        let commands = CommandTable.commands.flatMap { command -> [HelpBlock] in
            [.prose("`simulate \(command.name)` \(command.summary).")]
                + HelpBlock.blocks(of: command.help)
        }
        return ManualPage(
            "simulate", 1, "the sync engine of Tandem in made-up worlds",
            calls: ["simulate COMMAND [OPTION...] [FILE...]"],
            sections: [
                .init("EXAMPLES", HelpBlock.blocks(of: CommandTable.examples)),
                .init(
                    "DESCRIPTION",
                    [
                        .prose(
                            "Runs stories of several devices with the real engine, on disks, networks "
                                + "and clocks that are made up and fail as they like, and tells "
                                + "whether every promise was kept. `simulate help language` lists how "
                                + "stories are written.")
                    ]),
                .init("COMMANDS", commands),
                .init(
                    "OPTIONS",
                    [
                        .definitions([
                            .init("--json", "the result for programs"),
                            .init("--help", "explains the command"),
                        ])
                    ]),
                .init("EXIT STATUS", HelpBlock.blocks(of: ExitCode.text)),
            ], others: [("tandem", 1)])
    }
}
